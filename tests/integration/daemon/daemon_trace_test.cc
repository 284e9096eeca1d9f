// accelctl trace: what the daemon did, as Perfetto reads it.

#include <map>
#include <set>

#include "nlohmann/json.hpp"
#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

using Json = nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

class DaemonTraceTest : public DaemonTest {
 protected:
  // The events of a trace file.
  Json Trace(std::vector<std::string> arguments = {}) {
    const std::string path = folder_.path() + "/t.json";
    arguments.insert(arguments.begin(), {"trace", "-o", path});
    const CommandResult result = Accelctl(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    Json trace = Json::parse(ReadText(path), nullptr, /*allow_exceptions=*/false);
    EXPECT_FALSE(trace.is_discarded());
    return trace.is_discarded() ? Json::array() : trace["traceEvents"];
  }
  // "process" or "process/thread" of each track.
  static std::map<std::pair<uint64_t, uint64_t>, std::string> Tracks(const Json& events) {
    std::map<uint64_t, std::string> processes;
    std::map<std::pair<uint64_t, uint64_t>, std::string> tracks;
    for (const Json& event : events) {
      if (event["ph"] != "M") continue;
      const std::string name = event["args"]["name"];
      if (event["name"] == "process_name") {
        processes[event["pid"]] = name;
        tracks[{event["pid"], 0}] = name;
      } else {
        tracks[{event["pid"], event["tid"]}] = processes[event["pid"]] + "/" + name;
      }
    }
    return tracks;
  }
  // Any two intervals of a track are apart, or one holds the other.
  static void ExpectNested(const Json& events) {
    std::map<std::pair<uint64_t, uint64_t>, std::vector<double>> open_ends;
    double last_begin = 0;
    for (const Json& event : events) {
      if (event["ph"] != "X") continue;
      const double begin = event["ts"], end = begin + event["dur"].get<double>();
      EXPECT_GE(begin, last_begin) << event;  // sorted
      last_begin = begin;
      EXPECT_GE(event["dur"], 0) << event;
      // Nanoseconds written as microseconds are off by less than one of them.
      constexpr double kRounding = 1e-3;
      std::vector<double>& ends = open_ends[{event["pid"], event["tid"]}];
      while (!ends.empty() && ends.back() <= begin + kRounding) ends.pop_back();
      EXPECT_TRUE(ends.empty() || end <= ends.back() + kRounding) << event;
      ends.push_back(end);
    }
  }
};

TEST_F(DaemonTraceTest, HasTheTracksOfDevicesCompilerAndSessions) {
  ASSERT_NO_FATAL_FAILURE(Start({"--cpu-devices", "2"}));
  const std::shared_ptr<client::Client> client = Connect();
  const client::Program increment = Parse(kIncrementText);
  client::Array value = *client->Upload(Floats(std::vector<float>(16, 0)), 1);
  for (int i = 0; i < 5; ++i) value = client->Execute(increment, {value}, 1)->front();
  ASSERT_TRUE(value.Fetch().ok());
  const Json events = Trace();
  ExpectNested(events);
  const auto tracks = Tracks(events);
  std::multiset<std::string> names;
  const Json* compile = nullptr;
  for (const Json& event : events) {
    if (event["ph"] == "M") continue;
    const std::string track = tracks.at({event["pid"], event["tid"]});
    if (track == "device 1/run") {
      names.insert("run");
      EXPECT_EQ(event["args"]["status"], "OK");
    } else if (track == "device 1/upload" || track == "device 1/download") {
      names.insert(track);
    } else if (track.rfind("compiler/compile thread ", 0) == 0) {
      names.insert(event["name"]);
      if (event["name"] == "main") compile = &event;
    } else if (track.rfind("session ", 0) == 0) {
      names.insert("session " + event["ph"].get<std::string>());
    } else {
      ADD_FAILURE() << track << event;
    }
  }
  EXPECT_EQ(names.count("run"), 5u);
  EXPECT_EQ(names.count("session b"), 10u);
  EXPECT_EQ(names.count("session e"), 10u);
  EXPECT_THAT(names, IsSupersetOf({"device 1/upload", "device 1/download", "specialize", "fuse",
                                   "plan", "generate code", "main"}));
  // Compile steps lie within their compile.
  ASSERT_NE(compile, nullptr);
  const double begin = (*compile)["ts"], end = begin + (*compile)["dur"].get<double>();
  EXPECT_LT(begin, end);
  for (const Json& event : events) {
    if (event["ph"] != "X" || event["pid"] != (*compile)["pid"]) continue;
    EXPECT_GE(event["ts"], begin - 1e-3);
    EXPECT_LE(event["ts"].get<double>() + event["dur"].get<double>(), end + 1e-3);
  }
}

TEST_F(DaemonTraceTest, ExecutionsBeginAfterTheirCommandAndEndAfterThat) {
  ASSERT_NO_FATAL_FAILURE(Start());
  RunOnce(Parse(kIncrementText), Floats(std::vector<float>(16, 1)),
          Floats(std::vector<float>(16, 2)));
  const absl::StatusOr<std::vector<client::TraceSpan>> spans = Admin().GetTrace();
  ASSERT_TRUE(spans.ok()) << spans.status();
  size_t executions = 0;
  for (const client::TraceSpan& span : *spans) {
    EXPECT_LE(span.begin_ns, span.end_ns) << span.name;
    if (span.kind != SpanKind::kExecution) continue;
    ++executions;
    EXPECT_GT(span.submitted_ns, 0);
    EXPECT_LE(span.submitted_ns, span.begin_ns);
    EXPECT_GT(span.session, 0u);
    EXPECT_EQ(span.name, "main");
  }
  EXPECT_EQ(executions, 1u);
}

TEST_F(DaemonTraceTest, ASessionReadsItsOwnPartByItsOwnClock) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const auto begin = std::chrono::steady_clock::now();
  const client::Program increment = Parse(kIncrementText);
  const std::shared_ptr<client::Client> one = Connect(), other = Connect();
  const auto run = [&](client::Client& client) {
    const client::Array value = *client.Upload(Floats(std::vector<float>(16, 0)));
    ASSERT_TRUE(client.Execute(increment, {value})->front().Fetch().ok());
  };
  run(*one);
  const auto middle = std::chrono::steady_clock::now();
  run(*other);
  run(*one);
  const auto end = std::chrono::steady_clock::now();
  const auto runs = [](const absl::StatusOr<std::vector<client::TraceSpan>>& spans) {
    std::vector<client::TraceSpan> executions;
    if (!spans.ok()) ADD_FAILURE() << spans.status();
    for (const client::TraceSpan& span : spans.value_or(std::vector<client::TraceSpan>())) {
      if (span.kind == SpanKind::kExecution) executions.push_back(span);
    }
    return executions;
  };
  // An execution is written down just after its results are known.
  ASSERT_TRUE(Eventually([&] { return runs(one->Trace(begin)).size() == 2; }));
  ASSERT_TRUE(Eventually([&] { return runs(other->Trace(begin)).size() == 1; }));
  EXPECT_EQ(runs(one->Trace(middle)).size(), 1u);
  EXPECT_TRUE(one->Trace(std::chrono::steady_clock::now())->empty());
  for (const client::TraceSpan& span : runs(one->Trace(begin))) {
    EXPECT_GE(span.submitted_ns, begin.time_since_epoch().count());
    EXPECT_LE(span.submitted_ns, span.begin_ns);
    EXPECT_LE(span.end_ns, end.time_since_epoch().count());
  }
  bool has_fetch = false;
  const absl::StatusOr<std::vector<client::TraceSpan>> all = one->Trace(begin);
  ASSERT_TRUE(all.ok()) << all.status();
  for (const client::TraceSpan& span : *all) {
    has_fetch |= span.kind == SpanKind::kDownload;
    EXPECT_EQ(span.session, all->front().session);
  }
  EXPECT_TRUE(has_fetch);
}

TEST_F(DaemonTraceTest, ACompileTellsTheMemoryOfItsExecutable) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::shared_ptr<client::Client> client = Connect();
  const client::Program increment = Parse(kIncrementText);
  const std::vector<ir::TensorType> types(increment.parameter_types().begin(),
                                          increment.parameter_types().end());
  for (int i = 0; i < 2; ++i) {  // The second time it is found.
    const absl::StatusOr<client::CompileInfo> info = client->Compile(increment, types).Await();
    ASSERT_TRUE(info.ok()) << info.status();
    ASSERT_TRUE(info->memory.has_value());
    EXPECT_GT(info->memory->code_bytes, 0u);
    EXPECT_EQ(info->memory->alias_bytes, 0u);
  }
}

TEST_F(DaemonTraceTest, KeepsNoMoreThanItIsTold) {
  ASSERT_NO_FATAL_FAILURE(Start({"--trace-spans", "64"}));
  const std::shared_ptr<client::Client> client = Connect();
  const client::Program increment = Parse(kIncrementText);
  client::Array value = *client->Upload(Floats(std::vector<float>(16, 0)));
  for (int i = 0; i < 500; ++i) value = client->Execute(increment, {value})->front();
  ASSERT_TRUE(value.Await().ok());
  const absl::StatusOr<std::vector<client::TraceSpan>> spans = Admin().GetTrace();
  ASSERT_TRUE(spans.ok()) << spans.status();
  EXPECT_EQ(spans->size(), 64u);
  EXPECT_TRUE(Admin().GetTrace(1e-9)->empty());
  EXPECT_EQ(Admin().GetTrace(-1).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(DaemonTraceTest, WithoutATraceItSaysSo) {
  ASSERT_NO_FATAL_FAILURE(Start({"--trace-spans", "0"}));
  RunOnce(Parse(kIncrementText), Floats(std::vector<float>(16, 1)),
          Floats(std::vector<float>(16, 2)));
  const CommandResult result = Accelctl({"trace", "-o", "-"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("trace-spans"));
}

}  // namespace
}  // namespace acceld::testing

#include "client/tools/accelctl/views/chrome_trace.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace acceld::tools {
namespace {

using Json = nlohmann::ordered_json;
using client::TraceSpan;

// Process numbers in the viewer.
constexpr uint64_t kFirstDevice = 1;
constexpr uint64_t kCompiler = 1'000'000;
constexpr uint64_t kFirstSession = 2'000'000;
// The daemon allows fewer.
constexpr uint32_t kMaxParticipants = 1 << 16;
// Thread numbers within a device.
enum Stream : uint64_t { kCompute = 1, kUpload = 2, kDownload = 3, kExpress = 4, kCollectives = 5 };

class Writer {
 public:
  // `spans` are those that are added later.
  Writer(int64_t origin_ns, absl::Span<const TraceSpan> spans) : origin_ns_(origin_ns) {
    for (const TraceSpan& span : spans) {
      if (span.gang == 0 || span.kind != SpanKind::kExecution) continue;
      Json& devices = devices_of_gangs_.emplace(span.gang, Json::array()).first->second;
      if (span.participant >= kMaxParticipants) continue;
      while (devices.size() <= span.participant) devices.push_back(nullptr);
      devices[span.participant] = span.track;
    }
  }

  void Add(const TraceSpan& span) {
    switch (span.kind) {
      case SpanKind::kUnknown:
        return;
      case SpanKind::kExecution:
        if (span.express) {
          AddOnDevice(span, kExpress, "express");
        } else {
          AddOnDevice(span, kCompute, "run");
        }
        return AddToSession(span);
      case SpanKind::kUpload:
        return AddOnDevice(span, kUpload, "upload");
      case SpanKind::kDownload:
        return AddOnDevice(span, kDownload, "download");
      case SpanKind::kCollective:
        return AddCollective(span);
      case SpanKind::kCompile:
      case SpanKind::kCompileStep:
        Name("process_name", kCompiler, 0, "compiler");
        Name("thread_name", kCompiler, span.track, absl::StrCat("compile thread ", span.track));
        return AddInterval(span, kCompiler, span.track);
    }
  }

  std::string Take() {
    return Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events_)}}.dump();
  }

 private:
  double Us(int64_t ns) const { return static_cast<double>(ns - origin_ns_) / 1000; }

  // Names a process or thread, once.
  void Name(const char* what, uint64_t pid, uint64_t tid, const std::string& name) {
    if (!named_.insert({pid, tid, what}).second) return;
    events_.push_back(
        {{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}});
  }

  Json Arguments(const TraceSpan& span) const {
    Json arguments = Json::object();
    if (span.session != 0) arguments["session"] = span.session;
    arguments["status"] = absl::StatusCodeToString(static_cast<absl::StatusCode>(span.code));
    if (span.gang == 0) return arguments;
    arguments["gang"] = span.gang;
    arguments["participant"] = span.participant;
    const auto devices = devices_of_gangs_.find(span.gang);
    if (devices != devices_of_gangs_.end()) arguments["devices"] = devices->second;
    if (span.kind != SpanKind::kCollective) return arguments;
    arguments["bytes"] = span.bytes;
    arguments["wait_us"] = static_cast<double>(span.wait_ns) / 1000;
    return arguments;
  }

  void AddInterval(const TraceSpan& span, uint64_t pid, uint64_t tid) {
    events_.push_back({{"ph", "X"},
                       {"name", span.name},
                       {"pid", pid},
                       {"tid", tid},
                       {"ts", Us(span.begin_ns)},
                       {"dur", static_cast<double>(span.end_ns - span.begin_ns) / 1000},
                       {"args", Arguments(span)}});
  }

  void AddOnDevice(const TraceSpan& span, Stream stream, const char* stream_name) {
    const uint64_t pid = kFirstDevice + span.track;
    Name("process_name", pid, 0, absl::StrCat("device ", span.track));
    Name("thread_name", pid, stream, stream_name);
    AddInterval(span, pid, stream);
  }

  // The time for which it waited for others is an interval of its own within it.
  void AddCollective(const TraceSpan& span) {
    AddOnDevice(span, kCollectives, "collectives");
    TraceSpan wait = span;
    wait.name = "wait";
    wait.end_ns = std::min(span.begin_ns + span.wait_ns, span.end_ns);
    AddOnDevice(wait, kCollectives, "collectives");
  }

  // Executions of a session overlap, so each is an asynchronous event, with another one inside for
  // its time on the device.
  void AddToSession(const TraceSpan& span) {
    const uint64_t pid = kFirstSession + span.session;
    Name("process_name", pid, 0, absl::StrCat("session ", span.session));
    const uint64_t id = ++last_id_;
    const auto add = [&](const char* phase, const std::string& name, int64_t ns) {
      events_.push_back({{"ph", phase},
                         {"cat", "session"},
                         {"name", name},
                         {"id", id},
                         {"pid", pid},
                         {"tid", 0},
                         {"ts", Us(ns)},
                         {"args", Arguments(span)}});
    };
    const std::string on_device = absl::StrCat("on device ", span.track);
    add("b", span.name, std::min(span.submitted_ns, span.begin_ns));
    add("b", on_device, span.begin_ns);
    add("e", on_device, span.end_ns);
    add("e", span.name, span.end_ns);
  }

  const int64_t origin_ns_;
  std::map<uint64_t, Json> devices_of_gangs_;  // by participant; null: it has not ended yet
  Json events_ = Json::array();
  std::set<std::tuple<uint64_t, uint64_t, std::string>> named_;
  uint64_t last_id_ = 0;
};

}  // namespace

std::string ChromeTrace(absl::Span<const TraceSpan> spans) {
  int64_t origin_ns = INT64_MAX;
  for (const TraceSpan& span : spans) {
    origin_ns = std::min(origin_ns, span.begin_ns);
    if (span.kind == SpanKind::kExecution) {
      origin_ns = std::min(origin_ns, span.submitted_ns);
    }
  }
  Writer writer(origin_ns, spans);
  for (const TraceSpan& span : spans) writer.Add(span);
  return writer.Take();
}

}  // namespace acceld::tools

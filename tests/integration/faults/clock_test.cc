// The machine's clock jumps by days while the daemon works; nothing of it looks at that clock.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "common/check.h"
#include "tests/integration/faults/fault_fixture.h"
#include "tests/integration/raw_client.h"

namespace acceld::testing {
namespace {

using client::Array;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int64_t kDayNs = int64_t{86'400} * 1'000'000'000;

class FaultClockTest : public FaultTest {
 protected:
  void SetUp() override {
    const std::string path = folder_.path() + "/clock";
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ACCELD_CHECK(file >= 0 && ftruncate(file, sizeof(int64_t)) == 0);
    shift_ns_ = static_cast<std::atomic<int64_t>*>(
        mmap(nullptr, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    close(file);
    // For the daemon that is started next.
    const char* library = getenv("ACCELD_SHIFTED_CLOCK");
    ACCELD_CHECK(library != nullptr);
    setenv("ACCELD_TEST_CLOCK", path.c_str(), 1);
    setenv("LD_PRELOAD", library, 1);
    StartAndCount();
    unsetenv("LD_PRELOAD");
  }
  void TearDown() override {
    FaultTest::TearDown();
    munmap(shift_ns_, sizeof(int64_t));
  }
  void Jump(int64_t days) { shift_ns_->store(days * kDayNs); }

  static double Seconds(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  }

  std::atomic<int64_t>* shift_ns_ = nullptr;
};

TEST_F(FaultClockTest, TheDaemonSeesTheJump) {
  Jump(400);
  // Its log has dates.
  const std::shared_ptr<client::Client> client = Connect();
  const time_t then = time(nullptr) + 400 * 86'400;
  tm date;
  localtime_r(&then, &date);
  char text[32];
  strftime(text, sizeof(text), "%Y-%m", &date);
  EXPECT_TRUE(Eventually([&] { return daemon_->Log().find(text) != std::string::npos; })) << text;
}

TEST_F(FaultClockTest, LeasesLastAsLongAsGranted) {
  RawClient raw(address());
  for (int64_t days : {1, -1, 2, 0}) {
    RawStream stream(raw);
    v1::Command hello = Hello();
    hello.mutable_hello()->set_lease_ms(1000);
    stream.Send({hello, Put(1)});
    EXPECT_TRUE(stream.Next().has_welcome());
    const Clock::time_point start = Clock::now();
    Jump(days);
    std::this_thread::sleep_for(milliseconds(300));
    EXPECT_EQ(Admin().GetStats()->sessions, 1u) << days;
    const v1::Event last = stream.Next();
    ASSERT_TRUE(last.has_goodbye()) << last.ShortDebugString();
    EXPECT_EQ(last.goodbye().code(), static_cast<uint32_t>(absl::StatusCode::kDeadlineExceeded));
    EXPECT_GE(Seconds(Clock::now() - start), 0.9) << days;
    EXPECT_LT(Seconds(Clock::now() - start), 20) << days;
  }
  ExpectNothingLeft();
}

TEST_F(FaultClockTest, TimeoutsTakeTheirTime) {
  const std::shared_ptr<client::Client> client = Connect();
  const client::Program count = Parse(kCountText);
  const Array endless = *client->Upload(Int64(kEndless));
  for (int64_t days : {1, -1, 2, 0}) {
    const Clock::time_point start = Clock::now();
    const Array result =
        client->Execute(count, {endless}, 0, {.timeout = milliseconds(400)})->front();
    // Where it waits for the device, and then where it is sure to be running.
    const auto ready = result.Ready();
    Jump(days);
    const absl::Status status = ready.Await().status();
    EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
    EXPECT_GE(Seconds(Clock::now() - start), 0.4) << days;
    EXPECT_LT(Seconds(Clock::now() - start), 20) << days;
  }
}

TEST_F(FaultClockTest, TracesGoForward) {
  for (int64_t days : {1, -1, 2, 0}) {
    Jump(days);
    ExpectServes();
  }
  const auto trace = Admin().GetTrace();
  ASSERT_TRUE(trace.ok()) << trace.status();
  size_t executions = 0;
  int64_t last_ns = 0;
  for (const client::TraceSpan& span : *trace) {
    EXPECT_LE(span.begin_ns, span.end_ns);
    EXPECT_LT(span.end_ns - span.begin_ns, kDayNs / 24);
    EXPECT_LE(last_ns, span.begin_ns);
    last_ns = span.begin_ns;
    if (span.kind != SpanKind::kExecution) continue;
    ++executions;
    EXPECT_LE(span.submitted_ns, span.begin_ns);
  }
  EXPECT_GE(executions, 400u);
  EXPECT_LT(Admin().GetStats()->uptime_s, 3600);
  const auto sessions = Admin().ListSessions();
  ASSERT_TRUE(sessions.ok());
  for (const client::CacheEntryInfo& entry : *Admin().ListCache()) {
    EXPECT_GE(entry.age_s, 0) << entry.program_name;
  }
}

TEST_F(FaultClockTest, MixedWorkGoesOn) {
  std::atomic<bool> stop{false};
  std::thread jumps([&] {
    for (int64_t i = 0; !stop; ++i) {
      Jump(i % 7 - 3);
      std::this_thread::sleep_for(milliseconds(20));
    }
  });
  std::vector<std::thread> clients;
  for (uint32_t i = 0; i < 3; ++i) {
    clients.emplace_back([this, i] {
      DoMixedWork(*client::Client::Connect({.address = address(),
                                            .lease = milliseconds(i == 0 ? 0 : 5000),
                                            .local_transport = i == 2}),
                  i, 60);
    });
  }
  for (std::thread& client : clients) client.join();
  stop = true;
  jumps.join();
  ExpectNothingLeft();
}

TEST_F(FaultClockTest, ItStopsInTime) {
  const std::shared_ptr<client::Client> client = Connect();
  Jump(-3);
  const Clock::time_point start = Clock::now();
  EXPECT_EQ(Stop(), 0);
  EXPECT_LT(Seconds(Clock::now() - start), 30);
}

}  // namespace
}  // namespace acceld::testing

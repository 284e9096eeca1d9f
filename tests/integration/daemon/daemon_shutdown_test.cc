// SIGTERM: the daemon finishes or cancels what runs, and ends well.

#include <signal.h>

#include <filesystem>

#include "client/tracing.h"
#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;

class DaemonShutdownTest : public DaemonTest {
 protected:
  static Array Count(Client& client, int64_t steps) {
    return client.Execute(Parse(kCountText), {*client.Upload(Int64(steps))})->front();
  }
  // The array's program is compiled and has the device.
  bool Runs() {
    return Eventually([this] { return Stats().compiles == 1; }) && IsQueued(1);
  }
};

TEST_F(DaemonShutdownTest, WorkInFlightIsFinishedAndAnswered) {
  ASSERT_NO_FATAL_FAILURE(Start({"--shutdown-grace", "120"}));
  const std::shared_ptr<Client> client = Connect();
  std::vector<Future<client::ExecutionInfo>> answers;
  // About a second of work in all.
  for (int i = 0; i < 20; ++i)
    answers.push_back(Count(*client, CountFor(std::chrono::milliseconds(50))).Ready());
  ASSERT_TRUE(answers[0].Await().ok());
  EXPECT_EQ(Stop(), 0);
  for (const auto& answer : answers) EXPECT_TRUE(answer.Await().ok()) << answer.Await().status();
  EXPECT_EQ(client->Upload(Int64(1)).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/acceld.sock"));
}

TEST_F(DaemonShutdownTest, AnswersThatComeAllAtOnceAreStillSent) {
  ASSERT_NO_FATAL_FAILURE(Start({"--shutdown-grace", "120"}));
  const std::shared_ptr<Client> client = Connect();
  const Array first = Count(*client, CountFor(std::chrono::milliseconds(500)));
  ASSERT_TRUE(Runs());
  // Half a second of work, and then thousands of short executions that wait for it.
  client::Function increment(client, [](const client::Tensor& x) { return x + 1; });
  std::vector<Future<client::ExecutionInfo>> answers;
  for (int i = 0; i < 5'000; ++i) answers.push_back(increment(first)->Ready());
  // What is sent after them has arrived, so they have.
  ASSERT_TRUE(client->Upload(Int64(1))->Await().ok());
  EXPECT_EQ(Stop(), 0);
  size_t lost = 0;
  for (const auto& answer : answers) lost += answer.Await().ok() ? 0 : 1;
  EXPECT_EQ(lost, 0u);
}

TEST_F(DaemonShutdownTest, AnEndlessLoopIsCancelledAfterTheGrace) {
  ASSERT_NO_FATAL_FAILURE(Start({"--shutdown-grace", "0.2"}));
  const std::shared_ptr<Client> client = Connect();
  const Array endless = Count(*client, kEndless);
  const auto ready = endless.Ready();
  ASSERT_TRUE(Runs());
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Stop(), 0);
  // Far more than it needs, and far less than the loop does.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  EXPECT_FALSE(ready.Await().ok());
}

TEST_F(DaemonShutdownTest, AnUploadThatNeverEndsDoesNotHoldItUp) {
  ASSERT_NO_FATAL_FAILURE(Start({"--shutdown-grace", "0.2"}));
  Process stalled = StartClient("stall");
  ASSERT_TRUE(Eventually([&] {
    const auto session = FindSession("stall");
    return session && session->queued >= 100;
  }));
  EXPECT_EQ(Stop(), 0);
  EXPECT_EQ(stalled.Wait(), 1) << ClientsLog();
}

TEST_F(DaemonShutdownTest, ASecondSignalEndsItAtOnce) {
  ASSERT_NO_FATAL_FAILURE(Start({"--shutdown-grace", "86400"}));
  const std::shared_ptr<Client> client = Connect();
  const Array endless = Count(*client, kEndless);
  ASSERT_TRUE(Runs());
  daemon_->process.Signal(SIGTERM);
  ASSERT_TRUE(Eventually([&] { return daemon_->Log().find("got SIGTERM") != std::string::npos; }));
  daemon_->process.Signal(SIGTERM);
  EXPECT_EQ(daemon_->process.Wait(), 1);
}

TEST_F(DaemonShutdownTest, ItsSocketIsTakenByNobodyElseMeanwhile) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const CommandResult second =
      RunCommand({BinDir() + "/acceld", "--listen", address(), "--no-disk-cache"});
  EXPECT_EQ(second.exit_code, 3);
  EXPECT_NE(second.output.find(address()), std::string::npos) << second.output;
  EXPECT_TRUE(Admin().GetStats().ok());
}

}  // namespace
}  // namespace acceld::testing

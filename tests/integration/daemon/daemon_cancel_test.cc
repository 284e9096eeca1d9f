// Cancellation and deadlines on the real daemon, from the library, a bare call and the shell.

#include <signal.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/integration/raw_client.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

class DaemonCancelTest : public DaemonTest {
 protected:
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(Start()); }

  static Array Count(Client& client, const Array& steps, client::ExecuteOptions options = {}) {
    return client.Execute(Parse(kCountText), {steps}, 0, options)->front();
  }
  static Array Count(Client& client, int64_t steps, client::ExecuteOptions options = {}) {
    return Count(client, *client.Upload(Int64(steps)), options);
  }
  // Nothing is queued or runs, and the device is free for others.
  void ExpectIdleAndServing() {
    EXPECT_TRUE(IsQueued(0));
    RunOnce(Parse(kIncrementText), Floats(std::vector<float>(16, 1)),
            Floats(std::vector<float>(16, 2)));
  }
  std::string WriteCount() const {
    const std::string path = folder_.path() + "/count.mlir";
    std::ofstream(path) << kCountText;
    return path;
  }
};

TEST_F(DaemonCancelTest, AnEndlessLoopIsStoppedAndWhatDependsOnItFails) {
  const std::shared_ptr<Client> client = Connect();
  const Array endless = Count(*client, kEndless);
  const Array dependent = Count(*client, endless);
  ASSERT_TRUE(IsQueued(2));
  const auto fetched = endless.FetchAsync();
  ASSERT_TRUE(endless.Cancel("that will do").ok());
  const absl::Status status = fetched.Await().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("that will do"));
  EXPECT_EQ(dependent.Await(), status);
  ExpectIdleAndServing();
  EXPECT_TRUE(*Count(*client, 5).Fetch() == Int64(5));
}

TEST_F(DaemonCancelTest, WhatNobodyHoldsMakesWayForWhatComesNext) {
  const std::shared_ptr<Client> client = Connect();
  Array running = Count(*client, kEndless);
  Array queued = Count(*client, running);
  ASSERT_TRUE(IsQueued(2));
  (void)running.IsReady();
  (void)queued.AwaitUntil(std::chrono::steady_clock::now() + milliseconds(10));
  running = Array();  // The other one is still to be computed from it.
  EXPECT_FALSE(queued.IsReady());
  queued = Array();
  EXPECT_TRUE(*Count(*client, 5).Fetch() == Int64(5));
  ExpectIdleAndServing();
}

TEST_F(DaemonCancelTest, AFetchHoldsAnArrayUnlessItIsAWeakOne) {
  const std::shared_ptr<Client> client = Connect();
  Array array = Count(*client, CountFor(milliseconds(100)));
  const auto value = array.FetchAsync();
  array = Array();
  EXPECT_TRUE(value.Await().ok()) << value.Await().status();
  array = Count(*client, kEndless);
  std::string bytes(sizeof(int64_t), '\0');
  const client::WeakArray weak(array);
  const auto ready = weak.Ready();
  const Event fetched = weak.FetchIntoAsync(absl::MakeSpan(bytes.data(), bytes.size()));
  array = Array();
  EXPECT_TRUE(absl::IsCancelled(fetched.Await().status())) << fetched.Await().status();
  EXPECT_TRUE(ready.Await().ok()) << ready.Await().status();
  ExpectIdleAndServing();
}

TEST_F(DaemonCancelTest, WorkOfAHigherPriorityDoesNotWaitForThatBeforeIt) {
  const std::shared_ptr<Client> client = Connect();
  const std::vector<Array> batch = {
      Count(*client, kEndless, {.priority = client::Priority::kBatch}),
      Count(*client, kEndless, {.priority = client::Priority::kBatch})};
  EXPECT_TRUE(*Count(*client, 5, {.priority = client::Priority::kInteractive}).Fetch() == Int64(5));
  EXPECT_TRUE(*Count(*client, 6).Fetch() == Int64(6));
  EXPECT_FALSE(batch[0].IsReady());
  EXPECT_FALSE(batch[1].IsReady());
}

TEST_F(DaemonCancelTest, QueuedWorkNeverRuns) {
  const std::shared_ptr<Client> client = Connect();
  const Array running = Count(*client, kEndless);
  // What needs the result of the first has no other way to end while that runs.
  const std::vector<Array> queued = {Count(*client, running), Count(*client, running)};
  ASSERT_TRUE(IsQueued(3));
  ASSERT_TRUE(client->Cancel(queued).ok());
  EXPECT_EQ(queued[0].Await().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(queued[1].Await().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(IsQueued(1));
  ASSERT_TRUE(running.Cancel().ok());
  EXPECT_EQ(running.Await().code(), absl::StatusCode::kCancelled);
  ExpectIdleAndServing();
}

TEST_F(DaemonCancelTest, AnUploadGivesItsBytesBackAndFailsOrSucceeds) {
  const std::shared_ptr<Client> client = Connect();
  const ir::Literal value = Floats(std::vector<float>(4 << 20, 1));
  for (int i = 0; i < 10; ++i) {
    Promise<Unit> promise;  // Set twice, it would end the process.
    const Event released = promise.future();
    const Array array =
        *client->UploadShared(value.type(), value.bytes(), [&] { promise.Set(Unit{}); });
    EXPECT_TRUE(array.Cancel().ok());
    const absl::Status status = array.Await();
    EXPECT_TRUE(status.ok() || absl::IsCancelled(status)) << status;
    EXPECT_TRUE(released.Await().ok());
  }
  EXPECT_TRUE(client->status().ok());
  ExpectIdleAndServing();
}

TEST_F(DaemonCancelTest, ATimeoutEndsWhatRunsAndWhatWaits) {
  const std::shared_ptr<Client> client = Connect();
  const client::ExecuteOptions soon{.timeout = milliseconds(30)};
  const Array running = Count(*client, kEndless, soon);
  const absl::Status status = running.Await();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_EQ(Count(*client, running).Await(), status);
  const Array forever = Count(*client, kEndless);
  EXPECT_EQ(Count(*client, forever, soon).Await().code(), absl::StatusCode::kDeadlineExceeded);
  ASSERT_TRUE(forever.Cancel().ok());
  EXPECT_EQ(Count(*client, 5, {.timeout = milliseconds(0)}).Await().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(*Count(*client, 5, {.timeout = std::chrono::hours(1)}).Fetch() == Int64(5));
  ExpectIdleAndServing();
}

TEST_F(DaemonCancelTest, CancellationsAndResultsMayRace) {
  const std::shared_ptr<Client> client = Connect();
  const Array x = *client->Upload(Int64(100));
  for (int i = 0; i < 500; ++i) {
    const Array y = Count(*client, x, {.timeout = milliseconds(i % 3 == 0 ? 1 : 10'000)});
    const Array z = Count(*client, y);
    if (i % 2 == 0) {
      EXPECT_TRUE(y.Cancel().ok());
    }
    const absl::StatusOr<ir::Literal> value = z.Fetch();
    if (value.ok()) {
      EXPECT_TRUE(*value == Int64(100));
    } else {
      EXPECT_TRUE(absl::IsCancelled(value.status()) || absl::IsDeadlineExceeded(value.status()))
          << value.status();
    }
  }
  ExpectIdleAndServing();
}

TEST_F(DaemonCancelTest, ARunIsStoppedByTheDeadlineOfItsCall) {
  RawClient raw(address());
  v1::RunRequest request;
  request.mutable_program()->set_text(kCountText);
  v1::Literal& argument = *request.add_arguments();
  argument.mutable_type()->set_dtype("i64");
  argument.set_data(std::string(8, '\xff'));  // kEndless
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + milliseconds(300));
  v1::RunReply reply;
  EXPECT_EQ(raw.stub().Run(&context, request, &reply).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(Eventually([this] { return Sessions().empty(); }));
  ExpectIdleAndServing();
}

TEST_F(DaemonCancelTest, AccelctlRunTakesATimeout) {
  const CommandResult run =
      Accelctl({"run", WriteCount(), "--arg", "i64[]=-1", "--timeout", "0.05"});
  EXPECT_EQ(run.exit_code, 1) << run.output;
  EXPECT_THAT(run.output, HasSubstr("not done by its deadline"));
  ExpectIdleAndServing();
}

TEST_F(DaemonCancelTest, AnInterruptedAccelctlLeavesNothing) {
  const std::string log = folder_.path() + "/accelctl.log";
  for (const int signal : {SIGINT, SIGTERM}) {
    absl::StatusOr<Process> run = Process::Start(
        {BinDir() + "/accelctl", "--address", address(), "run", WriteCount(), "--arg", "i64[]=-1"},
        log);
    ASSERT_TRUE(run.ok()) << run.status();
    ASSERT_TRUE(IsQueued(1)) << ReadText(log);
    run->Signal(signal);
    EXPECT_EQ(run->Wait(), 128 + signal);
    EXPECT_THAT(ReadText(log), HasSubstr("accelctl: interrupted"));
    ExpectIdleAndServing();
  }
}

}  // namespace
}  // namespace acceld::testing

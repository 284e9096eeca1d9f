#include <gmock/gmock.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/threads/mutex.h"
#include "server/runtime/device_executor.h"
#include "tests/support/eventually.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"

// Executions that ask their client in the middle of a run.
namespace acceld::runtime {
namespace {

using ::acceld::testing::Eventually;
using ::acceld::testing::F32;
using ::acceld::testing::FakeDevice;
using ::acceld::testing::LoadedKernel;
using std::chrono::milliseconds;

constexpr milliseconds kSlice(2);

// A client whose answers the test gives.
class FakeHost final : public HostCallSender {
 public:
  struct Asked {
    uint64_t id = 0;
    float operand = 0;
    Answer answer;
  };

  absl::StatusOr<std::shared_ptr<char>> Allocate(int64_t size_bytes) override {
    return std::shared_ptr<char>(new char[static_cast<size_t>(size_bytes)],
                                 std::default_delete<char[]>());
  }
  absl::StatusOr<uint64_t> Ask(const kernels::HostCall&, std::vector<SharedBytes> operands,
                               Answer answer) override {
    const MutexLock lock(mutex_);
    if (!refusal.ok()) return refusal;
    Asked& asked = asked_.emplace_back();
    asked.id = ++last_id_;
    std::memcpy(&asked.operand, operands[0].view.data(), sizeof(asked.operand));
    asked.answer = std::move(answer);
    return asked.id;
  }
  void Withdraw(uint64_t) override { ++withdrawn; }
  void OnEnd(const absl::Status& status) override {
    const MutexLock lock(mutex_);
    ends_.push_back(status);
  }

  // Blocks until a run asks.
  Asked Next() {
    EXPECT_TRUE(Eventually([&] {
      const MutexLock lock(mutex_);
      return !asked_.empty();
    }));
    const MutexLock lock(mutex_);
    if (asked_.empty()) return {};
    Asked asked = std::move(asked_.front());
    asked_.erase(asked_.begin());
    return asked;
  }
  size_t asked() {
    const MutexLock lock(mutex_);
    return asked_.size();
  }
  std::vector<absl::Status> ends() {
    const MutexLock lock(mutex_);
    return ends_;
  }
  static void Give(const Asked& asked, float value) {
    const auto bytes =
        std::make_shared<const std::string>(reinterpret_cast<const char*>(&value), sizeof(value));
    std::vector<hal::HostValue> values;
    values.push_back({.bytes = {*bytes, bytes, {}}});
    asked.answer(std::move(values));
  }

  absl::Status refusal;
  std::atomic<int> withdrawn{0};

 private:
  Mutex mutex_;
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<Asked> asked_ ABSL_GUARDED_BY(mutex_);
  std::vector<absl::Status> ends_ ABSL_GUARDED_BY(mutex_);
};

// One call: an f32 for an f32.
absl::Status Ask(const kernels::cpu::LaunchContext& context, float operand, float& result) {
  const kernels::HostCall call{0, {F32({1})}, {F32({1})}};
  const void* const operands[] = {&operand};
  void* const results[] = {&result};
  return context.host->Call(call, operands, results);
}

// Asks `times` times, each time with what was said before, and gives the last answer.
std::shared_ptr<const hal::LoadedExecutable> AskingKernel(int times = 1) {
  return LoadedKernel(0, 1, [times](const kernels::cpu::LaunchContext& context) -> absl::Status {
    float value = 1;
    for (int i = 0; i < times; ++i) ACCELD_RETURN_IF_ERROR(Ask(context, value, value));
    *static_cast<float*>(context.results[0]) = value;
    return absl::OkStatus();
  });
}

std::pair<std::shared_ptr<Task>, ArrayPtr> RunAsking(
    Client& client, const std::shared_ptr<FakeHost>& host,
    std::shared_ptr<const hal::LoadedExecutable> kernel = AskingKernel()) {
  auto prepared = client.Prepare("asking", std::move(kernel), {});
  std::get<Execution>(prepared.first->work()).host = host;
  client.Submit(prepared.first);
  return prepared;
}

// On a device where runs take turns, and on one where they overlap.
class HostCallsTest : public ::testing::TestWithParam<bool> {
 protected:
  HostCallsTest() { device_.side_by_side = GetParam() ? 32 : 1; }

  FakeDevice device_;
  const std::shared_ptr<FakeHost> host_ = std::make_shared<FakeHost>();
};
INSTANTIATE_TEST_SUITE_P(Devices, HostCallsTest, ::testing::Bool(), [](const auto& overlaps) {
  return overlaps.param ? "Overlapping" : "TakingTurns";
});

TEST_P(HostCallsTest, ARunGoesOnWithTheAnswer) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client client({&executor});
  const ArrayPtr result = RunAsking(client, host_, AskingKernel(3)).second;
  for (float expected = 1; expected < 8; expected *= 2) {
    const FakeHost::Asked asked = host_->Next();
    EXPECT_EQ(asked.operand, expected);
    EXPECT_EQ(result->state(), Array::State::kPending);
    FakeHost::Give(asked, 2 * expected);
  }
  EXPECT_EQ(FirstValue(executor, result), 8);
  executor.WaitUntilIdle(kForever);
  ASSERT_EQ(host_->ends().size(), 1u);
  EXPECT_TRUE(host_->ends()[0].ok());
}

TEST_P(HostCallsTest, AParkedRunLetsOthersThroughAlsoOfItsOwnSession) {
  DeviceExecutor executor(device_, 0, {.slice = kOneSlice});
  Client asking({&executor}), other({&executor});
  const ArrayPtr result = RunAsking(asking, host_).second;
  const FakeHost::Asked asked = host_->Next();
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
    EXPECT_TRUE(Final(asking.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
  }
  EXPECT_TRUE(Eventually([&] { return executor.RunningNow().size() == 1; }));
  EXPECT_EQ(executor.RunningNow()[0].state, DeviceExecutor::Running::State::kAwaitsHost);
  FakeHost::Give(asked, 5);
  EXPECT_EQ(FirstValue(executor, result), 5);
}

// What is submitted before the run asks is not behind it.
TEST_P(HostCallsTest, NothingWaitsBehindARunThatMayAsk) {
  DeviceExecutor executor(device_, 0, {.slice = kOneSlice});
  Client client({&executor});
  Door door;
  const auto kernel = LoadedKernel(0, 1, [door](const kernels::cpu::LaunchContext& context) {
    door.Pass();
    return Ask(context, 1, *static_cast<float*>(context.results[0]));
  });
  const ArrayPtr result = RunAsking(client, host_, kernel).second;
  door.AwaitArrival();
  const ArrayPtr independent = client.Run("f", LoadedKernel(0, 1, Nothing), {});
  const ArrayPtr dependent = client.Run("g", LoadedKernel(1, 1, AddOne), {result});
  door.Open();
  const FakeHost::Asked asked = host_->Next();
  EXPECT_TRUE(Final(independent).ok());
  EXPECT_EQ(dependent->state(), Array::State::kPending);
  FakeHost::Give(asked, 7);
  EXPECT_EQ(FirstValue(executor, dependent), 8);
}

TEST_P(HostCallsTest, WaitingIsNotChargedAndTakesNoTimeOnTheDevice) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client client({&executor});
  auto [task, result] = client.Prepare("asking", AskingKernel(), {});
  auto execute_us = std::make_shared<std::atomic<double>>(-1);
  std::get<Execution>(task->work()).host = host_;
  std::get<Execution>(task->work()).execute_us = execute_us;
  task->max_run = milliseconds(100);
  task->max_run_error = absl::ResourceExhaustedError("too long");
  client.Submit(task);
  const FakeHost::Asked asked = host_->Next();
  std::this_thread::sleep_for(milliseconds(300));
  FakeHost::Give(asked, 1);
  EXPECT_EQ(FirstValue(executor, result), 1);
  EXPECT_GE(execute_us->load(), 0);
  EXPECT_LT(execute_us->load(), 100'000);
}

TEST_P(HostCallsTest, WaitingDoesNotMakeTheDeviceBusy) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client client({&executor});
  for (const bool answers : {true, false}) {
    const auto [task, result] = RunAsking(client, host_);
    const FakeHost::Asked asked = host_->Next();
    const std::chrono::nanoseconds before = executor.counters().busy;
    std::this_thread::sleep_for(milliseconds(200));
    EXPECT_EQ(executor.counters().busy, before);
    if (answers) {
      FakeHost::Give(asked, 1);
    } else {
      executor.Cancel(task, absl::CancelledError("no longer wanted"));
    }
    EXPECT_EQ(Final(result).ok(), answers);
    executor.WaitUntilIdle(kForever);
    EXPECT_LT(executor.counters().busy - before, milliseconds(200));
  }
}

TEST_P(HostCallsTest, CancellingEndsAParkedRunAndFreesItsMemory) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client client({&executor});
  const int64_t before = device_.memory().used_bytes;
  auto [task, result] = RunAsking(client, host_);
  const FakeHost::Asked asked = host_->Next();
  executor.Cancel(task, absl::DeadlineExceededError("too late"));
  EXPECT_EQ(Final(result).code(), absl::StatusCode::kDeadlineExceeded);
  executor.WaitUntilIdle(kForever);
  EXPECT_EQ(host_->withdrawn, 1);
  ASSERT_EQ(host_->ends().size(), 1u);
  EXPECT_EQ(host_->ends()[0].code(), absl::StatusCode::kDeadlineExceeded);
  FakeHost::Give(asked, 1);  // Too late, and of no effect.
  task.reset();
  EXPECT_TRUE(Eventually([&] { return device_.memory().used_bytes == before; }));
  EXPECT_EQ(client.account().bytes(), 0);
  EXPECT_TRUE(Final(client.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
}

TEST_P(HostCallsTest, AnErrorOfTheHostEndsThatRunWithItsCode) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client client({&executor});
  for (const absl::Status& error : {absl::OutOfRangeError("no more rows"),
                                    absl::CancelledError("the callback was cancelled")}) {
    const ArrayPtr result = RunAsking(client, host_).second;
    host_->Next().answer(error);
    EXPECT_EQ(Final(result).code(), error.code());
    EXPECT_THAT(std::string(Final(result).message()),
                ::testing::HasSubstr(std::string(error.message())));
  }
  host_->refusal = absl::ResourceExhaustedError("no more calls");
  EXPECT_EQ(Final(RunAsking(client, host_).second).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(Final(client.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
}

TEST_P(HostCallsTest, ClosingASessionEndsItsParkedRuns) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client closed({&executor}), other({&executor});
  std::vector<ArrayPtr> results;
  for (int i = 0; i < 3; ++i) results.push_back(RunAsking(closed, host_).second);
  EXPECT_TRUE(Eventually([&] { return host_->asked() == 3; }));
  closed.Cancel();
  for (const ArrayPtr& result : results) {
    EXPECT_EQ(Final(result).code(), absl::StatusCode::kCancelled);
  }
  executor.WaitUntilIdle(kForever);
  EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
}

// An answer that comes while others have the device waits for its turn, which comes.
TEST_P(HostCallsTest, AnAnsweredRunTakesTurnsWithOthers) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client asking({&executor}), greedy({&executor});
  std::atomic<bool> stop{false};
  const auto hog = LoadedKernel(0, 1, [&stop](const kernels::cpu::LaunchContext& context) {
    while (!stop.load()) {
      if (IsInterrupted(context) && !context.interrupt_handler->WaitWhilePaused()) {
        return absl::CancelledError("stopped");
      }
    }
    return absl::OkStatus();
  });
  const ArrayPtr endless = greedy.Run("hog", hog, {});
  const ArrayPtr result = RunAsking(asking, host_, AskingKernel(5)).second;
  for (int i = 0; i < 5; ++i) FakeHost::Give(host_->Next(), static_cast<float>(i));
  EXPECT_EQ(FirstValue(executor, result), 4);
  EXPECT_NE(endless->state(), Array::State::kDefined);
  stop = true;
  EXPECT_TRUE(Final(endless).ok());
}

// Both runs of one session compute between their calls; neither is forgotten.
TEST_P(HostCallsTest, RunsOfOneSessionGoOnInAnyOrderOfAnswers) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client client({&executor});
  std::vector<ArrayPtr> results;
  for (int i = 0; i < 6; ++i) results.push_back(RunAsking(client, host_, AskingKernel(3)).second);
  for (int round = 0; round < 3; ++round) {
    std::vector<FakeHost::Asked> calls;
    for (int i = 0; i < 6; ++i) calls.push_back(host_->Next());
    for (size_t i = calls.size(); i-- > 0;) FakeHost::Give(calls[i], 2 * calls[i].operand);
  }
  for (const ArrayPtr& result : results) EXPECT_EQ(FirstValue(executor, result), 8);
  executor.WaitUntilIdle(kForever);
}

// Runs that hang do not pile up, and do not keep out others.
TEST_P(HostCallsTest, ParkedRunsOfOneUserAreBounded) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client hanging({&executor}), other({&executor});
  std::vector<ArrayPtr> results;
  for (int i = 0; i < 30; ++i) results.push_back(RunAsking(hanging, host_).second);
  EXPECT_TRUE(Eventually([&] { return host_->asked() >= 16; }));
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_LE(host_->asked(), 17u);
  const auto others_host = std::make_shared<FakeHost>();
  const ArrayPtr result = RunAsking(other, others_host).second;
  FakeHost::Give(others_host->Next(), 3);
  EXPECT_EQ(FirstValue(executor, result), 3);
  EXPECT_TRUE(Final(hanging.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
  // One more begins from time to time, in case that those before wait for it.
  EXPECT_TRUE(Eventually([&] { return host_->asked() > 17; }));
  // All of them do in the end.
  for (int i = 0; i < 30; ++i) FakeHost::Give(host_->Next(), 1);
  for (const ArrayPtr& one : results) EXPECT_TRUE(Final(one).ok());
}

// Those that turn out not to ask are as quick as others.
TEST_P(HostCallsTest, RunsThatWereKeptFromParkingAndNeverAskFollowEachOther) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client client({&executor});
  std::vector<ArrayPtr> results;
  for (int i = 0; i < 16; ++i) results.push_back(RunAsking(client, host_).second);
  EXPECT_TRUE(Eventually([&] { return host_->asked() == 16; }));
  const auto silent = LoadedKernel(0, 1, Nothing);
  for (int i = 0; i < 100; ++i) results.push_back(RunAsking(client, host_, silent).second);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 16; ++i) FakeHost::Give(host_->Next(), 1);
  for (const ArrayPtr& one : results) EXPECT_TRUE(Final(one).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_P(HostCallsTest, QueuedRunsThatWereKeptFromParkingCanBeCancelled) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client hanging({&executor});
  std::vector<ArrayPtr> results;
  for (int i = 0; i < 30; ++i) results.push_back(RunAsking(hanging, host_).second);
  EXPECT_TRUE(Eventually([&] { return host_->asked() >= 16; }));
  hanging.Cancel();
  for (const ArrayPtr& one : results) EXPECT_EQ(Final(one).code(), absl::StatusCode::kCancelled);
  executor.WaitUntilIdle(kForever);
}

}  // namespace
}  // namespace acceld::runtime

#include "server/runtime/schedule/scheduler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/runtime/fake_device.h"

// The scheduler decides without a device, threads or a lock: time passes here as the tests say, by
// the estimates of executables, except where the scheduler itself reads the clock.
namespace acceld::runtime {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using TimePoint = Scheduler::TimePoint;

// So long that the time which a test takes does not matter.
constexpr std::chrono::seconds kWindow{200};

class FakeStream final : public ComputeStream {
 public:
  FakeStream() : ComputeStream(64, kWindow) {}
  bool SetLowPriority(bool) override { return true; }
  bool Is(const hal::Stream*) const override { return false; }
};

class FakeEvents final : public Scheduler::Events {
 public:
  void OnPaused(ComputeStream& stream) override { paused.push_back(&stream); }
  TimePoint MemoryLeaseBindsUntil() override { return lease_binds_until; }

  std::vector<ComputeStream*> paused;
  TimePoint lease_binds_until = TimePoint::min();
};

class SchedulerTest : public ::testing::Test {
 protected:
  static Scheduler::Options DefaultOptions() {
    return {.max_in_flight = 64,
            .upload_bytes = 1 << 20,
            .slice = milliseconds(20),
            .min_slice = milliseconds(1),
            .pause_grace = milliseconds(10),
            .max_suspended = 4,
            .stall_timeout = milliseconds(10'000),
            .concurrent_runs = 1,
            .num_bypass_streams = 1};
  }
  std::shared_ptr<TaskQueue> OpenQueue(Priority priority = Priority::kNormal) {
    queues_.push_back(
        std::make_shared<TaskQueue>(std::make_shared<MemoryAccount>(INT64_MAX), priority, nullptr));
    return queues_.back();
  }
  // Ends all tasks, as those that are left and their queues would keep each other.
  void TearDown() override {
    for (const std::shared_ptr<TaskQueue>& queue : queues_) {
      for (const auto& task : scheduler_.Close(*queue, absl::CancelledError("the test is over"))) {
        (void)scheduler_.Retire(*task);
      }
    }
    // The tasks of one stream end in the order in which they were taken.
    for (const auto& stream : scheduler_.streams().all()) {
      while (!stream->tasks.empty()) {
        End(stream->tasks.front()->shared_from_this(), std::chrono::nanoseconds(0));
      }
    }
    EXPECT_EQ(scheduler_.num_queued(), 0);
  }
  // Adds an execution that is expected to take so long; zero: unknown.
  std::shared_ptr<Task> Add(const std::shared_ptr<TaskQueue>& queue,
                            std::chrono::nanoseconds estimate) {
    auto kernel = testing::LoadedKernel(0, 1, [](const auto&) { return absl::OkStatus(); });
    if (estimate.count() > 0) kernel->cost.Record(estimate.count());
    Execution execution;
    execution.program_name = std::make_shared<const std::string>("program");
    execution.executable = std::move(kernel);
    std::shared_ptr<Task> task = Task::Create(std::move(execution));
    scheduler_.Admit(queue, *task);
    scheduler_.AddRunnable(task);
    return task;
  }
  // Ends a task that was taken, after it has had the device for so long.
  void End(const std::shared_ptr<Task>& task, std::chrono::nanoseconds took) {
    scheduler_.NoteEnded(*task, std::chrono::steady_clock::now(), took);
    (void)scheduler_.Retire(*task);
  }

  FakeEvents events_;
  std::vector<std::shared_ptr<TaskQueue>> queues_;
  Scheduler scheduler_{DefaultOptions(), events_, std::make_unique<FakeStream>()};
};

TEST_F(SchedulerTest, QueuesAlternateThoughOneHasManyMoreTasks) {
  const auto flooding = OpenQueue(), modest = OpenQueue();
  std::vector<std::shared_ptr<Task>> of_flooding, of_modest;
  for (int i = 0; i < 20; ++i) of_flooding.push_back(Add(flooding, hours(1)));
  for (int i = 0; i < 3; ++i) of_modest.push_back(Add(modest, hours(1)));
  int taken = 0;
  for (int left = 3; left > 0; ++taken) {
    const std::shared_ptr<Task> task = scheduler_.Take();
    ASSERT_NE(task, nullptr);
    if (task == of_modest[static_cast<size_t>(3 - left)]) --left;
    End(task, milliseconds(1));
  }
  EXPECT_LE(taken, 7);
}

TEST_F(SchedulerTest, TheDeviceIsGivenWorkForTheWindowAndNotMore) {
  const auto queue = OpenQueue();
  for (int i = 0; i < 20; ++i) Add(queue, kWindow * 3 / 20);
  int taken = 0;
  while (scheduler_.Take() != nullptr) ++taken;
  EXPECT_EQ(taken, 7);
  EXPECT_EQ(scheduler_.num_in_flight(), 7);
}

TEST_F(SchedulerTest, NothingFollowsWorkOfUnknownDuration) {
  const auto queue = OpenQueue();
  const std::shared_ptr<Task> first = Add(queue, milliseconds(0)), second = Add(queue, hours(1));
  EXPECT_EQ(scheduler_.Take(), first);
  EXPECT_EQ(scheduler_.Take(), nullptr);
  End(first, microseconds(10));
  EXPECT_EQ(scheduler_.Take(), second);
}

TEST_F(SchedulerTest, ATaskThatIsPutBackIsTheNextOfItsQueue) {
  const auto queue = OpenQueue();
  const std::shared_ptr<Task> first = Add(queue, hours(1));
  Add(queue, hours(1));
  ASSERT_EQ(scheduler_.Take(), first);
  scheduler_.PutBack(first, Scheduler::PutBackReason::kTryAgain, true);
  EXPECT_EQ(scheduler_.num_in_flight(), 0);
  EXPECT_EQ(scheduler_.Take(), first);
}

TEST_F(SchedulerTest, AQueueThatAwaitsACompletionIsHeldUntilThereIsOne) {
  const auto waiting = OpenQueue(), running = OpenQueue();
  const std::shared_ptr<Task> run = Add(running, hours(1));
  ASSERT_EQ(scheduler_.Take(), run);
  End(run, milliseconds(1));
  const std::shared_ptr<Task> task = Add(waiting, hours(1));
  ASSERT_EQ(scheduler_.Take(), task);
  scheduler_.PutBack(task, Scheduler::PutBackReason::kAwaitsCompletion, true);
  EXPECT_EQ(scheduler_.Take(), nullptr);
  scheduler_.ReleaseHeld();
  EXPECT_EQ(scheduler_.Take(), task);
}

TEST_F(SchedulerTest, AQueueThatAwaitsAMemoryLeaseIsHeldAsLongAsTheLeaseBinds) {
  const auto queue = OpenQueue();
  const std::shared_ptr<Task> task = Add(queue, hours(1));
  ASSERT_EQ(scheduler_.Take(), task);
  events_.lease_binds_until = TimePoint::max();
  scheduler_.PutBack(task, Scheduler::PutBackReason::kAwaitsMemoryLease, true);
  scheduler_.ReleaseHeld();
  EXPECT_EQ(scheduler_.Take(), nullptr);
  events_.lease_binds_until = TimePoint::min();
  scheduler_.ReleaseHeld();
  EXPECT_EQ(scheduler_.Take(), task);
}

TEST_F(SchedulerTest, ATaskThatWasNotTakenCanBeRemoved) {
  const auto queue = OpenQueue();
  const std::shared_ptr<Task> first = Add(queue, hours(1)), second = Add(queue, hours(1));
  EXPECT_TRUE(scheduler_.RemoveQueued(first));
  EXPECT_FALSE(scheduler_.RemoveQueued(first));
  EXPECT_EQ(scheduler_.Take(), second);
  EXPECT_FALSE(scheduler_.RemoveQueued(second));
  End(second, milliseconds(1));
  EXPECT_TRUE(scheduler_.Retire(*first));
  EXPECT_EQ(queue->queued(), 0);
}

TEST_F(SchedulerTest, AClosedQueueGivesItsTasksBackAndRefusesNewOnes) {
  const auto queue = OpenQueue();
  const std::shared_ptr<Task> taken = Add(queue, hours(1)), queued = Add(queue, hours(1));
  ASSERT_EQ(scheduler_.Take(), taken);
  const std::list<std::shared_ptr<Task>> removed =
      scheduler_.Close(*queue, absl::CancelledError("the session is closed"));
  EXPECT_EQ(removed, std::list<std::shared_ptr<Task>>{queued});
  EXPECT_EQ(Scheduler::TakenOf(*queue), std::vector<std::shared_ptr<Task>>{taken});
  EXPECT_EQ(Scheduler::ClosedFor(*taken).code(), absl::StatusCode::kCancelled);
  (void)scheduler_.Retire(*queued);
}

TEST_F(SchedulerTest, TheDispatchThreadIsWantedOnlyWhileItWaitsAndThereIsWork) {
  const auto queue = OpenQueue();
  EXPECT_EQ(scheduler_.BeginWait(), TimePoint::max());
  EXPECT_FALSE(scheduler_.WantsDispatchThread());
  Add(queue, hours(1));
  EXPECT_TRUE(scheduler_.WantsDispatchThread());
  scheduler_.EndWait();
  EXPECT_FALSE(scheduler_.WantsDispatchThread());
}

TEST_F(SchedulerTest, RunningNowNamesWhatHasBegun) {
  const auto queue = OpenQueue();
  const std::shared_ptr<Task> task = Add(queue, hours(1));
  EXPECT_TRUE(scheduler_.RunningNow().empty());
  ASSERT_EQ(scheduler_.Take(), task);
  const std::vector<Scheduler::Running> running = scheduler_.RunningNow();
  ASSERT_EQ(running.size(), 1u);
  EXPECT_EQ(running[0].program, "program");
  EXPECT_EQ(running[0].state, Scheduler::Running::State::kRuns);
}

}  // namespace
}  // namespace acceld::runtime

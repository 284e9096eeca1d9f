#include <gmock/gmock.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

#include "absl/types/optional.h"
#include "server/runtime/device_executor.h"
#include "tests/support/eventually.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"

// Executions that share a device in time.
namespace acceld::runtime {
namespace {

using ::acceld::testing::Eventually;
using ::acceld::testing::FakeDevice;
using ::acceld::testing::LoadedKernel;
using ::acceld::testing::SteadyKernel;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Whatever takes longer is taken for hanging.
constexpr milliseconds kSlice(2);

// A kernel that computes until it is told to stop, and polls as generated code does.
struct Hog {
  std::atomic<bool> stop{false};
  std::atomic<int64_t> turns{0};
  std::shared_ptr<const hal::LoadedExecutable> kernel = Kernel(0);

  std::shared_ptr<const hal::LoadedExecutable> Kernel(int arguments, int64_t arena_bytes = 0) {
    return LoadedKernel(
        arguments, 1,
        [this](const kernels::cpu::LaunchContext& context) -> absl::Status {
          while (!stop.load()) {
            if (IsInterrupted(context) && !context.interrupt_handler->WaitWhilePaused()) {
              return absl::CancelledError("stopped");
            }
            turns.fetch_add(1);
          }
          return absl::OkStatus();
        },
        arena_bytes);
  }
  bool Turns() {
    const int64_t before = turns.load();
    return Eventually([&] { return turns.load() > before; });
  }
};

// How many threads this process has.
ptrdiff_t Threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

// On a device where runs take turns, and on one where they overlap.
class SharedDeviceTest : public ::testing::TestWithParam<bool> {
 protected:
  SharedDeviceTest() { device_.side_by_side = GetParam() ? 32 : 1; }

  FakeDevice device_;
};
INSTANTIATE_TEST_SUITE_P(Devices, SharedDeviceTest, ::testing::Bool(), [](const auto& overlaps) {
  return overlaps.param ? "Overlapping" : "TakingTurns";
});

TEST_P(SharedDeviceTest, AnEndlessExecutionGivesWayToOthersAndGoesOn) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client greedy({&executor}), other({&executor});
  Hog hog;
  const ArrayPtr endless = greedy.Run("hog", hog.kernel, {});
  EXPECT_TRUE(hog.Turns());
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
  }
  EXPECT_EQ(endless->state(), Array::State::kScheduled);
  EXPECT_TRUE(hog.Turns());
  hog.stop = true;
  EXPECT_TRUE(Final(endless).ok());
  executor.WaitUntilIdle(kForever);
  EXPECT_GE(executor.counters().suspensions, 1u);
}

// The thread that submits one that its client waits for dispatches it while the device rests.
TEST_P(SharedDeviceTest, AnEndlessExecutionThatItsClientWaitsForGivesWayAsWell) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client greedy({&executor}), other({&executor});
  for (int i = 0; i < 5; ++i) {
    Hog hog;
    executor.WaitUntilIdle(kForever);
    const auto [task, endless] = greedy.Prepare("hog", hog.kernel, {});
    std::get<Execution>(task->work()).awaited = true;
    greedy.Submit(task);
    EXPECT_TRUE(hog.Turns());
    const ArrayPtr y = other.Run("f", LoadedKernel(0, 1, Nothing), {});
    EXPECT_TRUE(Eventually([&] { return y->state() == Array::State::kDefined; }));
    EXPECT_EQ(endless->state(), Array::State::kScheduled);
    hog.stop = true;
    EXPECT_TRUE(Final(endless).ok());
    executor.WaitUntilIdle(kForever);
  }
}

// The shorter what waits, the shorter it waits: here a slice would outlast the test.
TEST(TimeSlicesTest, WhatIsShortDoesNotWaitForAWholeSlice) {
  for (const bool polls : {true, false}) {
    SCOPED_TRACE(polls ? "beside one that polls" : "beside a library");
    FakeDevice device;
    DeviceExecutor executor(device, 0,
                            {.very_short_run = std::chrono::microseconds(0),
                             .awaited_run = std::chrono::microseconds(0),
                             .slice = std::chrono::hours(1),
                             .pause_grace = std::chrono::hours(1)});
    Client greedy({&executor}), other({&executor});
    const auto quick = SteadyKernel(0, 1, std::chrono::microseconds(50), Nothing);
    EXPECT_TRUE(Final(other.Run("quick", quick, {})).ok());
    executor.WaitUntilIdle(kForever);
    Hog hog;
    Gate library;
    const ArrayPtr endless = greedy.Run("hog", polls ? hog.kernel : library.kernel, {});
    if (polls) {
      EXPECT_TRUE(hog.Turns());
    } else {
      library.door.AwaitArrival();
    }
    for (int i = 0; i < 5; ++i) {
      const ArrayPtr y = other.Run("quick", quick, {});
      EXPECT_TRUE(Eventually([&] { return y->state() == Array::State::kDefined; }));
    }
    EXPECT_EQ(endless->state(), Array::State::kScheduled);
    hog.stop = true;
    library.door.Open();
    EXPECT_TRUE(Final(endless).ok());
    executor.WaitUntilIdle(kForever);
  }
}

TEST(TimeSlicesTest, NobodyGivesWayWhileNobodyWaits) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kSlice});
  Client client({&executor});
  Hog hog;
  const ArrayPtr endless = client.Run("hog", hog.kernel, {});
  // Its own session's later work does not go before it either.
  const ArrayPtr later = client.Run("f", LoadedKernel(1, 1, AddOne), {endless});
  EXPECT_TRUE(hog.Turns());
  std::this_thread::sleep_for(10 * kSlice);
  EXPECT_EQ(later->state(), Array::State::kPending);
  hog.stop = true;
  EXPECT_TRUE(Final(later).ok());
  executor.WaitUntilIdle(kForever);
  EXPECT_EQ(executor.counters().suspensions, 0u);
}

TEST_P(SharedDeviceTest, EndlessExecutionsTakeTurns) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Hog hogs[3];
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<ArrayPtr> outputs;
  for (Hog& hog : hogs) {
    clients.push_back(std::make_unique<Client>(std::vector<DeviceExecutor*>{&executor}));
    outputs.push_back(clients.back()->Run("hog", hog.kernel, {}));
  }
  Client other({&executor});
  for (int i = 0; i < 3; ++i) {
    for (Hog& hog : hogs) EXPECT_TRUE(hog.Turns());
    EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
  }
  for (Hog& hog : hogs) hog.stop = true;
  for (const ArrayPtr& output : outputs) EXPECT_TRUE(Final(output).ok());
  executor.WaitUntilIdle(kForever);
}

TEST(TimeSlicesTest, OneInsideALibraryDoesNotHoldUpOthers) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kSlice, .pause_grace = milliseconds(1)});
  Client greedy({&executor}), other({&executor});
  Gate library;
  const ArrayPtr y = greedy.Run("product", library.kernel, {});
  library.door.AwaitArrival();
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
  }
  EXPECT_EQ(y->state(), Array::State::kScheduled);
  // Nor does it when it was cancelled and cannot hear of it.
  greedy.Cancel();
  EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
  std::vector<DeviceExecutor::Running> running;
  ASSERT_TRUE(Eventually([&] { return (running = executor.RunningNow()).size() == 1; }));
  EXPECT_EQ(running[0].program, "product");
  EXPECT_EQ(running[0].state, DeviceExecutor::Running::State::kEnding);
  library.door.Open();
  executor.WaitUntilIdle(kForever);
  EXPECT_TRUE(executor.RunningNow().empty());
}

// The calling thread, and those that it starts, may not raise priorities, as users may not.
class AsAUser {
 public:
  AsAUser() {
    syscall(SYS_capget, &header_, before_);
    __user_cap_data_struct now[2] = {before_[0], before_[1]};
    now[0].effective &= ~(1u << CAP_SYS_NICE);
    syscall(SYS_capset, &header_, now);
  }
  ~AsAUser() { syscall(SYS_capset, &header_, before_); }
  AsAUser(const AsAUser&) = delete;
  AsAUser& operator=(const AsAUser&) = delete;

 private:
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2] = {};
};

TEST(TimeSlicesTest, WhatDoesNotPauseLeavesTheProcessorsToOthers) {
  for (const bool is_user : {false, true}) {
    SCOPED_TRACE(is_user ? "as a user" : "as whoever runs the test");
    absl::optional<AsAUser> user;
    if (is_user) user.emplace();
    FakeDevice device;
    DeviceExecutor executor(device, 0, {.slice = kSlice, .pause_grace = milliseconds(1)});
    Client greedy({&executor}), other({&executor});
    const int usual = getpriority(PRIO_PROCESS, 0);
    for (int i = 0; i < 3; ++i) {
      Door library;
      std::atomic<pid_t> library_thread{0};
      const auto kernel = LoadedKernel(0, 1, [&](const kernels::cpu::LaunchContext&) {
        EXPECT_EQ(getpriority(PRIO_PROCESS, 0), usual);
        library_thread = gettid();
        library.Pass();
        return absl::OkStatus();
      });
      const auto quick = LoadedKernel(0, 1, [&](const kernels::cpu::LaunchContext&) {
        EXPECT_EQ(getpriority(PRIO_PROCESS, 0), usual);
        EXPECT_GT(getpriority(PRIO_PROCESS, static_cast<id_t>(library_thread.load())), usual);
        return absl::OkStatus();
      });
      const ArrayPtr y = greedy.Run("product", kernel, {});
      library.AwaitArrival();
      for (int j = 0; j < 5; ++j) EXPECT_TRUE(Final(other.Run("f", quick, {})).ok());
      library.Open();
      EXPECT_TRUE(Final(y).ok());
    }
    executor.WaitUntilIdle(kForever);
  }
}

TEST(TimeSlicesTest, WhatRunsBesideOthersIsSetAsideOnce) {
  FakeDevice device;
  device.side_by_side = 32;
  DeviceExecutor executor(device, 0, {.slice = kSlice});
  Client greedy({&executor}), other({&executor});
  Gate kernel;
  const ArrayPtr y = greedy.Run("product", kernel.kernel, {});
  kernel.door.AwaitArrival();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
    executor.WaitUntilIdle(std::chrono::steady_clock::now() + kSlice);
  }
  EXPECT_EQ(executor.counters().suspensions, 1u);
  // What follows it in its session waits for it, and for nothing else.
  const ArrayPtr after = greedy.Run("f", LoadedKernel(1, 1, AddOne), {y});
  EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
  EXPECT_EQ(after->state(), Array::State::kPending);
  kernel.door.Open();
  EXPECT_TRUE(Final(after).ok());
  executor.WaitUntilIdle(kForever);
}

TEST(TimeSlicesTest, StreamsThatNobodyUsesEnd) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kSlice});
  const ptrdiff_t before = Threads();
  Hog hogs[5];
  {
    std::vector<std::unique_ptr<Client>> clients;
    for (Hog& hog : hogs) {
      clients.push_back(std::make_unique<Client>(std::vector<DeviceExecutor*>{&executor}));
      clients.back()->Run("hog", hog.kernel, {});
    }
    for (Hog& hog : hogs) EXPECT_TRUE(hog.Turns());
    EXPECT_GT(Threads(), before);
    for (Hog& hog : hogs) hog.stop = true;
    executor.WaitUntilIdle(kForever);
  }
  executor.ReleaseUnusedStreams();  // They were in use until now,
  executor.ReleaseUnusedStreams();  // and are not since.
  EXPECT_EQ(Threads(), before);
  Client client({&executor});
  EXPECT_TRUE(Final(client.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
  executor.WaitUntilIdle(kForever);
}

TEST(TimeSlicesTest, ASuspendedExecutionEndsWhenItIsCancelled) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kSlice});
  Client first({&executor}), second({&executor});
  Hog one, two;
  const auto [task, y] = first.Start("one", one.kernel, {});
  const ArrayPtr behind = first.Run("f", LoadedKernel(0, 1, Nothing), {});
  EXPECT_TRUE(one.Turns());
  const ArrayPtr z = second.Run("two", two.kernel, {});
  EXPECT_TRUE(two.Turns());
  executor.Cancel(task, absl::AbortedError("enough"));
  EXPECT_EQ(Final(y).code(), absl::StatusCode::kAborted);
  // What its session has asked for since has its turns, too.
  EXPECT_TRUE(Final(behind).ok());
  two.stop = true;
  EXPECT_TRUE(Final(z).ok());
  executor.WaitUntilIdle(kForever);
}

TEST(TimeSlicesTest, SessionsThatAreClosedLeaveNothingSuspended) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kSlice});
  Hog hogs[4];
  std::vector<std::unique_ptr<Client>> clients;
  for (Hog& hog : hogs) {
    clients.push_back(std::make_unique<Client>(std::vector<DeviceExecutor*>{&executor}));
    clients.back()->Run("hog", hog.kernel, {});
  }
  for (Hog& hog : hogs) EXPECT_TRUE(hog.Turns());
  for (const auto& client : clients) client->Cancel();
  clients.clear();
  executor.WaitUntilIdle(kForever);
  EXPECT_TRUE(executor.RunningNow().empty());
  EXPECT_EQ(device.memory().used_bytes, 0);
}

TEST(TimeSlicesTest, OnlyShortWorkBeginsWhileAsManyAreSuspendedAsMayBe) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kSlice, .max_suspended = 4});
  // One user may have a quarter of them: one, besides the one that runs.
  const auto share = std::make_shared<DeviceShare>("ann");
  Hog hogs[3];
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<Client>(std::vector<DeviceExecutor*>{&executor}, INT64_MAX,
                                               Priority::kNormal, share));
  }
  std::vector<ArrayPtr> outputs;
  for (int i = 0; i < 2; ++i) {
    outputs.push_back(clients[i]->Run("hog", hogs[i].kernel, {}));
    EXPECT_TRUE(hogs[i].Turns());
  }
  outputs.push_back(clients[2]->Run("hog", hogs[2].kernel, {}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(
        Final(clients[3]->Run("f", SteadyKernel(0, 1, nanoseconds(100), Nothing), {})).ok());
    for (int j = 0; j < 2; ++j) EXPECT_TRUE(hogs[j].Turns());
  }
  EXPECT_EQ(hogs[2].turns.load(), 0);
  // Another user's begin.
  Client other({&executor});
  EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
  hogs[0].stop = true;
  EXPECT_TRUE(hogs[2].Turns());
  for (Hog& hog : hogs) hog.stop = true;
  for (const ArrayPtr& output : outputs) EXPECT_TRUE(Final(output).ok());
  executor.WaitUntilIdle(kForever);
}

TEST(TimeSlicesTest, WhatDependsOnASuspendedExecutionOfAnotherSessionWaitsForItAlone) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kSlice});
  Client maker({&executor}), reader({&executor}), other({&executor});
  Hog hog;
  const ArrayPtr shared = maker.Run("hog", hog.kernel, {});
  EXPECT_TRUE(hog.Turns());
  const ArrayPtr derived = reader.Run("g", LoadedKernel(1, 1, AddOne), {shared});
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(Final(reader.Run("h", LoadedKernel(0, 1, Nothing), {})).ok());
    EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
  }
  EXPECT_EQ(derived->state(), Array::State::kPending);
  EXPECT_TRUE(hog.Turns());
  hog.stop = true;
  EXPECT_TRUE(Final(derived).ok());
  executor.WaitUntilIdle(kForever);
}

TEST(TimeSlicesTest, WhatDependsOnAnEndlessExecutionElsewhereHoldsUpNobodyHere) {
  FakeDevice devices[2];
  DeviceExecutor first(devices[0], 0, {.slice = kSlice}),
      second(devices[1], 1, {.slice = kOneSlice});
  Client greedy({&first, &second}), other({&first, &second});
  Hog hog;
  const ArrayPtr endless = greedy.Run("hog", hog.kernel, {}, 0);
  EXPECT_TRUE(hog.Turns());
  const ArrayPtr derived = greedy.Run("f", LoadedKernel(1, 1, AddOne), {endless}, 1);
  EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {}, 1)).ok());
  EXPECT_TRUE(Final(other.Upload(std::vector<float>(100'000), 1)).ok());
  hog.stop = true;
  EXPECT_TRUE(Final(derived).ok());
  first.WaitUntilIdle(kForever);
  second.WaitUntilIdle(kForever);
}

TEST(TimeSlicesTest, AnExecutionThatIsSetAsideMayNotTakeLongerEither) {
  FakeDevice device;
  device.side_by_side = 32;
  DeviceExecutor executor(device, 0, {.slice = kSlice});
  Client client({&executor}), other({&executor});
  Gate kernel;
  auto [task, y] = client.Prepare("product", kernel.kernel, {});
  task->max_run = milliseconds(200);
  task->max_run_error = absl::ResourceExhaustedError("it took too long");
  client.Submit(task);
  kernel.door.AwaitArrival();
  EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
  EXPECT_EQ(Final(y).message(), "it took too long");
  kernel.door.Open();
  executor.WaitUntilIdle(kForever);
}

TEST(TimeSlicesTest, WhatLeavesOthersNothingOfADeviceWhereNothingPausesIsEnded) {
  FakeDevice device;
  device.side_by_side = 32;
  DeviceExecutor executor(device, 0,
                          {.very_short_run = std::chrono::microseconds(0),
                           .awaited_run = std::chrono::microseconds(0),
                           .slice = kSlice,
                           .stall_timeout = milliseconds(100)});
  Client greedy({&executor}), other({&executor});
  // As a kernel with threads for the whole device does.
  std::atomic<bool> is_full{false};
  const auto quick = SteadyKernel(0, 1, std::chrono::microseconds(50), [&](const auto&) {
    while (is_full.load()) std::this_thread::sleep_for(milliseconds(1));
    return absl::OkStatus();
  });
  const auto full = LoadedKernel(0, 1, [&](const kernels::cpu::LaunchContext& context) {
    is_full = true;
    // It is never asked whether it could pause.
    const auto& control = static_cast<const hal::RunControl&>(*context.interrupt_handler);
    while (!control.cancelled().load()) std::this_thread::sleep_for(milliseconds(1));
    is_full = false;
    return absl::CancelledError("stopped");
  });
  EXPECT_TRUE(Final(other.Run("quick", quick, {})).ok());
  const ArrayPtr y = greedy.Run("full", full, {});
  EXPECT_TRUE(Eventually([&] { return is_full.load(); }));
  EXPECT_TRUE(Final(other.Run("quick", quick, {})).ok());
  EXPECT_EQ(Final(y).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(y->error().message()), ::testing::HasSubstr("stall-timeout"));
  executor.WaitUntilIdle(kForever);
}

TEST_P(SharedDeviceTest, AnExecutionThatTakesLongerThanItMayFails) {
  DeviceExecutor executor(device_, 0, {.slice = kSlice});
  Client client({&executor}), other({&executor});
  Hog limited, unlimited;
  const ArrayPtr endless = other.Run("endless", unlimited.kernel, {});
  auto [task, y] = client.Prepare("hog", limited.kernel, {});
  task->max_run = 3 * kSlice;
  task->max_run_error = absl::ResourceExhaustedError("it took too long");
  client.Submit(task);
  EXPECT_EQ(Final(y).message(), "it took too long");
  EXPECT_TRUE(unlimited.Turns());
  EXPECT_EQ(endless->state(), Array::State::kScheduled);
  // Also when it is alone.
  unlimited.stop = true;
  EXPECT_TRUE(Final(endless).ok());
  auto [again, z] = client.Prepare("hog", limited.kernel, {});
  again->max_run = 3 * kSlice;
  again->max_run_error = absl::ResourceExhaustedError("it took too long");
  client.Submit(again);
  EXPECT_EQ(Final(z).message(), "it took too long");
  executor.WaitUntilIdle(kForever);
}

TEST(TimeSlicesTest, WhoWaitsForMemoryThatASuspendedExecutionHasHoldsUpNobody) {
  FakeDevice device(1 << 20);
  DeviceExecutor executor(device, 0, {.slice = kSlice});
  Client greedy({&executor}), large({&executor}), other({&executor});
  Hog hog;
  const ArrayPtr endless = greedy.Run("hog", hog.Kernel(0, /*arena_bytes=*/800 << 10), {});
  EXPECT_TRUE(hog.Turns());
  const ArrayPtr waiting = large.Run("large", LoadedKernel(0, 1, Nothing, 400 << 10), {});
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(Final(other.Run("f", LoadedKernel(0, 1, Nothing), {})).ok());
    EXPECT_TRUE(hog.Turns());
  }
  EXPECT_EQ(waiting->state(), Array::State::kPending);
  hog.stop = true;
  EXPECT_TRUE(Final(endless).ok());
  EXPECT_TRUE(Final(waiting).ok());
  executor.WaitUntilIdle(kForever);
}

TEST(TimeSlicesTest, WhoGetsNoMemoryInTimeFails) {
  FakeDevice device(1 << 20);
  DeviceExecutor executor(device, 0, {.memory_wait = milliseconds(50), .slice = kSlice});
  Client greedy({&executor}), large({&executor});
  Hog hog;
  const ArrayPtr endless = greedy.Run("hog", hog.Kernel(0, /*arena_bytes=*/800 << 10), {});
  EXPECT_TRUE(hog.Turns());
  EXPECT_EQ(Final(large.Run("large", LoadedKernel(0, 1, Nothing, 400 << 10), {})).code(),
            absl::StatusCode::kResourceExhausted);
  hog.stop = true;
  EXPECT_TRUE(Final(endless).ok());
  executor.WaitUntilIdle(kForever);
}

// On a busy machine one may get nearly all of the time, so this is tried several times. If pauses
// were counted, each would always have had all of it.
TEST(TimeSlicesTest, PausesAreNotCountedAsTimeOnTheDevice) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kSlice});
  Client first({&executor}), second({&executor});
  EXPECT_TRUE(Eventually([&] {
    Hog one, two;
    const ArrayPtr y = first.Run("one", one.kernel, {});
    EXPECT_TRUE(one.Turns());
    const auto begin = std::chrono::steady_clock::now();
    const ArrayPtr z = second.Run("two", two.kernel, {});
    EXPECT_TRUE(two.Turns());
    std::this_thread::sleep_for(20 * kSlice);
    one.stop = two.stop = true;
    EXPECT_TRUE(Final(y).ok());
    EXPECT_TRUE(Final(z).ok());
    const nanoseconds elapsed = std::chrono::steady_clock::now() - begin;
    executor.WaitUntilIdle(kForever);
    return nanoseconds(two.kernel->cost.ns()) < elapsed * 4 / 5;
  }));
}

}  // namespace
}  // namespace acceld::runtime

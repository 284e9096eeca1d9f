#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "server/runtime/device_executor.h"
#include "server/runtime/memory/host_memory.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"

// Arrays that give way to others when a device is short of memory.
namespace acceld::runtime {
namespace {

using ::acceld::testing::FakeDevice;
using ::acceld::testing::LoadedKernel;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kElements = 4096;
constexpr int64_t kBytes = kElements * sizeof(float);

std::vector<float> Counting(float first) {
  std::vector<float> values(kElements);
  std::iota(values.begin(), values.end(), first);
  return values;
}

absl::Status AddOneToAll(const kernels::cpu::LaunchContext& context) {
  const auto* in = static_cast<const float*>(context.arguments[0]);
  auto* out = static_cast<float*>(context.results[0]);
  for (int64_t i = 0; i < kElements; ++i) out[i] = in[i] + 1;
  return absl::OkStatus();
}

// A device with room for `arrays` arrays of kBytes, and a host with room for `host_arrays`.
struct SmallDevice {
  explicit SmallDevice(int arrays, int host_arrays = 100)
      : host(std::make_shared<HostMemory>(host_arrays * kBytes)),
        device(arrays * kBytes),
        executor(device, 0,
                 {.memory = {.host = host,
                             .unload_executables =
                                 [this](int64_t bytes) { return unload ? unload(bytes) : 0; }},
                  .slice = kOneSlice}),
        client({&executor}) {}
  ~SmallDevice() { executor.WaitUntilIdle(kForever); }

  std::vector<float> Read(const ArrayPtr& array) {
    EXPECT_TRUE(Final(array).ok()) << array->error();
    Promise<std::vector<float>> promise;
    Future<std::vector<float>> read = promise.future();
    auto shared = std::make_shared<Promise<std::vector<float>>>(std::move(promise));
    executor.Download(array, [shared](absl::StatusOr<SharedBytes> bytes) {
      std::vector<float> values(bytes->view.size() / sizeof(float));
      std::memcpy(values.data(), bytes->view.data(), bytes->view.size());
      shared->Set(std::move(values));
    });
    return *read.Await();
  }
  ArrayPtr Uploaded(float first) {
    ArrayPtr array = client.Upload(Counting(first));
    EXPECT_TRUE(Final(array).ok()) << array->error();
    return array;
  }
  static bool IsSpilled(const ArrayPtr& array) { return array->view().buffer == nullptr; }

  std::function<int64_t(int64_t)> unload;
  std::shared_ptr<HostMemory> host;
  FakeDevice device;
  DeviceExecutor executor;
  Client client;
};

TEST(SpillTest, IdleArraysAreSpilledAndComeBackBitExact) {
  SmallDevice small(4);
  std::vector<ArrayPtr> arrays;
  for (int i = 0; i < 12; ++i) arrays.push_back(small.Uploaded(static_cast<float>(i)));
  EXPECT_EQ(small.executor.memory_stats().spills, 8u);
  EXPECT_EQ(small.host->used_bytes(), 8 * kBytes);
  EXPECT_EQ(small.client.account().bytes(), 4 * kBytes);
  const auto kernel = LoadedKernel(1, kElements, AddOneToAll);
  for (int i = 0; i < 12; ++i) {
    const ArrayPtr y = small.client.Run("f", kernel, {arrays[i]});
    EXPECT_EQ(small.Read(y), Counting(static_cast<float>(i + 1)));
    EXPECT_EQ(small.Read(arrays[i]), Counting(static_cast<float>(i)));
  }
  EXPECT_GE(small.executor.memory_stats().restores, 8u);
}

TEST(SpillTest, FetchingASpilledArrayReadsTheHostsCopy) {
  SmallDevice small(1);
  const ArrayPtr first = small.Uploaded(1);
  const ArrayPtr second = small.Uploaded(2);
  ASSERT_TRUE(SmallDevice::IsSpilled(first));
  EXPECT_EQ(small.Read(first), Counting(1));
  EXPECT_TRUE(SmallDevice::IsSpilled(first));
  EXPECT_EQ(small.executor.memory_stats().restores, 0u);
}

TEST(SpillTest, TheLeastRecentlyUsedArrayGoesFirst) {
  SmallDevice small(3);
  const ArrayPtr a = small.Uploaded(1), b = small.Uploaded(2), c = small.Uploaded(3);
  (void)small.Read(a);
  const ArrayPtr d = small.Uploaded(4);
  EXPECT_TRUE(SmallDevice::IsSpilled(b));
  EXPECT_FALSE(SmallDevice::IsSpilled(a));
  EXPECT_FALSE(SmallDevice::IsSpilled(c));
}

TEST(SpillTest, AnArrayThatARunningTaskReadsIsNotSpilled) {
  Door door;
  Promise<Unit> promise;
  const Event started = promise.future();
  SmallDevice small(3);
  const ArrayPtr used = small.Uploaded(1), idle = small.Uploaded(2);
  const auto kernel = LoadedKernel(1, kElements, [&](const auto& context) {
    promise.Set(Unit{});
    door.Pass();
    return AddOneToAll(context);
  });
  const ArrayPtr y = small.client.Run("f", kernel, {used});
  (void)started.Await();
  (void)small.Read(idle);  // Used later than the other.
  const ArrayPtr more = small.Uploaded(3);
  EXPECT_TRUE(SmallDevice::IsSpilled(idle));
  EXPECT_FALSE(SmallDevice::IsSpilled(used));
  door.Open();
  EXPECT_EQ(small.Read(y), Counting(2));
}

TEST(SpillTest, InputsOfQueuedTasksGiveWayLast) {
  SmallDevice small(3);
  const ArrayPtr wanted = small.Uploaded(1), idle = small.Uploaded(2);
  auto [task, y] = small.client.RunLater("f", {wanted});
  const ArrayPtr a = small.Uploaded(3), b = small.Uploaded(4);
  EXPECT_TRUE(SmallDevice::IsSpilled(idle));
  EXPECT_FALSE(SmallDevice::IsSpilled(wanted));
  auto [other_task, other] = small.client.RunLater("g", {a, b});
  // Everything is wanted now; what was asked for last will be wanted last.
  const ArrayPtr c = small.Uploaded(5);
  EXPECT_FALSE(SmallDevice::IsSpilled(wanted));
  EXPECT_FALSE(SmallDevice::IsSpilled(a));
  EXPECT_TRUE(SmallDevice::IsSpilled(b));
  const absl::Status cancelled = absl::CancelledError("enough");
  small.executor.Provide(task, cancelled);
  small.executor.Provide(other_task, cancelled);
}

TEST(SpillTest, ExecutablesAreUnloadedBeforeArraysAreSpilled) {
  std::atomic<int> calls{0};
  std::shared_ptr<hal::Buffer> executable;
  SmallDevice small(2);
  executable = *small.device.Allocate(kBytes);
  small.unload = [&](int64_t bytes) {
    EXPECT_GT(bytes, 0);
    ++calls;
    if (executable == nullptr) return int64_t{0};
    executable.reset();
    return kBytes;
  };
  const ArrayPtr a = small.Uploaded(1), b = small.Uploaded(2);
  EXPECT_EQ(calls.load(), 1);
  EXPECT_EQ(small.executor.memory_stats().spills, 0u);
  const ArrayPtr c = small.Uploaded(3);
  EXPECT_EQ(calls.load(), 2);
  EXPECT_EQ(small.executor.memory_stats().spills, 1u);
}

TEST(SpillTest, SpillingComesBeforeWaitingForWorkInFlight) {
  Gate gate;
  SmallDevice small(2);
  const ArrayPtr idle = small.Uploaded(1);
  small.client.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  // The gate's result of a few bytes leaves too little for a second array.
  EXPECT_EQ(small.Read(small.Uploaded(2)), Counting(2));
  EXPECT_TRUE(SmallDevice::IsSpilled(idle));
  gate.door.Open();
}

TEST(SpillTest, WhenTheHostIsFullTooTheRefusalNamesBothBudgets) {
  SmallDevice small(2, /*host_arrays=*/1);
  std::vector<ArrayPtr> arrays;
  for (int i = 0; i < 3; ++i) arrays.push_back(small.Uploaded(static_cast<float>(i)));
  const ArrayPtr refused = small.client.Upload(Counting(3));
  const absl::Status error = Final(refused);
  EXPECT_EQ(error.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(error.message(),
            "upload of tensor<4096xf32>: device memory: 16384 bytes do not fit, 32768 of 32768 are "
            "in use on device 0, 32768 of them by arrays; spilled arrays use 16384 of 16384 "
            "bytes of host memory");
  // The others are as they were.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(small.Read(arrays[static_cast<size_t>(i)]), Counting(static_cast<float>(i)));
  }
}

TEST(SpillTest, WhoNeedsMemoryOfArraysWhoseCopiesFailIsRefused) {
  SmallDevice small(2);
  const ArrayPtr a = small.Uploaded(1), b = small.Uploaded(2);
  small.device.before_copy_to_host = [] { return Event(absl::DataLossError("no copy")); };
  EXPECT_EQ(Final(small.client.Upload(Counting(3))).code(), absl::StatusCode::kResourceExhausted);
  // As when there is more to do than to wait for.
  EXPECT_EQ(Final(small.client.Run("f", LoadedKernel(1, kElements, AddOneToAll), {a})).code(),
            absl::StatusCode::kResourceExhausted);
  small.executor.WaitUntilIdle(kForever);
  small.device.before_copy_to_host = nullptr;
  EXPECT_EQ(small.Read(small.Uploaded(3)), Counting(3));
  EXPECT_EQ(small.Read(a), Counting(1));
  EXPECT_EQ(small.Read(b), Counting(2));
}

TEST(SpillTest, CopiesToTheHostDoNotHoldUpTheDispatcher) {
  SmallDevice small(3);
  const ArrayPtr a = small.Uploaded(1), b = small.Uploaded(2);
  Promise<Unit> copies;
  small.device.before_copy_to_host = [event = copies.future()] { return event; };
  const ArrayPtr large = small.client.Upload(std::vector<float>(2 * kElements, 7));
  const ArrayPtr little = small.client.Run("f", LoadedKernel(0, 1, Nothing), {});
  EXPECT_TRUE(Final(little).ok()) << little->error();
  EXPECT_EQ(large->state(), Array::State::kPending);
  copies.Set(Unit{});
  EXPECT_TRUE(Final(large).ok()) << large->error();
}

TEST(SpillTest, WithoutHostMemoryNothingIsSpilled) {
  FakeDevice device(kBytes);
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const ArrayPtr first = client.Upload(Counting(1));
  EXPECT_TRUE(Final(first).ok());
  EXPECT_THAT(std::string(Final(client.Upload(Counting(2))).message()),
              AllOf(HasSubstr("16384 of 16384 are in use on device 0"),
                    HasSubstr("spilled arrays use 0 of 0 bytes")));
  executor.WaitUntilIdle(kForever);
}

TEST(SpillTest, ADestroyedSpilledArrayFreesItsHostMemory) {
  SmallDevice small(1);
  ArrayPtr first = small.Uploaded(1);
  const ArrayPtr second = small.Uploaded(2);
  EXPECT_EQ(small.host->used_bytes(), kBytes);
  first.reset();
  EXPECT_EQ(small.host->used_bytes(), 0);
  EXPECT_EQ(small.client.account().bytes(), kBytes);
}

TEST(SpillTest, AnArrayOfTwoInputsIsRestoredOnce) {
  SmallDevice small(2);
  const ArrayPtr x = small.Uploaded(1);
  std::vector<ArrayPtr> others = {small.Uploaded(2), small.Uploaded(3)};
  ASSERT_TRUE(SmallDevice::IsSpilled(x));
  const auto twice = LoadedKernel(2, kElements, [](const kernels::cpu::LaunchContext& context) {
    const auto* a = static_cast<const float*>(context.arguments[0]);
    const auto* b = static_cast<const float*>(context.arguments[1]);
    for (int64_t i = 0; i < kElements; ++i)
      static_cast<float*>(context.results[0])[i] = a[i] + b[i];
    return absl::OkStatus();
  });
  EXPECT_EQ(small.Read(small.client.Run("twice", twice, {x, x}))[1], 4);
  EXPECT_EQ(small.executor.memory_stats().restores, 1u);
}

TEST(SpillTest, ABriefTaskWithASpilledInputIsDispatchedByTheDispatcher) {
  FakeDevice device(4 << 20);
  auto host = std::make_shared<HostMemory>(8 << 20);
  DeviceExecutor executor(device, 0, {.memory = {.host = host}, .slice = kOneSlice});
  Client client({&executor});
  constexpr int64_t kFew = 1024;
  const ArrayPtr x = client.Upload(std::vector<float>(kFew, 1.0f));
  EXPECT_TRUE(Final(x).ok());
  const ArrayPtr large = client.Upload(std::vector<float>((4 << 20) / sizeof(float)));
  EXPECT_TRUE(Final(large).ok());
  ASSERT_TRUE(SmallDevice::IsSpilled(x));
  executor.WaitUntilIdle(kForever);
  const auto kernel = testing::SteadyKernel(1, kFew, std::chrono::nanoseconds(100), AddOne);
  EXPECT_EQ(FirstValue(executor, client.Run("f", kernel, {x})), 2);
  executor.WaitUntilIdle(kForever);
}

TEST(SpillTest, AnotherDeviceReadsTheHostsCopy) {
  auto host = std::make_shared<HostMemory>(10 * kBytes);
  FakeDevice devices[2] = {FakeDevice(kBytes), FakeDevice(4 * kBytes)};
  DeviceExecutor first(devices[0], 0, {.memory = {.host = host}, .slice = kOneSlice});
  DeviceExecutor second(devices[1], 1, {.memory = {.host = host}, .slice = kOneSlice});
  Client client({&first, &second});
  const ArrayPtr x = client.Upload(Counting(1), 0);
  EXPECT_TRUE(Final(x).ok());
  const ArrayPtr y = client.Upload(Counting(2), 0);
  EXPECT_TRUE(Final(y).ok());
  ASSERT_TRUE(SmallDevice::IsSpilled(x));
  const ArrayPtr z = client.Run("f", LoadedKernel(1, kElements, AddOneToAll), {x}, 1);
  EXPECT_EQ(FirstValue(second, z), 2);
  EXPECT_TRUE(SmallDevice::IsSpilled(x));
  first.WaitUntilIdle(kForever);
  second.WaitUntilIdle(kForever);
}

TEST(SpillTest, WaitingForMemoryOfWorkInFlightIsBounded) {
  FakeDevice device(kBytes);
  DeviceExecutor executor(device, 0,
                          {.memory_wait = std::chrono::milliseconds(20), .slice = kOneSlice});
  Client client({&executor});
  Gate gate;
  client.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  EXPECT_EQ(Final(client.Upload(Counting(1))).code(), absl::StatusCode::kResourceExhausted);
  gate.door.Open();
  executor.WaitUntilIdle(kForever);
}

TEST(SpillTest, ClientsThatOvercommitADeviceThreefoldAllGetRightResults) {
  SmallDevice small(8);
  constexpr int kArrays = 12;
  constexpr int kRounds = 20;
  auto work = [&small](float base) {
    Client client({&small.executor});
    const auto kernel = LoadedKernel(1, kElements, AddOneToAll);
    std::vector<ArrayPtr> arrays;
    for (int i = 0; i < kArrays; ++i) {
      arrays.push_back(client.Upload(Counting(base + static_cast<float>(i))));
    }
    for (int round = 0; round < kRounds; ++round) {
      for (ArrayPtr& array : arrays) array = client.Run("f", kernel, {array});
    }
    for (int i = 0; i < kArrays; ++i) {
      EXPECT_EQ(small.Read(arrays[static_cast<size_t>(i)]),
                Counting(base + static_cast<float>(i + kRounds)));
    }
    arrays.clear();
    small.executor.WaitUntilIdle(kForever);
    EXPECT_EQ(client.account().bytes(), 0);
  };
  std::thread other(work, 100.0f);
  work(0.0f);
  other.join();
  small.executor.WaitUntilIdle(kForever);
  EXPECT_GT(small.executor.memory_stats().spills, 0u);
  EXPECT_EQ(small.executor.counters().failures, 0u);
  EXPECT_EQ(small.host->used_bytes(), 0);
  EXPECT_EQ(small.device.memory().used_bytes, 0);
}

}  // namespace
}  // namespace acceld::runtime

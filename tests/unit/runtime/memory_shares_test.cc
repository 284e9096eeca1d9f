#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/runtime/device_executor.h"
#include "server/runtime/memory/host_memory.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"

// Who has little of a device's memory gets its share of those who have all of it.
namespace acceld::runtime {
namespace {

using ::acceld::testing::FakeDevice;
using ::acceld::testing::LoadedKernel;
using ::testing::HasSubstr;

constexpr int64_t kElements = 4096;
constexpr int64_t kBytes = kElements * sizeof(float);

// Takes memory until it is told to stop, and has `elements` for a result.
std::shared_ptr<const hal::LoadedExecutable> EndlessKernel(int64_t elements,
                                                           int64_t arena_bytes = 0) {
  return LoadedKernel(
      0, elements,
      [](const kernels::cpu::LaunchContext& context) -> absl::Status {
        while (!IsInterrupted(context) || context.interrupt_handler->WaitWhilePaused()) {
        }
        return absl::CancelledError("stopped");
      },
      arena_bytes);
}

// A session of an owner of its own.
struct Owner {
  explicit Owner(DeviceExecutor& executor, bool has_share = true,
                 int64_t host_limit = Meter::kUnlimited)
      : executor(executor),
        host(std::make_shared<Meter>("host", " bytes", host_limit)),
        client({&executor}) {
    client.account().SetOwner(host, has_share);
  }
  absl::Status Upload() {
    arrays.push_back(client.Upload(std::vector<float>(kElements, static_cast<float>(uploaded))));
    const absl::Status status = Final(arrays.back());
    if (!status.ok()) {
      arrays.pop_back();
    } else {
      ++uploaded;
    }
    return status;
  }
  int UploadAll() {
    while (Upload().ok()) {
    }
    return uploaded;
  }
  // What a program of this owner takes of the device when it is loaded.
  absl::StatusOr<std::shared_ptr<hal::Buffer>> Load() {
    std::shared_ptr<hal::Buffer> loaded;
    ACCELD_RETURN_IF_ERROR(executor.WithRoomFor(kBytes, host.get(), [&]() -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(loaded, executor.device().Allocate(kBytes));
      return absl::OkStatus();
    }));
    return loaded;
  }
  int Resident() const {
    int resident = 0;
    for (const ArrayPtr& array : arrays) resident += array->view().buffer != nullptr ? 1 : 0;
    return resident;
  }
  void ExpectAllAsUploaded() {
    for (size_t i = 0; i < arrays.size(); ++i) {
      EXPECT_EQ(FirstValue(executor, arrays[i]), static_cast<float>(i));
    }
  }

  DeviceExecutor& executor;
  const std::shared_ptr<Meter> host;
  Client client;
  std::vector<ArrayPtr> arrays;
  int uploaded = 0;
};

// Room for 8 arrays, of which 2 are a share, and for as many on the host, 2 of them reserved.
class MemorySharesTest : public ::testing::Test {
 protected:
  ~MemorySharesTest() override { executor_.WaitUntilIdle(kForever); }

  const std::shared_ptr<HostMemory> host_ = std::make_shared<HostMemory>(8 * kBytes, 2 * kBytes);
  FakeDevice device_{8 * kBytes};
  DeviceExecutor executor_{device_,
                           0,
                           {.memory = {.host = host_},
                            .memory_wait = std::chrono::milliseconds(50),
                            .slice = kOneSlice}};
};

TEST_F(MemorySharesTest, OneOwnerMayHaveTheDeviceAndAllOfTheHostThatIsNotReserved) {
  Owner greedy(executor_);
  EXPECT_EQ(greedy.UploadAll(), 8 + 6);
  greedy.ExpectAllAsUploaded();
}

TEST_F(MemorySharesTest, AnOwnerWithoutAShareMayHaveAll) {
  Owner admin(executor_, /*has_share=*/false);
  EXPECT_EQ(admin.UploadAll(), 8 + 8);
}

TEST_F(MemorySharesTest, WhoHasLessThanItsShareGetsItOfThoseWhoHaveAll) {
  Owner greedy(executor_), other(executor_);
  (void)greedy.UploadAll();
  EXPECT_EQ(other.UploadAll(), 2);
  EXPECT_FALSE(greedy.Upload().ok());
  greedy.ExpectAllAsUploaded();
  other.ExpectAllAsUploaded();
}

TEST_F(MemorySharesTest, AShareIsTakenOfThoseWithMoreThanTheirs) {
  Owner modest(executor_), greedy(executor_), other(executor_);
  EXPECT_TRUE(modest.Upload().ok());
  EXPECT_TRUE(modest.Upload().ok());
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(greedy.Upload().ok());
  EXPECT_TRUE(other.Upload().ok());
  EXPECT_TRUE(other.Upload().ok());
  EXPECT_EQ(modest.Resident(), 2);  // They are the least recently used.
  EXPECT_EQ(greedy.Resident(), 4);
  // Nor does it for one that has more already.
  EXPECT_TRUE(other.Upload().ok());
  EXPECT_EQ(modest.Resident(), 2);
}

TEST_F(MemorySharesTest, WhatAnArrayHadThatHasFailedCountsForNobody) {
  Owner greedy(executor_), other(executor_);
  const auto [task, cancelled] = other.client.Start("endless", EndlessKernel(7 * kElements), {});
  while (cancelled->state() == Array::State::kPending) std::this_thread::yield();
  executor_.Cancel(task, absl::CancelledError("not wanted"));
  EXPECT_EQ(Final(cancelled).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(greedy.UploadAll(), 8 + 6);
  EXPECT_EQ(other.UploadAll(), 2);
}

TEST_F(MemorySharesTest, TheOwnersQuotaOfHostMemoryDoesNotKeepOthersFromTheirShare) {
  Owner greedy(executor_, /*has_share=*/true, /*host_limit=*/kBytes), other(executor_);
  EXPECT_EQ(greedy.UploadAll(), 8 + 1);
  EXPECT_GE(other.UploadAll(), 2);
  EXPECT_EQ(greedy.host->used(), kBytes);
}

TEST_F(MemorySharesTest, ArraysThatMustStayDoNotHideOthersHoweverManyTheyAre) {
  constexpr int kMany = ResidentArrays::kMaxInspected + 100;
  constexpr int64_t kLittle = ResidentArrays::kMinBytes / sizeof(float);
  FakeDevice device(9 * kMany * ResidentArrays::kMinBytes);
  DeviceExecutor executor(device, 0, {.memory = {.host = host_}, .slice = kOneSlice});
  Owner modest(executor), greedy(executor);
  const auto upload_many = [&] {
    for (int i = 0; i < kMany; ++i) {
      modest.arrays.push_back(modest.client.Upload(std::vector<float>(kLittle, 1)));
    }
    executor.WaitUntilIdle(kForever);
  };
  upload_many();
  EXPECT_TRUE(greedy.Upload().ok());
  upload_many();
  const int64_t rest_bytes = device.memory().limit_bytes - device.memory().used_bytes;
  const ArrayPtr rest =
      greedy.client.Run("f", LoadedKernel(0, rest_bytes / sizeof(float), Nothing), {});
  EXPECT_TRUE(Final(rest).ok()) << rest->error();
  // Its first array alone may go, and fits on the host.
  EXPECT_TRUE(greedy.Upload().ok());
  EXPECT_EQ(greedy.Resident(), 1);
  executor.WaitUntilIdle(kForever);
}

TEST_F(MemorySharesTest, AnExecutionThatHoldsTheShareOfAnotherIsEnded) {
  DeviceExecutor executor(device_, 0,
                          {.slice = kOneSlice, .stall_timeout = std::chrono::milliseconds(50)});
  Owner greedy(executor), other(executor);
  for (const int64_t arena_bytes : {int64_t{0}, 7 * kBytes}) {
    SCOPED_TRACE(arena_bytes);
    const auto kernel = EndlessKernel(arena_bytes == 0 ? 8 * kElements : kElements, arena_bytes);
    const ArrayPtr endless = greedy.client.Run("endless", kernel, {});
    while (device_.memory().used_bytes < 8 * kBytes) std::this_thread::yield();
    EXPECT_TRUE(other.Upload().ok());
    EXPECT_EQ(Final(endless).code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(Final(endless).message()), HasSubstr("more than its share"));
    other.arrays.clear();
  }
  executor.WaitUntilIdle(kForever);
}

TEST_F(MemorySharesTest, WhoWaitsForWhatDoesNotEndIsRefused) {
  Owner greedy(executor_), other(executor_);
  Door door;
  const auto kernel = LoadedKernel(0, 8 * kElements, [door](const auto&) {
    door.Pass();
    return absl::OkStatus();
  });
  const ArrayPtr y = greedy.client.Run("never polls", kernel, {});
  door.AwaitArrival();
  EXPECT_EQ(other.Upload().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(other.Load().status().code(), absl::StatusCode::kResourceExhausted);
  door.Open();
  EXPECT_EQ(Final(y).code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(MemorySharesTest, WhoWaitsForMemoryDoesNotHoldUpTheDispatcher) {
  DeviceExecutor patient(device_, 0, {.memory_wait = std::chrono::hours(1), .slice = kOneSlice});
  Owner greedy(patient), other(patient);
  Door door;
  const auto kernel = LoadedKernel(0, 7 * kElements, [door](const auto&) {
    door.Pass();
    return absl::OkStatus();
  });
  const ArrayPtr y = greedy.client.Run("holds much", kernel, {});
  door.AwaitArrival();
  const ArrayPtr waits = greedy.client.Upload(std::vector<float>(4 * kElements, 1));
  EXPECT_TRUE(other.Upload().ok());
  EXPECT_EQ(waits->state(), Array::State::kPending);
  door.Open();
  EXPECT_TRUE(Final(y).ok());
  patient.WaitUntilIdle(kForever);
}

TEST_F(MemorySharesTest, ALoadGetsTheShareOfItsOwner) {
  Owner greedy(executor_), other(executor_);
  (void)greedy.UploadAll();
  EXPECT_TRUE(other.Load().ok());

  const ArrayPtr endless = greedy.client.Run("endless", EndlessKernel(8 * kElements), {});
  greedy.arrays.clear();
  while (endless->state() == Array::State::kPending) std::this_thread::yield();
  EXPECT_TRUE(other.Load().ok());
  EXPECT_EQ(Final(endless).code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(MemorySharesTest, ALoadOfWhoHasItsShareTakesNothingOfOthersThatTheyPayFor) {
  Owner modest(executor_, /*has_share=*/true, /*host_limit=*/0), other(executor_);
  EXPECT_EQ(modest.UploadAll(), 8);
  EXPECT_TRUE(other.Upload().ok());
  EXPECT_TRUE(other.Upload().ok());
  EXPECT_EQ(modest.Resident(), 6);
  EXPECT_TRUE(other.Load().ok());
  EXPECT_EQ(modest.Resident(), 6);
  EXPECT_EQ(other.Resident(), 1);
}

TEST_F(MemorySharesTest, WhoHasItsShareEndsNobody) {
  Owner greedy(executor_), other(executor_);
  EXPECT_TRUE(other.Upload().ok());
  EXPECT_TRUE(other.Upload().ok());
  Door door;
  const auto kernel = LoadedKernel(0, 6 * kElements, [door](const auto&) {
    door.Pass();
    return absl::OkStatus();
  });
  const ArrayPtr y = greedy.client.Run("f", kernel, {});
  door.AwaitArrival();
  // Its own arrays give way to it.
  EXPECT_TRUE(other.Upload().ok());
  EXPECT_EQ(y->state(), Array::State::kScheduled);
  door.Open();
  EXPECT_TRUE(Final(y).ok());
}

}  // namespace
}  // namespace acceld::runtime

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/runtime/device_executor.h"
#include "server/runtime/memory/host_memory.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"

// One task at a time makes room on a device that is short of memory.
namespace acceld::runtime {
namespace {

using ::acceld::testing::FakeDevice;
using ::acceld::testing::LoadedKernel;

constexpr int64_t kElements = 4096;
constexpr int64_t kBytes = kElements * sizeof(float);

absl::Status AddBoth(const kernels::cpu::LaunchContext& context) {
  const auto* a = static_cast<const float*>(context.arguments[0]);
  const auto* b = static_cast<const float*>(context.arguments[1]);
  auto* sum = static_cast<float*>(context.results[0]);
  for (int64_t i = 0; i < kElements; ++i) sum[i] = a[i] + b[i];
  return absl::OkStatus();
}

// Executions of several clients, with two inputs each, of which one fits at a time.
void ExpectThatNoneTakesFromAnother(FakeDevice& device, int clients, int rounds) {
  DeviceExecutor executor(
      device, 0,
      {.memory = {.host = std::make_shared<HostMemory>(100 * kBytes)}, .slice = kOneSlice});
  const auto kernel = LoadedKernel(2, kElements, AddBoth);
  std::vector<std::thread> threads;
  for (int c = 0; c < clients; ++c) {
    threads.emplace_back([&, c] {
      Client client({&executor});
      const auto value = static_cast<float>(c);
      const ArrayPtr a = client.Upload(std::vector<float>(kElements, value));
      const ArrayPtr b = client.Upload(std::vector<float>(kElements, 100));
      for (int i = 0; i < rounds; ++i) {
        EXPECT_EQ(FirstValue(executor, client.Run("add", kernel, {a, b})), value + 100);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  executor.WaitUntilIdle(kForever);
  // Each brings its two inputs once, but for some that begin while no turn binds.
  EXPECT_LE(executor.memory_stats().restores, static_cast<uint64_t>(3 * clients * rounds));
}

TEST(MemoryLeaseTest, TasksOfWhichOneFitsAtATimeTakeNothingFromEachOther) {
  FakeDevice device(3 * kBytes);
  ExpectThatNoneTakesFromAnother(device, /*clients=*/5, /*rounds=*/20);
}

TEST(MemoryLeaseTest, NorWhenACopyTakesLong) {
  std::vector<std::thread> clocks;  // The dispatcher's, which makes room.
  FakeDevice device(3 * kBytes);
  device.before_copy_to_host = [&clocks] {
    Promise<Unit> promise;
    const Future<Unit> copied = promise.future();
    clocks.emplace_back([promise = std::move(promise)]() mutable {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      promise.Set(Unit{});
    });
    return copied;
  };
  ExpectThatNoneTakesFromAnother(device, /*clients=*/3, /*rounds=*/2);
  for (std::thread& clock : clocks) clock.join();
}

// Room for 128 arrays, of which a program that waits holds all but one and an upload needs more
// than there is. Nobody has a share.
class BesideAWaitTest : public ::testing::Test {
 protected:
  BesideAWaitTest() {
    held_ = holder_.Run("holds",
                        LoadedKernel(0, 96 * kElements,
                                     [door = door_](const auto&) {
                                       door.Pass();
                                       return absl::OkStatus();
                                     }),
                        {});
    door_.AwaitArrival();
    waits_ = waiter_.Upload(std::vector<float>(40 * kElements, 1));
  }
  ~BesideAWaitTest() override {
    EXPECT_EQ(waits_->state(), Array::State::kPending);
    held_.reset();
    door_.Open();
    EXPECT_TRUE(Final(waits_).ok()) << waits_->error();
    executor_.WaitUntilIdle(kForever);
  }

  FakeDevice device_{128 * kBytes};
  DeviceExecutor executor_{device_, 0, {.memory_wait = std::chrono::hours(1), .slice = kOneSlice}};
  Client holder_{{&executor_}}, waiter_{{&executor_}}, other_{{&executor_}};
  Door door_;
  ArrayPtr held_, waits_;
};

TEST_F(BesideAWaitTest, WhoNeedsLittleDoesNotWait) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Final(other_.Upload({1})).ok());
}

TEST_F(BesideAWaitTest, ATurnThatLeadsToNothingEnds) {
  EXPECT_TRUE(Final(other_.Upload(std::vector<float>(kElements, 1))).ok());
}

TEST_F(BesideAWaitTest, WhoIsCancelledKeepsNobodyWaiting) {
  Client cancelled({&executor_});
  const ArrayPtr array = cancelled.Upload(std::vector<float>(40 * kElements, 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(150));  // It has the turn by then.
  cancelled.Cancel();
  EXPECT_EQ(Final(array).code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(Final(other_.Upload(std::vector<float>(kElements, 1))).ok());
}

}  // namespace
}  // namespace acceld::runtime

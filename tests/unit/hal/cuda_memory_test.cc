#include <gmock/gmock.h>

#include "tests/unit/hal/device_fixture.h"

namespace acceld::testing {
namespace {

using ::testing::HasSubstr;

using CudaMemoryTest = CudaDeviceTest;

TEST_F(CudaMemoryTest, ABudgetIsAFractionOfWhatIsFree) {
  Open({.memory_bytes = 1 << 20}, {.memory_fraction = 0.5});
  EXPECT_EQ(devices_[0]->memory().limit_bytes, 1 << 19);
  const auto held = Allocate(300 << 10);
  const absl::Status refused = devices_[0]->Allocate(300 << 10).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("307200 bytes do not fit"));
}

TEST_F(CudaMemoryTest, WhatIsKeptGivesWayWhenTheGpuItselfIsShort) {
  // Others may use the device's memory, whatever the budget.
  Open({.memory_bytes = 1 << 20}, {.memory_bytes = 4 << 20});
  (void)Allocate(700 << 10);
  EXPECT_EQ(cuda_->used_bytes(), 720'896);  // Kept, by its size class.
  auto other = Allocate(400 << 10);
  EXPECT_NE(other, nullptr);
  const absl::Status refused = devices_[0]->Allocate(900 << 10).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("cuMemAllocFromPoolAsync"));
  other.reset();
  EXPECT_TRUE(devices_[0]->Allocate(900 << 10).ok());
}

TEST_F(CudaMemoryTest, AGpuWithoutMemoryPoolsHasMemoryAllTheSame) {
  cuda_ = std::make_unique<FakeCuda>(FakeCuda::Options{.memory_bytes = 1 << 20});
  cuda_->Fail("cuMemPoolCreate", 801);
  Reopen({.memory_bytes = 4 << 20});
  const auto buffer = Put(Vector({1, 2}));
  EXPECT_THAT(FloatsOf(*Fetch(buffer, {ir::DType::kF32, {2}})), ::testing::ElementsAre(1, 2));
  (void)Allocate(700 << 10);
  EXPECT_NE(Allocate(400 << 10), nullptr);
  const absl::Status refused = devices_[0]->Allocate(2 << 20).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("cuMemAlloc: "));
}

TEST_F(CudaMemoryTest, BuffersAreOnTheDeviceAlone) {
  Open();
  const auto buffer = Allocate(100);
  EXPECT_EQ(buffer->host_address(), nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->address()) % 512, 0u);
  EXPECT_EQ(devices_[0]->memory().used_bytes, 512);
}

TEST_F(CudaMemoryTest, OptionsOutOfRangeAreRefused) {
  Open();
  for (const double fraction : {0.0, -1.0, 1.5}) {
    EXPECT_EQ(hal::cuda::OpenCudaDevices(cuda_->driver(), cuda_->devices(),
                                         {.memory_fraction = fraction}, FakeCuda::toolkit())
                  .front()
                  .status()
                  .code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace acceld::testing

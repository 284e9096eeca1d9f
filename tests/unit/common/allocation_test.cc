#include "common/allocation.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/counted_heap.h"

namespace acceld {
namespace {

TEST(AllocationTest, WhatIsTooLargeIsAnError) {
  const absl::Status huge = ContainAllocationFailure("reading x", [] {
    // More than any machine has; a string takes it for possible.
    const std::string text(size_t{1} << 60, 'x');
    return text.empty() ? absl::InternalError("empty") : absl::OkStatus();
  });
  EXPECT_EQ(huge, absl::ResourceExhaustedError("reading x: memory ran out"));
  const absl::StatusOr<int> impossible =
      ContainAllocationFailure("reading x", []() -> absl::StatusOr<int> {
        return static_cast<int>(std::vector<int64_t>(SIZE_MAX / 8 + 1).size());
      });
  EXPECT_EQ(impossible.status(), absl::ResourceExhaustedError("reading x: memory ran out"));
}

TEST(AllocationTest, ASmallOneThatFailsIsServedFromTheReserveAndNoticed) {
  const absl::Status status = ContainAllocationFailure("outside", [] {
    const testing::FailingHeap heap(0);
    const auto number = std::make_unique<int>(7);
    EXPECT_EQ(*number, 7);
    EXPECT_TRUE(heap.HasFailed());
    const absl::Status inside = ContainAllocationFailure("inside", [] { return absl::OkStatus(); });
    EXPECT_TRUE(inside.ok());
    return CheckMemory("outside");
  });
  EXPECT_EQ(status, absl::ResourceExhaustedError("outside: memory ran out"));
  // The next work begins anew, with a reserve of its own.
  EXPECT_TRUE(ContainAllocationFailure("outside", [] { return CheckMemory("x"); }).ok());
  EXPECT_TRUE(CheckMemory("x").ok());
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(ContainAllocationFailure("again", [] {
                   const testing::FailingHeap heap(0);
                   const auto number = std::make_unique<int>(7);
                   EXPECT_EQ(*number, 7);
                   return CheckMemory("again");
                 }).ok());
  }
}

TEST(AllocationTest, OtherExceptionsPass) {
  EXPECT_THROW(ContainAllocationFailure(
                   "x", []() -> absl::Status { throw std::runtime_error("of another kind"); })
                   .IgnoreError(),
               std::runtime_error);
}

}  // namespace
}  // namespace acceld

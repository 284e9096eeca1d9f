#include "common/memory/allocation.h"

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/counted_heap.h"

namespace acceld {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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

TEST(AllocationTest, ErrorsThatQuoteMuchAreShortened) {
  const std::string long_name(1'000'000, 'q');
  const absl::Status status = ContainAllocationFailure("reading x", [&] {
    return absl::InvalidArgumentError("line 2: op '" + long_name + "' is not supported");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_LE(status.message().size(), kMaxErrorBytes);
  EXPECT_THAT(std::string(status.message()),
              AllOf(StartsWith("line 2: op 'qqq"), HasSubstr("1000030 bytes in all"),
                    EndsWith("qqq' is not supported")));
}

TEST(AllocationTest, ASmallOneThatFailsIsServedFromTheReserveAndNoticed) {
  const absl::Status status = ContainAllocationFailure("outside", [] {
    const testing::FailingHeap heap(0);
    const auto number = std::make_unique<int>(7);
    EXPECT_EQ(*number, 7);
    EXPECT_TRUE(heap.HasFailed());
    const absl::Status inside = ContainAllocationFailure("inside", [] { return absl::OkStatus(); });
    EXPECT_TRUE(inside.ok());
    return CheckMayContinue("outside");
  });
  EXPECT_EQ(status, absl::ResourceExhaustedError("outside: memory ran out"));
  // The next work begins anew, with a reserve of its own.
  EXPECT_TRUE(ContainAllocationFailure("outside", [] { return CheckMayContinue("x"); }).ok());
  EXPECT_TRUE(CheckMayContinue("x").ok());
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(ContainAllocationFailure("again", [] {
                   const testing::FailingHeap heap(0);
                   const auto number = std::make_unique<int>(7);
                   EXPECT_EQ(*number, 7);
                   return CheckMayContinue("again");
                 }).ok());
  }
}

TEST(AllocationTest, WorkThatHoldsMoreThanItMayEnds) {
  SetHeapCounter(&testing::HeapBytes);
  constexpr int64_t kLimit = 1 << 20;
  const auto take = [](size_t bytes) {
    const std::string text(bytes, 'x');
    return text.empty() ? absl::InternalError("empty") : CheckMayContinue("taking");
  };
  const absl::Status status = ContainAllocationFailure("outside", {.memory_bytes = kLimit}, [&] {
    EXPECT_TRUE(take(kLimit / 2).ok());
    // What was given back does not count.
    EXPECT_TRUE(take(kLimit / 2).ok());
    // An inner bound may be smaller, and not larger.
    EXPECT_FALSE(ContainAllocationFailure("inside", {.memory_bytes = 100}, [&] {
                   return take(kLimit / 2);
                 }).ok());
    EXPECT_TRUE(MayContinue());
    return ContainAllocationFailure("inside", {.memory_bytes = 2 * kLimit},
                                    [&] { return take(2 * kLimit); });
  });
  EXPECT_EQ(status, absl::ResourceExhaustedError(
                        "taking: it takes more memory than the limit of 1048576 bytes"));
  EXPECT_TRUE(take(2 * kLimit).ok());
  SetHeapCounter(nullptr);
  EXPECT_TRUE(ContainAllocationFailure("nothing is known", {.memory_bytes = 1}, [&] {
                return take(kLimit);
              }).ok());
}

TEST(AllocationTest, WorkThatIsStoppedEnds) {
  StopFlag stop;
  const absl::Status status = ContainAllocationFailure("outside", {.stop = &stop}, [&] {
    EXPECT_TRUE(MayContinue());
    stop.Stop();
    // Work inside of it, and what others do for it, ends as well.
    EXPECT_EQ(ContainAllocationFailure("inside", [] { return CheckMayContinue("inside"); }),
              CheckStop(&stop));
    std::thread([bounds = ContainedWork::Bounds()] {
      EXPECT_TRUE(MayContinue());
      const ContainedWork part(bounds);
      EXPECT_FALSE(MayContinue());
    }).join();
    return CheckMayContinue("outside");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(MayContinue());
}

TEST(AllocationTest, OtherExceptionsPass) {
  EXPECT_THROW(ContainAllocationFailure(
                   "x", []() -> absl::Status { throw std::runtime_error("of another kind"); })
                   .IgnoreError(),
               std::runtime_error);
}

}  // namespace
}  // namespace acceld

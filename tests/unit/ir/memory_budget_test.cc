#include "common/ir/verify/memory_budget.h"

#include "common/ir/verify/limits.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(MemoryBudgetTest, GrowsWithTheInputUpToALimit) {
  EXPECT_EQ(MemoryBudget::ForReading(0).limit_bytes(), 128 * kMiB);
  EXPECT_EQ(MemoryBudget::ForReading(kMiB).limit_bytes(), (128 + 512) * kMiB);
  EXPECT_EQ(MemoryBudget::ForReading(16 * kMiB).limit_bytes(), 2048 * kMiB);
  // Room for a program that is all constants.
  EXPECT_GT(MemoryBudget::ForReading(limits::kMaxProgramBytes).limit_bytes(),
            3 * limits::kMaxProgramBytes);
  EXPECT_EQ(MemoryBudget::ForCopies(kMiB).limit_bytes(), 132 * kMiB);
  EXPECT_GE(MemoryBudget::ForCopies(int64_t{1} << 40).limit_bytes(), int64_t{1} << 40);
}

TEST(MemoryBudgetTest, WhatDoesNotFitIsRefusedAndNotCounted) {
  MemoryBudget budget = MemoryBudget::ForReading(0);
  EXPECT_TRUE(budget.Charge(100 * kMiB, "a").ok());
  EXPECT_EQ(budget.Charge(29 * kMiB, "#b"),
            absl::ResourceExhaustedError("#b: the program would take more than 134217728 bytes of "
                                         "memory, the budget for 0 bytes of input"));
  EXPECT_EQ(budget.used_bytes(), 100 * kMiB);
  EXPECT_TRUE(budget.Charge(28 * kMiB, "c").ok());
  EXPECT_FALSE(budget.Charge(1, "d").ok());
}

}  // namespace
}  // namespace acceld::ir

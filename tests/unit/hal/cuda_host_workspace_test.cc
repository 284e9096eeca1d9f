#include <cstdint>
#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/ir/plan.h"
#include "server/hal/cuda/host_workspace.h"

namespace acceld::hal::cuda {
namespace {

TEST(CudaHostWorkspaceTest, BlocksAreAlignedDisjointAndCounted) {
  HostWorkspaceBudget budget(1 << 20);
  {
    HostWorkspace workspace(budget);
    char* const first = workspace.Add(100).value();
    char* const second = workspace.Add(0).value();
    std::memset(first, 1, 100);
    EXPECT_NE(first, second);
    for (char* const block : {first, second}) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kernels::kBufferAlignment, 0u);
    }
    EXPECT_GE(budget.used_bytes(), 100);
  }
  EXPECT_EQ(budget.used_bytes(), 0);
}

TEST(CudaHostWorkspaceTest, RoutinesShareTheBudgetAndGiveBackWhatWasRefused) {
  HostWorkspaceBudget budget(4096);
  HostWorkspace held(budget);
  ASSERT_TRUE(held.Add(2000).ok());
  {
    HostWorkspace refused(budget);
    const absl::StatusOr<char*> block = refused.Add(3000);
    EXPECT_EQ(block.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(block.status().message(), ::testing::HasSubstr("3000 bytes"));
    EXPECT_THAT(block.status().message(), ::testing::HasSubstr("into 4096"));
  }
  HostWorkspace later(budget);
  EXPECT_TRUE(later.Add(1500).ok());
}

TEST(CudaHostWorkspaceTest, TheDefaultIsAPartOfTheMachinesMemory) {
  EXPECT_GT(HostWorkspaceBudget().max_bytes(), int64_t{1} << 20);
}

}  // namespace
}  // namespace acceld::hal::cuda

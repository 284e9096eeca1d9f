// Into how many pieces parallel loops are cut.

#include <regex>

#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

// 0: the loop is no parallel one.
int64_t TilesOf(const Kernel& kernel) {
  CpuDumps dumps;
  const auto code = CompilePlan(PlanOf(kernel), CpuTarget::Host(), &dumps);
  EXPECT_TRUE(code.ok()) << code.status();
  std::smatch found;
  const std::regex call("call i32 @acceld_cpu_parallel_for\\(.*, i64 ([0-9]+)\\)");
  return std::regex_search(dumps.llvm_ir, found, call) ? std::stoll(found[1]) : 0;
}

TEST(Tiles, AreMoreForMoreWorkUntilTheyAreMany) {
  EXPECT_EQ(TilesOf(SeluKernel(1'000)), 0);
  const int64_t of_a_million = TilesOf(SeluKernel(1'000'000));
  EXPECT_GT(of_a_million, 16);
  EXPECT_GT(TilesOf(SeluKernel(4'000'000)), 3 * of_a_million);
  const int64_t of_32_millions = TilesOf(SeluKernel(32'000'000));
  EXPECT_GT(of_32_millions, 200);
  EXPECT_LT(of_32_millions, 300);
}

}  // namespace
}  // namespace acceld::kernels::cpu

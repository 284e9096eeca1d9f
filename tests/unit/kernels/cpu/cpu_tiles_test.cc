// Into how many pieces parallel loops are cut.

#include "gtest/gtest.h"
#include "kernels/cpu/emit/nests/tile_nest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"

namespace acceld::kernels::cpu {
namespace {

// 0: the loop is no parallel one.
int64_t TilesOf(const Kernel& kernel) {
  const auto nest = FindTileNest(kernel, std::get<ForStatement>(kernel.body.front().value));
  return nest.has_value() ? nest->num_tiles : 0;
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

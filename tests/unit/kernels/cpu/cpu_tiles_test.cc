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

// result[i] = x[i] - x[i] + x[i] ..., with so many additions and subtractions, and exponentials.
Kernel SumsKernel(int64_t n, int additions, int exponentials) {
  return MapKernel("sums", DType::kF32, DType::kF32, n, [&](KernelBuilder& b, Var x) {
    Var sum = x;
    for (int i = 0; i < additions; ++i) {
      sum = b.Apply(i % 2 == 0 ? ScalarOp::kSubtract : ScalarOp::kAdd, {sum, x});
    }
    for (int i = 0; i < exponentials; ++i) sum = b.Apply(ScalarOp::kExp, {sum});
    return sum;
  });
}

TEST(Tiles, AreNotWorthWhileForFewCheapOperationsInTheCache) {
  // Ten microseconds of one core, as the elements are near it; more, where they are far.
  EXPECT_EQ(TilesOf(SumsKernel(100'000, 20, 0)), 0);
  EXPECT_GT(TilesOf(SumsKernel(400'000, 20, 0)), 1);
  // What takes long anyway.
  EXPECT_GT(TilesOf(SumsKernel(100'000, 20, 2)), 1);
}

}  // namespace
}  // namespace acceld::kernels::cpu

#include "kernels/cpu/support/matmul/product_tiles.h"

#include <vector>

#include "gtest/gtest.h"

namespace acceld::kernels::cpu {
namespace {

float SmallInteger(int64_t i) { return static_cast<float>(i * 31 % 7 - 3); }

std::vector<float> SmallIntegers(int64_t n) {
  std::vector<float> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = SmallInteger(i);
  return values;
}

// The sum at one element, loop by loop.
float SumAt(absl::Span<const SumLoop> loops, const float* lhs, const float* rhs) {
  if (loops.empty()) return *lhs * *rhs;
  float sum = 0;
  for (int64_t i = 0; i < loops[0].count; ++i) {
    sum += SumAt(loops.subspan(1), lhs + i * loops[0].lhs_step, rhs + i * loops[0].rhs_step);
  }
  return sum;
}

TEST(ProductTilesTest, EachCpuHasTilesOfItsVectorsAndOfTheShortest) {
  int64_t longer = 1 << 10;
  for (const ProductTiles* tiles : AllProductTiles()) {
    EXPECT_LT(tiles->lanes(), longer);
    longer = tiles->lanes();
    EXPECT_EQ(&ProductTilesOf(tiles->lanes()), tiles);
  }
  EXPECT_EQ(longer, kMinTileColumns);
}

TEST(ProductTilesTest, SumsOverAllLoopsForAnyRowsAndColumns) {
  const std::vector<SumLoop> kLoops[] = {
      {},
      {{5, 1, 100}},
      {{2, 40, 1500}, {3, 7, 400}, {3, -2, 100}},
      {{2, 1, 1600}, {2, 50, 800}, {2, 3, 400}, {2, 9, 200}, {2, 20, 100}},
  };
  const std::vector<float> lhs = SmallIntegers(1000), rhs = SmallIntegers(4000);
  for (const ProductTiles* tiles : AllProductTiles()) {
    for (const std::vector<SumLoop>& loops : kLoops) {
      for (int64_t columns = tiles->lanes(); columns <= 100; columns += 7) {
        for (const int64_t rows : {1, 4, 17}) {
          std::vector<float> out(rows * columns, 10);
          std::vector<const float*> starts;
          std::vector<float*> targets;
          for (int64_t i = 0; i < rows; ++i) {
            starts.push_back(lhs.data() + 100 + i * i);
            targets.push_back(out.data() + i * columns);
          }
          for (const bool add : {false, true}) {
            RunProduct(*tiles, loops, starts, rhs.data(), columns, add, targets.data());
            for (int64_t i = 0; i < rows * columns; ++i) {
              const float sum = SumAt(loops, starts[i / columns], rhs.data() + i % columns);
              ASSERT_EQ(out[i], add ? 2 * sum : sum)
                  << tiles->lanes() << " lanes, " << loops.size() << " loops, " << rows << " x "
                  << columns << " at " << i;
            }
          }
        }
      }
    }
  }
}

TEST(ProductTilesTest, AddsArraysOfAnyLength) {
  const std::vector<float> from = SmallIntegers(50);
  for (const ProductTiles* tiles : AllProductTiles()) {
    for (int64_t count = 0; count < 50; ++count) {
      std::vector<float> to(50, 1);
      tiles->add(count, from.data(), to.data());
      for (int64_t i = 0; i < 50; ++i) ASSERT_EQ(to[i], i < count ? from[i] + 1 : 1) << count;
    }
  }
}

}  // namespace
}  // namespace acceld::kernels::cpu

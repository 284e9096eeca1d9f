#include "kernels/cuda/collectives/exchange_layout.h"

#include <gtest/gtest.h>

// How exchanges are divided into items and batches.
namespace acceld::kernels::cuda {
namespace {

Collective Sum(Collective::Kind kind, std::vector<ir::TensorType> operands,
               std::vector<ir::TensorType> results) {
  return {.kind = kind,
          .dimension = 0,
          .groups = {{0, 1, 2}},
          .operands = std::move(operands),
          .results = std::move(results)};
}

ir::TensorType Floats(int64_t count) { return {ir::DType::kF32, {count}}; }

TEST(ExchangeLayoutTest, SmallSumsGoToAllMembersInOneExchange) {
  const auto batches = ExchangeBatchesOf(
      Sum(Collective::Kind::kAllReduce, {Floats(5), Floats(7)}, {Floats(5), Floats(7)}), 3);
  ASSERT_EQ(batches.size(), 1u);
  ASSERT_EQ(batches[0].items.size(), 2u);
  EXPECT_FALSE(batches[0].items[0].is_shared);
  EXPECT_EQ(batches[0].items[1].BytesTo(2), 28);
  EXPECT_EQ(batches[0].items[1].receive_offset, 256);
  EXPECT_EQ(batches[0].scratch_bytes, 512);
}

TEST(ExchangeLayoutTest, LargeSumsAreInPartsOfWhichTheLastMayBeShort) {
  const ir::TensorType type = Floats(1'000);
  const auto batches = ExchangeBatchesOf(Sum(Collective::Kind::kAllReduce, {type}, {type}), 3,
                                         {.small_reduction_bytes = 0});
  ASSERT_EQ(batches.size(), 1u);
  const ExchangeItem& item = batches[0].items[0];
  EXPECT_TRUE(item.is_shared);
  EXPECT_EQ(item.BytesTo(0), 1'344);
  EXPECT_EQ(item.BytesTo(1), 1'344);
  EXPECT_EQ(item.BytesTo(2), 4'000 - 2 * 1'344);
  EXPECT_EQ(item.combined_stride, 1'344);
}

TEST(ExchangeLayoutTest, MembersBehindTheEndGetNothing) {
  const ir::TensorType type = Floats(5);
  const auto batches = ExchangeBatchesOf(Sum(Collective::Kind::kAllReduce, {type}, {type}), 3,
                                         {.small_reduction_bytes = 0});
  EXPECT_EQ(batches[0].items[0].BytesTo(0), 16);
  EXPECT_EQ(batches[0].items[0].BytesTo(1), 4);
  EXPECT_EQ(batches[0].items[0].BytesTo(2), 0);
}

TEST(ExchangeLayoutTest, ReductionsAreDividedWhereScratchMemoryWouldBeLarge) {
  const ir::TensorType whole = Floats(3'000), part = Floats(1'000);
  const ExchangeSizes sizes{.batch_bytes = 3'000, .small_reduction_bytes = 0};
  for (const Collective& collective : {Sum(Collective::Kind::kAllReduce, {whole}, {whole}),
                                       Sum(Collective::Kind::kReduceScatter, {whole}, {part})}) {
    const auto batches = ExchangeBatchesOf(collective, 3, sizes);
    EXPECT_GE(batches.size(), 4u);
    int64_t combined = 0;
    for (const ExchangeBatch& batch : batches) {
      EXPECT_LE(batch.scratch_bytes, 2 * sizes.batch_bytes);
      for (const ExchangeItem& item : batch.items) {
        for (int64_t member = 0; member < 3; ++member) combined += item.BytesTo(member);
      }
    }
    EXPECT_EQ(combined, whole.size_bytes()) << ToString(collective);
  }
}

TEST(ExchangeLayoutTest, PartsAlongInnerDimensionsArePacked) {
  const Collective collective{.kind = Collective::Kind::kAllToAll,
                              .dimension = 1,
                              .concat_dimension = 0,
                              .groups = {{0, 1}},
                              .operands = {{ir::DType::kF32, {3, 4}}},
                              .results = {{ir::DType::kF32, {6, 2}}}};
  const auto batches = ExchangeBatchesOf(collective, 2);
  const ExchangeItem& item = batches[0].items[0];
  EXPECT_EQ(item.send_offset, 0);
  EXPECT_EQ(item.receive_offset, -1);
  EXPECT_EQ(item.pack.outer, 3);
  EXPECT_EQ(item.pack.row_bytes, 8);
  EXPECT_TRUE(item.unpack.IsIdentity());
}

}  // namespace
}  // namespace acceld::kernels::cuda

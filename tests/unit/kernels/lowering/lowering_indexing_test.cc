#include "tests/unit/kernels/lowering/lowering_test_util.h"

namespace acceld::kernels {
namespace {

using ir::DType;
using ir::Literal;
using ir::OpKind;
using ir::TensorType;

TEST(Indexing, BroadcastsAlongAnyDimensions) {
  const Literal row = RandomTensor(DType::kF32, {5}, 1);
  for (int64_t d : {0, 1, 2}) {
    ir::Dims dims = {2, 3, 4};
    dims[d] = 5;
    ExpectOpAgrees(OpKind::kBroadcastInDim, {row}, ir::BroadcastInDimAttributes{{d}},
                   {TensorType{DType::kF32, dims}});
  }
  ExpectOpAgrees(OpKind::kBroadcastInDim, {RandomTensor(DType::kI8, {3, 1, 4}, 2)},
                 ir::BroadcastInDimAttributes{{0, 2, 3}}, {TensorType{DType::kI8, {3, 2, 6, 4}}});
  ExpectOpAgrees(OpKind::kBroadcastInDim, {RandomTensor(DType::kF32, {3, 4}, 2)},
                 ir::BroadcastInDimAttributes{{0, 2}}, {TensorType{DType::kF32, {3, 4, 4, 2}}});
  ExpectOpAgrees(OpKind::kBroadcastInDim, {RandomTensor(DType::kF32, {3, 4}, 2)},
                 ir::BroadcastInDimAttributes{{1, 0}}, {TensorType{DType::kF32, {4, 3}}});
  ExpectOpAgrees(OpKind::kBroadcastInDim, {RandomTensor(DType::kC64, {}, 2)},
                 ir::BroadcastInDimAttributes{}, {TensorType{DType::kC64, {4, 2}}});
}

TEST(Indexing, ReshapesTransposesAndReverses) {
  const Literal x = RandomTensor(DType::kBF16, {2, 3, 4}, 1);
  ExpectOpAgrees(OpKind::kReshape, {x}, ir::NoAttributes{}, {TensorType{DType::kBF16, {6, 4}}});
  ExpectOpAgrees(OpKind::kTranspose, {x}, ir::TransposeAttributes{{2, 0, 1}});
  ExpectOpAgrees(OpKind::kReverse, {x}, ir::DimensionsAttributes{{0, 2}});
}

TEST(Indexing, SlicesWithStrides) {
  ExpectOpAgrees(OpKind::kSlice, {RandomTensor(DType::kI16, {7, 9}, 1)},
                 ir::SliceAttributes{{1, 0}, {7, 8}, {2, 3}});
}

TEST(Indexing, DynamicSliceClampsItsStart) {
  const Literal x = RandomTensor(DType::kF32, {6, 7}, 1);
  for (int64_t start : {-100, 0, 3, 100}) {
    const Literal at = ir::Ints(DType::kI32, {}, {start});
    ExpectOpAgrees(OpKind::kDynamicSlice, {x, at, at}, ir::DynamicSliceAttributes{{2, 3}});
  }
  const Literal huge = ir::Ints(DType::kUI64, {}, {-1});
  ExpectOpAgrees(OpKind::kDynamicSlice, {x, huge, huge}, ir::DynamicSliceAttributes{{2, 3}});
}

TEST(Indexing, PadsWithNegativeAndInteriorPadding) {
  const Literal x = RandomTensor(DType::kF32, {4, 5}, 1);
  const Literal value = RandomTensor(DType::kF32, {}, 2);
  ExpectOpAgrees(OpKind::kPad, {x, value}, ir::PadAttributes{{2, -1}, {1, 3}, {1, 2}});
  ExpectOpAgrees(OpKind::kPad, {x, value}, ir::PadAttributes{{-3, 0}, {-1, -2}, {2, 0}});
  ExpectOpAgrees(OpKind::kPad,
                 {RandomTensor(DType::kC64, {0, 2}, 1), RandomTensor(DType::kC64, {}, 2)},
                 ir::PadAttributes{{2, 1}, {1, 1}, {0, 0}});
}

TEST(Indexing, ConcatenatesManyOperands) {
  std::vector<Literal> operands;
  for (int64_t i = 0; i < 7; ++i) {
    operands.push_back(RandomTensor(DType::kC64, {3, i, 2}, static_cast<int>(i)));
  }
  ExpectOpAgrees(OpKind::kConcatenate, operands, ir::DimensionAttributes{1});
}

TEST(Indexing, IotaCountsInEveryType) {
  for (DType dtype : AllDTypes()) {
    if (dtype == DType::kI1) continue;
    ExpectOpAgrees(OpKind::kIota, {}, ir::IotaAttributes{1}, {TensorType{dtype, {2, 3}}});
  }
}

TEST(Indexing, BitcastConvertKeepsBits) {
  const Literal x = RandomTensor(DType::kF32, {3, 2}, 1);
  ExpectOpAgrees(OpKind::kBitcastConvert, {x}, ir::NoAttributes{},
                 {TensorType{DType::kI32, {3, 2}}});
  ExpectOpAgrees(OpKind::kBitcastConvert, {x}, ir::NoAttributes{},
                 {TensorType{DType::kUI8, {3, 2, 4}}});
  ExpectOpAgrees(OpKind::kBitcastConvert, {x}, ir::NoAttributes{}, {TensorType{DType::kUI64, {3}}});
  // A signalling NaN of f16 stays what it is.
  ExpectOpAgrees(OpKind::kBitcastConvert, {ir::Ints(DType::kUI16, {2}, {0x7c01, 0x3c00})},
                 ir::NoAttributes{}, {TensorType{DType::kF16, {2}}});
}

TEST(Indexing, BitcastConvertToBitsTakesSingleBits) {
  ExpectOpAgrees(OpKind::kBitcastConvert, {ir::Ints(DType::kUI8, {2}, {0x96, 2})},
                 ir::NoAttributes{}, {TensorType{DType::kI1, {2, 8}}});
  ExpectOpAgrees(OpKind::kBitcastConvert, {RandomTensor(DType::kI1, {3, 32}, 1)},
                 ir::NoAttributes{}, {TensorType{DType::kI32, {3}}});
}

TEST(Indexing, BitcastConvertTradesOneLargeComplexNumberForTwoSmall) {
  ExpectOpAgrees(OpKind::kBitcastConvert, {RandomTensor(DType::kC128, {3, 2}, 1)},
                 ir::NoAttributes{}, {TensorType{DType::kC64, {3, 2, 2}}});
  ExpectOpAgrees(OpKind::kBitcastConvert, {RandomTensor(DType::kC64, {3, 2}, 1)},
                 ir::NoAttributes{}, {TensorType{DType::kC128, {3}}});
}

TEST(Indexing, GathersSlicesAndRows) {
  const Literal x = RandomTensor(DType::kF32, {5, 4, 3}, 1);
  const Literal rows = ir::Ints(DType::kI32, {2, 2, 1}, {0, 4, 9, -3});
  ExpectOpAgrees(OpKind::kGather, {x, rows},
                 ir::GatherAttributes{.dimension_numbers = {.offset_dims = {2, 3},
                                                            .collapsed_slice_dims = {0},
                                                            .start_index_map = {0},
                                                            .index_vector_dim = 2},
                                      .slice_sizes = {1, 4, 3}});
  const Literal starts = ir::Ints(DType::kI64, {2, 3}, {0, 3, 1, 2, 9, -1});
  ExpectOpAgrees(OpKind::kGather, {x, starts},
                 ir::GatherAttributes{.dimension_numbers = {.offset_dims = {0, 1},
                                                            .collapsed_slice_dims = {1},
                                                            .start_index_map = {2, 0},
                                                            .index_vector_dim = 0},
                                      .slice_sizes = {2, 1, 2}});
}

TEST(Indexing, GathersWithBatchingDimensions) {
  const Literal x = RandomTensor(DType::kF32, {3, 5, 2}, 1);
  const Literal starts = ir::Ints(DType::kI32, {3, 4, 1}, {0, 1, 2, 3, 4, 5, 4, 3, 2, 1, 0, -1});
  ExpectOpAgrees(OpKind::kGather, {x, starts},
                 ir::GatherAttributes{.dimension_numbers = {.offset_dims = {2},
                                                            .collapsed_slice_dims = {1},
                                                            .operand_batching_dims = {0},
                                                            .start_indices_batching_dims = {0},
                                                            .start_index_map = {1},
                                                            .index_vector_dim = 2},
                                      .slice_sizes = {1, 1, 2}});
}

TEST(Indexing, EmptyTensorsHaveEmptyKernels) {
  ExpectOpAgrees(OpKind::kTranspose, {RandomTensor(DType::kF32, {0, 3}, 1)},
                 ir::TransposeAttributes{{1, 0}});
}

}  // namespace
}  // namespace acceld::kernels

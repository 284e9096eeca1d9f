#include "gtest/gtest.h"
#include "tests/unit/ir/infer/infer_helper.h"

namespace acceld::ir {
namespace {

// Rows of a 10x4 matrix: one index a row.
GatherAttributes Rows() {
  GatherAttributes attributes;
  attributes.dimension_numbers.offset_dims = {1};
  attributes.dimension_numbers.collapsed_slice_dims = {0};
  attributes.dimension_numbers.start_index_map = {0};
  attributes.dimension_numbers.index_vector_dim = 1;
  attributes.slice_sizes = {1, 4};
  return attributes;
}

absl::StatusOr<std::string> Gather(const GatherAttributes& attributes, Dims operand = {10, 4},
                                   Dims indices = {6, 1}) {
  return Infer(OpKind::kGather, {F32(std::move(operand)), I32(std::move(indices))}, attributes);
}

TEST(InferGatherTest, WindowsStandAtTheOffsetDimensions) {
  EXPECT_THAT(Gather(Rows()), Gives("tensor<6x4xf32>"));
  GatherAttributes columns = Rows();
  columns.dimension_numbers.offset_dims = {0};
  EXPECT_THAT(Gather(columns), Gives("tensor<4x6xf32>"));
  // The index vector's dimension may be left away when it has size one.
  EXPECT_THAT(Gather(Rows(), {10, 4}, {6}), Gives("tensor<6x4xf32>"));
}

TEST(InferGatherTest, BatchingDimensionsGoAlong) {
  GatherAttributes batched = Rows();
  batched.dimension_numbers.operand_batching_dims = {0};
  batched.dimension_numbers.start_indices_batching_dims = {0};
  batched.dimension_numbers.collapsed_slice_dims = {1};
  batched.dimension_numbers.start_index_map = {1};
  batched.dimension_numbers.offset_dims = {2};
  batched.dimension_numbers.index_vector_dim = 2;
  batched.slice_sizes = {1, 1, 4};
  EXPECT_THAT(Gather(batched, {3, 10, 4}, {3, 6, 1}), Gives("tensor<3x6x4xf32>"));
  EXPECT_THAT(Gather(batched, {3, 10, 4}, {2, 6, 1}),
              IsRefused("batching dimension 0 has size 3, its partner 0 of the indices 2"));
  batched.dimension_numbers.start_index_map = {0};
  EXPECT_THAT(Gather(batched, {3, 10, 4}, {3, 6, 1}),
              IsRefused("start_index_map and operand_batching_dims both have 0"));
}

TEST(InferGatherTest, EachConstraintIsChecked) {
  const auto refused = [](auto change, const char* message) {
    GatherAttributes attributes = Rows();
    change(attributes, attributes.dimension_numbers);
    EXPECT_THAT(Gather(attributes), IsRefused(message));
  };
  using G = GatherAttributes;
  using N = GatherDimensionNumbers;
  refused([](G&, N& n) { n.collapsed_slice_dims = {1, 0}; }, "is not sorted");
  refused([](G&, N& n) { n.collapsed_slice_dims = {2}; }, "has 2, outside [0, 2)");
  refused([](G&, N& n) { n.operand_batching_dims = {0}; }, "both have 0");
  refused([](G&, N& n) { n.operand_batching_dims = {1}; }, "has 1 dimensions and");
  refused([](G&, N& n) { n.start_indices_batching_dims = {1}; }, "has index_vector_dim 1");
  refused([](G&, N& n) { n.index_vector_dim = 3; }, "index_vector_dim 3 is outside [0, 2]");
  refused([](G&, N& n) { n.start_index_map = {0, 1}; }, "has 2 values, but an index vector has 1");
  refused([](G&, N& n) { n.start_index_map = {7}; }, "start_index_map has 7");
  refused([](G&, N& n) { n.offset_dims = {}; }, "offset_dims has 0 values where 1");
  refused([](G&, N& n) { n.offset_dims = {2}; }, "offset_dims has 2, outside");
  refused([](G& g, N&) { g.slice_sizes = {1}; }, "slice_sizes has 1 values");
  refused([](G& g, N&) { g.slice_sizes = {1, 5}; }, "slice size 5 at dimension 1 of size 4");
  refused([](G& g, N&) { g.slice_sizes = {2, 4}; }, "takes at most 1");
  EXPECT_THAT(Infer(OpKind::kGather, {F32({10, 4}), F32({6, 1})}, Rows()),
              IsRefused("the indices must be integers"));
}

// The result's rank is checked only after the lists that are as long as it.
TEST(InferGatherTest, RepeatedDimensionsBeyondTheHighestRankAreFound) {
  GatherAttributes attributes;
  attributes.dimension_numbers.index_vector_dim = 32;
  attributes.dimension_numbers.start_index_map = {0};
  for (int64_t i = 0; i < 31; ++i) attributes.dimension_numbers.offset_dims.push_back(i);
  attributes.dimension_numbers.offset_dims.push_back(40);
  attributes.slice_sizes.assign(32, 1);
  EXPECT_THAT(Gather(attributes, Dims(32, 1), Dims(32, 1)), IsRefused("rank 64"));
  attributes.dimension_numbers.offset_dims[30] = 40;
  EXPECT_THAT(Gather(attributes, Dims(32, 1), Dims(32, 1)), IsRefused("has 40 twice"));
}

ScatterAttributes IntoRows() {
  ScatterAttributes attributes;
  attributes.scatter_dimension_numbers.update_window_dims = {1};
  attributes.scatter_dimension_numbers.inserted_window_dims = {0};
  attributes.scatter_dimension_numbers.scatter_dims_to_operand_dims = {0};
  attributes.scatter_dimension_numbers.index_vector_dim = 1;
  return attributes;
}

absl::StatusOr<std::string> Scatter(const ScatterAttributes& attributes, Dims updates = {6, 4},
                                    DType reduced = DType::kF32) {
  return Infer(OpKind::kScatter, {F32({10, 4}), I32({6, 1}), F32(std::move(updates))}, attributes,
               {.regions = {Reducer({reduced})}});
}

TEST(InferScatterTest, ResultIsTheInput) {
  EXPECT_THAT(Scatter(IntoRows()), Gives("tensor<10x4xf32>"));
  // A window may be smaller than the input.
  EXPECT_THAT(Scatter(IntoRows(), {6, 3}), Gives("tensor<10x4xf32>"));
}

TEST(InferScatterTest, UpdatesMustFit) {
  EXPECT_THAT(Scatter(IntoRows(), {6, 5}),
              IsRefused("updates tensor<6x5xf32> have size 5 at dimension 1, where at most 4"));
  EXPECT_THAT(Scatter(IntoRows(), {5, 4}), IsRefused("have size 5 at dimension 0, where 6"));
  EXPECT_THAT(Scatter(IntoRows(), {6}), IsRefused("must have rank 2"));
  EXPECT_THAT(Scatter(IntoRows(), {6, 4}, DType::kI32), IsRefused("the region must be"));
}

TEST(InferScatterTest, SeveralInputsShareTheirShape) {
  const std::vector<Signature> regions = {Reducer({DType::kF32, DType::kI32})};
  EXPECT_THAT(
      Infer(OpKind::kScatter, {F32({10, 4}), I32({10, 4}), I32({6, 1}), F32({6, 4}), I32({6, 4})},
            IntoRows(), {.regions = regions}),
      Gives("tensor<10x4xf32>, tensor<10x4xi32>"));
  EXPECT_THAT(
      Infer(OpKind::kScatter, {F32({10, 4}), I32({10, 5}), I32({6, 1}), F32({6, 4}), I32({6, 4})},
            IntoRows(), {.regions = regions}),
      IsRefused("inputs and updates 0 and 1 differ in shape"));
  EXPECT_THAT(Infer(OpKind::kScatter, {F32({10, 4}), I32({6, 1}), F32({6, 4}), F32()}, IntoRows(),
                    {.regions = regions}),
              IsRefused("4 operands"));
}

}  // namespace
}  // namespace acceld::ir

// Products of batches. If both operands have examples, these are a batching dimension or groups of
// features; if one has, they are part of another of its dimensions.

#include <utility>

#include "common/ir/transform/batching.h"
#include "common/ir/transform/lists.h"

namespace acceld::ir {
namespace {

std::vector<int64_t> ShiftedIf(bool shifted, const std::vector<int64_t>& dimensions) {
  return shifted ? Shifted(dimensions) : dimensions;
}

// Moves dimension `from` of `x` to `to`.
ValueId Moved(Emitter& e, ValueId x, int64_t from, int64_t to) {
  if (!e.ok() || from == to) return x;
  std::vector<int64_t> permutation;
  for (int64_t d = 0; d < e.TypeOf(x).rank(); ++d) {
    if (d != from) permutation.push_back(d);
  }
  permutation.insert(permutation.begin() + to, from);
  return e.Op(OpKind::kTranspose, {x}, TransposeAttributes{std::move(permutation)});
}

// Makes the examples of `x` part of dimension `d` of one example, which consists of `groups`:
// inside of those, and outside of the rest.
ValueId JoinExamples(Emitter& e, ValueId x, int64_t d, int64_t groups) {
  if (!e.ok()) return 0;
  Dims dims = e.TypeOf(x).dims;
  const int64_t examples = dims[0], size = dims[d + 1];
  dims[d + 1] = groups;
  dims.insert(dims.begin() + d + 2, size / groups);
  // Now dimension d + 1 has the groups, and d + 2 the rest.
  const ValueId moved = Moved(e, e.Reshape(x, dims), 0, d + 1);
  Dims joined(dims.begin() + 1, dims.end());
  joined[d] = examples * size;
  joined.erase(joined.begin() + d + 1);
  return e.Reshape(moved, std::move(joined));
}

// The inverse: takes the examples out of dimension `d` and puts them first.
ValueId SplitExamples(Emitter& e, ValueId x, int64_t d, int64_t groups, int64_t examples) {
  if (!e.ok()) return 0;
  Dims dims = e.TypeOf(x).dims;
  const int64_t size = dims[d] / examples;
  Dims split = dims;
  split[d] = groups;
  split.insert(split.begin() + d + 1, {examples, size / groups});
  const ValueId moved = Moved(e, e.Reshape(x, std::move(split)), d + 1, 0);
  dims[d] = size;
  dims.insert(dims.begin(), examples);
  return e.Reshape(moved, std::move(dims));
}

}  // namespace

absl::Status BatchDotGeneral(Batching& b) {
  auto attributes = b.As<DotGeneralAttributes>();
  DotDimensionNumbers& numbers = attributes.dot_dimension_numbers;
  const bool left = b.IsBatched(0), right = b.IsBatched(1);
  const auto num_batching = static_cast<int64_t>(numbers.lhs_batching_dimensions.size());
  const int64_t left_free = b.operand_type(0).rank() - num_batching -
                            static_cast<int64_t>(numbers.lhs_contracting_dimensions.size());
  numbers.lhs_batching_dimensions = ShiftedIf(left, numbers.lhs_batching_dimensions);
  numbers.lhs_contracting_dimensions = ShiftedIf(left, numbers.lhs_contracting_dimensions);
  numbers.rhs_batching_dimensions = ShiftedIf(right, numbers.rhs_batching_dimensions);
  numbers.rhs_contracting_dimensions = ShiftedIf(right, numbers.rhs_contracting_dimensions);
  // Where the examples are in the product.
  int64_t examples = 0;
  if (left && right) {
    numbers.lhs_batching_dimensions.insert(numbers.lhs_batching_dimensions.begin(), 0);
    numbers.rhs_batching_dimensions.insert(numbers.rhs_batching_dimensions.begin(), 0);
  } else {
    examples = left ? num_batching : num_batching + left_free;
  }
  TensorType type = b.result_type();
  type.dims.insert(type.dims.begin() + examples, b.size());
  const ValueId product =
      b.emit.Op(OpKind::kDotGeneral, {b.operand(0), b.operand(1)}, std::move(attributes), &type);
  b.SetResult(Moved(b.emit, product, examples, 0));
  return absl::OkStatus();
}

absl::Status BatchConvolution(Batching& b) {
  auto attributes = b.As<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  Emitter& e = b.emit;
  ValueId input = b.operand(0), kernel = b.operand(1);
  const int64_t feature_groups = attributes.feature_group_count;
  const int64_t batch_groups = attributes.batch_group_count;
  TensorType type = b.result_type();
  int64_t dimension = numbers.output_feature_dimension, groups = 1;
  if (b.IsBatched(0) && b.IsBatched(1)) {
    // Each example is a group of features, or, where batches are grouped, of the batch.
    if (batch_groups > 1) {
      input = JoinExamples(e, input, numbers.input_batch_dimension, 1);
      attributes.batch_group_count *= b.size();
    } else {
      input = JoinExamples(e, input, numbers.input_feature_dimension, 1);
      attributes.feature_group_count *= b.size();
    }
    kernel = JoinExamples(e, kernel, numbers.kernel_output_feature_dimension, 1);
  } else if (b.IsBatched(0)) {
    input = JoinExamples(e, input, numbers.input_batch_dimension, batch_groups);
    dimension = numbers.output_batch_dimension;
  } else {
    groups = feature_groups * batch_groups;
    kernel = JoinExamples(e, kernel, numbers.kernel_output_feature_dimension, groups);
  }
  type.dims[dimension] *= b.size();
  const ValueId result = e.Op(OpKind::kConvolution, {input, kernel}, attributes, &type);
  b.SetResult(SplitExamples(e, result, dimension, groups, b.size()));
  return absl::OkStatus();
}

absl::Status BatchEinsum(Batching& b) { return b.OneByOne(); }
absl::Status BatchUnaryEinsum(Batching& b) { return b.OneByOne(); }

}  // namespace acceld::ir

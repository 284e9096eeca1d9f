// Transposes of products: the cotangent is multiplied by the operand that is known.

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/ir/transform/lists.h"
#include "common/ir/transform/transposition.h"

namespace acceld::ir {
namespace {

// The dimensions below `rank` that are in neither list.
std::vector<int64_t> FreeDimensions(int64_t rank, const std::vector<int64_t>& a,
                                    const std::vector<int64_t>& b) {
  std::vector<int64_t> free;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::find(a.begin(), a.end(), d) == a.end() &&
        std::find(b.begin(), b.end(), d) == b.end()) {
      free.push_back(d);
    }
  }
  return free;
}

absl::Status CheckOneIsLinear(Transposition& t) {
  if (t.IsLinear(0) && t.IsLinear(1)) return t.Refuse("both operands depend on linear arguments");
  return absl::OkStatus();
}

// Splits dimension `d` into `groups` and the rest, which take its place in this order.
ValueId SplitDimension(Emitter& e, ValueId x, int64_t d, int64_t groups) {
  if (!e.ok()) return 0;
  Dims dims = e.TypeOf(x).dims;
  dims[d] /= groups;
  dims.insert(dims.begin() + d, groups);
  return e.Reshape(x, std::move(dims));
}

// Joins dimension `outer` of `x` into `inner`, before what is there. Both are numbers of dimensions
// of `x`.
ValueId JoinDimension(Emitter& e, ValueId x, int64_t outer, int64_t inner) {
  if (!e.ok()) return 0;
  const TensorType type = e.TypeOf(x);
  TransposeAttributes order;
  Dims dims;
  for (int64_t d = 0; d < type.rank(); ++d) {
    if (d == outer) continue;
    if (d == inner) order.permutation.push_back(outer);
    order.permutation.push_back(d);
    dims.push_back(d == inner ? type.dims[outer] * type.dims[inner] : type.dims[d]);
  }
  return e.Reshape(e.Op(OpKind::kTranspose, {x}, std::move(order)), std::move(dims));
}

// Moves the groups of dimension `from` into dimension `to`, where they are the outer part.
ValueId MoveGroups(Emitter& e, ValueId x, int64_t from, int64_t to, int64_t groups) {
  const ValueId split = SplitDimension(e, x, from, groups);
  return JoinDimension(e, split, from, to < from ? to : to + 1);
}

// A convolution with all lists written out.
class Convolution {
 public:
  explicit Convolution(Transposition& t)
      : t_(t), attributes_(t.As<ConvolutionAttributes>()), rank_(t.operand_type(0).rank() - 2) {
    const auto size = static_cast<size_t>(rank_);
    if (attributes_.window_strides.empty()) attributes_.window_strides.assign(size, 1);
    if (attributes_.lhs_dilation.empty()) attributes_.lhs_dilation.assign(size, 1);
    if (attributes_.rhs_dilation.empty()) attributes_.rhs_dilation.assign(size, 1);
    if (attributes_.padding.pairs.empty()) attributes_.padding.pairs.assign(size, {0, 0});
    if (attributes_.window_reversal.empty()) attributes_.window_reversal.assign(size, false);
  }

  ValueId CotangentOfInput();
  ValueId CotangentOfKernel();

 private:
  int64_t InputSize(int64_t i) const {
    return t_.operand_type(0).dims[numbers().input_spatial_dimensions[i]];
  }
  int64_t KernelSize(int64_t i) const {
    return t_.operand_type(1).dims[numbers().kernel_spatial_dimensions[i]];
  }
  int64_t OutputSize(int64_t i) const {
    return t_.result_type().dims[numbers().output_spatial_dimensions[i]];
  }
  const ConvolutionDimensionNumbers& numbers() const { return attributes_.dimension_numbers; }
  // Reverses the kernel's spatial dimensions, those for which `reversed` says so.
  ValueId Reversed(ValueId kernel, const std::vector<bool>& reversed);

  Transposition& t_;
  ConvolutionAttributes attributes_;
  const int64_t rank_;
};

ValueId Convolution::Reversed(ValueId kernel, const std::vector<bool>& reversed) {
  DimensionsAttributes attributes;
  for (int64_t i = 0; i < rank_; ++i) {
    if (reversed[i]) {
      attributes.dimensions.push_back(numbers().kernel_spatial_dimensions[i]);
    }
  }
  if (attributes.dimensions.empty()) return kernel;
  return t_.emit.Op(OpKind::kReverse, {kernel}, std::move(attributes));
}

// A convolution of the output's cotangent with the reversed kernel, whose features are exchanged.
ValueId Convolution::CotangentOfInput() {
  Emitter& e = t_.emit;
  ConvolutionAttributes back = attributes_;
  ConvolutionDimensionNumbers& to = back.dimension_numbers;
  const ConvolutionDimensionNumbers& from = numbers();
  to.input_batch_dimension = from.output_batch_dimension;
  to.input_feature_dimension = from.output_feature_dimension;
  to.input_spatial_dimensions = from.output_spatial_dimensions;
  to.kernel_input_feature_dimension = from.kernel_output_feature_dimension;
  to.kernel_output_feature_dimension = from.kernel_input_feature_dimension;
  to.output_batch_dimension = from.input_batch_dimension;
  to.output_feature_dimension = from.input_feature_dimension;
  to.output_spatial_dimensions = from.input_spatial_dimensions;
  const int64_t batch_groups = attributes_.batch_group_count;
  const int64_t groups = std::max(attributes_.feature_group_count, batch_groups);
  back.feature_group_count = groups;
  back.batch_group_count = 1;
  back.window_strides = attributes_.lhs_dilation;
  back.lhs_dilation = attributes_.window_strides;
  std::vector<bool> reversed;
  for (int64_t i = 0; i < rank_; ++i) {
    const int64_t kernel = Dilated(KernelSize(i), attributes_.rhs_dilation[i]);
    const int64_t input = Dilated(InputSize(i), attributes_.lhs_dilation[i]);
    const int64_t output = Dilated(OutputSize(i), attributes_.window_strides[i]);
    const int64_t before = kernel - attributes_.padding.pairs[i].first - 1;
    back.padding.pairs[i] = {before, input + kernel - 1 - output - before};
    back.window_reversal[i] = false;
    reversed.push_back(!attributes_.window_reversal[i]);
  }
  ValueId kernel = t_.known(1);
  if (groups > 1) {
    kernel = MoveGroups(e, kernel, from.kernel_output_feature_dimension,
                        from.kernel_input_feature_dimension, groups);
  }
  kernel = Reversed(kernel, reversed);
  TensorType type = t_.operand_type(0);
  if (batch_groups > 1) {
    type.dims[from.input_batch_dimension] /= batch_groups;
    type.dims[from.input_feature_dimension] *= batch_groups;
  }
  const ValueId cotangent =
      e.Op(OpKind::kConvolution, {t_.cotangent(), kernel}, std::move(back), &type);
  if (batch_groups == 1) return cotangent;
  return MoveGroups(e, cotangent, from.input_feature_dimension, from.input_batch_dimension,
                    batch_groups);
}

// A convolution of the input with the output's cotangent, in which batch and features are
// exchanged.
ValueId Convolution::CotangentOfKernel() {
  ConvolutionAttributes back = attributes_;
  ConvolutionDimensionNumbers& to = back.dimension_numbers;
  const ConvolutionDimensionNumbers& from = numbers();
  to.input_batch_dimension = from.input_feature_dimension;
  to.input_feature_dimension = from.input_batch_dimension;
  to.kernel_input_feature_dimension = from.output_batch_dimension;
  to.kernel_output_feature_dimension = from.output_feature_dimension;
  to.kernel_spatial_dimensions = from.output_spatial_dimensions;
  to.output_batch_dimension = from.kernel_input_feature_dimension;
  to.output_feature_dimension = from.kernel_output_feature_dimension;
  to.output_spatial_dimensions = from.kernel_spatial_dimensions;
  back.feature_group_count = attributes_.batch_group_count;
  back.batch_group_count = attributes_.feature_group_count;
  back.window_strides = attributes_.rhs_dilation;
  back.rhs_dilation = attributes_.window_strides;
  for (int64_t i = 0; i < rank_; ++i) {
    const int64_t kernel = Dilated(KernelSize(i), attributes_.rhs_dilation[i]);
    const int64_t input = Dilated(InputSize(i), attributes_.lhs_dilation[i]);
    const int64_t output = Dilated(OutputSize(i), attributes_.window_strides[i]);
    const int64_t before = attributes_.padding.pairs[i].first;
    back.padding.pairs[i] = {before, output - input + kernel - before - 1};
    back.window_reversal[i] = false;
  }
  const ValueId cotangent = t_.emit.Op(OpKind::kConvolution, {t_.known(0), t_.cotangent()},
                                       std::move(back), &t_.operand_type(1));
  return Reversed(cotangent, attributes_.window_reversal);
}

}  // namespace

absl::Status TransposeConvolution(Transposition& t) {
  ACCELD_RETURN_IF_ERROR(CheckOneIsLinear(t));
  Convolution convolution(t);
  if (t.IsLinear(0)) t.AddCotangent(0, convolution.CotangentOfInput());
  if (t.IsLinear(1)) t.AddCotangent(1, convolution.CotangentOfKernel());
  return absl::OkStatus();
}

// The result's dimensions are the batching ones, the free ones of the left operand, and those of
// the right one.
absl::Status TransposeDotGeneral(Transposition& t) {
  ACCELD_RETURN_IF_ERROR(CheckOneIsLinear(t));
  const DotGeneralAttributes& dot = t.As<DotGeneralAttributes>();
  const DotDimensionNumbers& numbers = dot.dot_dimension_numbers;
  const bool is_left = t.IsLinear(0);
  const size_t self = is_left ? 0 : 1, other = 1 - self;
  const std::vector<int64_t>* batching[] = {&numbers.lhs_batching_dimensions,
                                            &numbers.rhs_batching_dimensions};
  const std::vector<int64_t>* contracting[] = {&numbers.lhs_contracting_dimensions,
                                               &numbers.rhs_contracting_dimensions};
  const std::vector<int64_t> self_free =
      FreeDimensions(t.operand_type(self).rank(), *batching[self], *contracting[self]);
  const std::vector<int64_t> other_free =
      FreeDimensions(t.operand_type(other).rank(), *batching[other], *contracting[other]);
  const auto num_batching = static_cast<int64_t>(batching[0]->size());

  DotGeneralAttributes back{.precision_config = dot.precision_config, .algorithm = dot.algorithm};
  DotDimensionNumbers& to = back.dot_dimension_numbers;
  to.lhs_batching_dimensions.resize(static_cast<size_t>(num_batching));
  std::iota(to.lhs_batching_dimensions.begin(), to.lhs_batching_dimensions.end(), 0);
  to.rhs_batching_dimensions = *batching[other];
  // In the cotangent, the other's free dimensions come last if the linear operand is the left one.
  const int64_t first = num_batching + (is_left ? static_cast<int64_t>(self_free.size()) : 0);
  for (size_t i = 0; i < other_free.size(); ++i) {
    to.lhs_contracting_dimensions.push_back(first + static_cast<int64_t>(i));
  }
  to.rhs_contracting_dimensions = other_free;

  // The dimension of the linear operand that each dimension of the product is.
  std::vector<int64_t> axes = *batching[self];
  axes.insert(axes.end(), self_free.begin(), self_free.end());
  std::vector<size_t> order(contracting[other]->size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return (*contracting[other])[a] < (*contracting[other])[b];
  });
  for (const size_t i : order) axes.push_back((*contracting[self])[i]);
  const TensorType& self_type = t.operand_type(self);
  TensorType type{self_type.dtype, {}};
  TransposeAttributes transpose;
  transpose.permutation.resize(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    type.dims.push_back(self_type.dims[axes[i]]);
    transpose.permutation[axes[i]] = static_cast<int64_t>(i);
  }
  Emitter& e = t.emit;
  ValueId product =
      e.Op(OpKind::kDotGeneral, {t.cotangent(), t.known(other)}, std::move(back), &type);
  if (!std::is_sorted(axes.begin(), axes.end())) {
    product = e.Op(OpKind::kTranspose, {product}, std::move(transpose));
  }
  t.AddCotangent(self, product);
  return absl::OkStatus();
}

// Derivatives of these are refused.
ACCELD_NOT_LINEAR(Einsum)
ACCELD_NOT_LINEAR(UnaryEinsum)

}  // namespace acceld::ir

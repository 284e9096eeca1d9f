#include <algorithm>

#include "tests/unit/compiler/spmd/random/sharded_function.h"

// Matrix products, convolutions and library routines.
namespace acceld::compiler::spmd {

using ir::DType;
using ir::OpKind;

namespace {

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Returns the dimensions that are neither batches nor contracted.
ir::Dims FreeDims(const ir::TensorType& type, const std::vector<int64_t>& batching,
                  const std::vector<int64_t>& contracting) {
  ir::Dims dims;
  for (int64_t d = 0; d < type.rank(); ++d) {
    if (Contains(batching, d) || Contains(contracting, d)) continue;
    dims.push_back(type.dims[static_cast<size_t>(d)]);
  }
  return dims;
}

}  // namespace

void ShardedFunction::TryDot() {
  const Value any = AnyValue(1);
  const DType dtype = TypeOf(any).dtype;
  if (dtype == DType::kI1) return;
  const Value x = ir::IsFloat(dtype) && any.exact && !dice_.OneIn(6) ? Small(any) : any;
  const ir::TensorType type = TypeOf(x);
  ir::DotGeneralAttributes dot;
  auto& numbers = dot.dot_dimension_numbers;
  ir::TensorType other{dtype, {}};
  int64_t count = 1;
  for (int64_t d = 0; d < type.rank(); ++d) {
    const int64_t choice = dice_.Below(3);
    if (choice == 0) continue;
    auto& lhs = choice == 1 ? numbers.lhs_contracting_dimensions : numbers.lhs_batching_dimensions;
    auto& rhs = choice == 1 ? numbers.rhs_contracting_dimensions : numbers.rhs_batching_dimensions;
    const int64_t size = type.dims[static_cast<size_t>(d)];
    if (choice == 1) count *= size;
    if (dice_.OneIn(3)) other.dims.push_back(2 * dice_.Between(1, 4));
    lhs.push_back(d);
    rhs.push_back(other.rank());
    other.dims.push_back(size);
  }
  if (dice_.OneIn(2)) other.dims.push_back(dice_.Between(1, 8));
  if (other.num_elements() > 600 || other.num_elements() * type.num_elements() > 50'000) return;
  const Value y = ValueOf(other);
  const Value small = ir::IsFloat(dtype) && y.exact && x.bound > 0 ? Small(y) : y;
  ir::TensorType result{dtype, {}};
  for (const int64_t d : numbers.lhs_batching_dimensions) {
    result.dims.push_back(type.dims[static_cast<size_t>(d)]);
  }
  for (const int64_t size :
       FreeDims(type, numbers.lhs_batching_dimensions, numbers.lhs_contracting_dimensions)) {
    result.dims.push_back(size);
  }
  for (const int64_t size :
       FreeDims(other, numbers.rhs_batching_dimensions, numbers.rhs_contracting_dimensions)) {
    result.dims.push_back(size);
  }
  const int64_t bound = 2 * x.bound * small.bound * std::max<int64_t>(1, count);
  Keep(Make(OpKind::kDotGeneral, {x, small}, dot, &result), bound,
       IsExact(OpKind::kAdd, dtype, bound), {x, small});
}

void ShardedFunction::TryConvolution() {
  const Value x = Small(NumberValue(2, /*integer=*/true, /*real=*/true));
  const ir::TensorType input = TypeOf(x);
  ir::ConvolutionAttributes conv;
  auto& numbers = conv.dimension_numbers;
  // Where the batch, the features and the spatial dimensions stand.
  const auto any_order = [&] {
    std::vector<int64_t> order(static_cast<size_t>(input.rank()));
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    if (dice_.OneIn(2)) std::rotate(order.begin(), order.begin() + dice_.Below(2), order.end());
    return order;
  };
  const std::vector<int64_t> in = any_order(), k = any_order(), out = any_order();
  numbers.input_batch_dimension = in[0];
  numbers.input_feature_dimension = in[1];
  numbers.input_spatial_dimensions.assign(in.begin() + 2, in.end());
  numbers.kernel_input_feature_dimension = k[0];
  numbers.kernel_output_feature_dimension = k[1];
  numbers.kernel_spatial_dimensions.assign(k.begin() + 2, k.end());
  numbers.output_batch_dimension = out[0];
  numbers.output_feature_dimension = out[1];
  numbers.output_spatial_dimensions.assign(out.begin() + 2, out.end());
  const auto size_of = [&](size_t i) { return input.dims[static_cast<size_t>(in[i])]; };
  const auto divisor_of = [&](int64_t n) {
    const int64_t d = dice_.OneIn(3) ? n : dice_.Between(1, std::min<int64_t>(n, 4));
    return n % d == 0 ? d : 1;
  };
  if (dice_.OneIn(3)) {
    conv.feature_group_count = divisor_of(size_of(1));
  } else if (dice_.OneIn(4)) {
    conv.batch_group_count = divisor_of(size_of(0));
  }
  const int64_t groups = conv.feature_group_count * conv.batch_group_count;
  ir::TensorType kernel{input.dtype, ir::Dims(static_cast<size_t>(input.rank()), 1)};
  kernel.dims[static_cast<size_t>(k[0])] = size_of(1) / conv.feature_group_count;
  kernel.dims[static_cast<size_t>(k[1])] = groups * dice_.Between(1, 4);
  for (size_t d = 2; d < in.size(); ++d) {
    kernel.dims[static_cast<size_t>(k[d])] = dice_.Between(1, 3);
    conv.window_strides.push_back(dice_.Between(1, 2));
    conv.padding.pairs.emplace_back(dice_.Between(-1, 2), dice_.Between(-1, 2));
    conv.lhs_dilation.push_back(dice_.OneIn(4) ? 2 : 1);
    conv.rhs_dilation.push_back(dice_.OneIn(4) ? 2 : 1);
    conv.window_reversal.push_back(dice_.OneIn(4));
  }
  if (kernel.num_elements() > 600) return;
  KeepConvolution(x, Small(ValueOf(kernel)), conv);
}

void ShardedFunction::KeepConvolution(const Value& x, const Value& kernel,
                                      const ir::ConvolutionAttributes& conv) {
  const ir::Type operands[] = {TypeOf(x), TypeOf(kernel)};
  const ir::OpAttributes attributes = conv;
  const auto inferred = ir::InferResultTypes({.kind = OpKind::kConvolution,
                                              .attributes = attributes,
                                              .operands = operands,
                                              .regions = {},
                                              .declared = {}});
  if (!inferred.ok()) return;
  const ir::TensorType result = (*inferred)[0].tensor();
  const int64_t bound =
      x.bound * kernel.bound * std::max<int64_t>(1, TypeOf(kernel).num_elements());
  Keep(Make(OpKind::kConvolution, {x, kernel}, conv, &result), bound,
       IsExact(OpKind::kAdd, result.dtype, bound), {x, kernel});
}

// Of x times its transpose, plus a multiple of the identity, so that it is positive definite.
void ShardedFunction::TryCholesky() {
  const Value x = Small(NumberValue(2, /*integer=*/false, /*real=*/true));
  const ir::TensorType type = TypeOf(x);
  if (ir::BitsOf(type.dtype) < 32) return;
  ir::DotGeneralAttributes dot;
  auto& numbers = dot.dot_dimension_numbers;
  for (int64_t d = 0; d < type.rank() - 2; ++d) numbers.lhs_batching_dimensions.push_back(d);
  numbers.rhs_batching_dimensions = numbers.lhs_batching_dimensions;
  numbers.lhs_contracting_dimensions = numbers.rhs_contracting_dimensions = {type.rank() - 1};
  ir::TensorType square = type;
  square.dims[square.dims.size() - 1] = square.dims[square.dims.size() - 2];
  if (square.num_elements() > 600) return;
  const ir::ValueId product = *b_.AddOne(OpKind::kDotGeneral, {x.id, x.id}, dot, {square});
  ir::TensorType index = square;
  index.dtype = DType::kI32;
  const ir::ValueId row =
      *b_.AddOne(OpKind::kIota, {}, ir::IotaAttributes{square.rank() - 2}, {index});
  const ir::ValueId column =
      *b_.AddOne(OpKind::kIota, {}, ir::IotaAttributes{square.rank() - 1}, {index});
  const ir::ValueId is_diagonal =
      *b_.AddOne(OpKind::kCompare, {row, column}, ir::CompareAttributes{});
  const ir::ValueId larger = *b_.AddOne(
      OpKind::kAdd, {product, b_.Constant(ir::Literal::Filled(ir::TensorType(square), 4))});
  const ir::ValueId a = *b_.AddOne(OpKind::kSelect, {is_diagonal, larger, product});
  Keep(b_.AddOne(OpKind::kCholesky, {a}, ir::CholeskyAttributes{dice_.OneIn(2)}), 0, true, {x});
}

// With ones on the diagonal, and few small numbers beside it.
void ShardedFunction::TryTriangularSolve() {
  const Value b = Small(NumberValue(2, /*integer=*/false, /*real=*/true));
  ir::TensorType type = TypeOf(b);
  if (ir::BitsOf(type.dtype) < 32) return;
  static constexpr ir::Transpose kTransposes[] = {ir::Transpose::kNoTranspose,
                                                  ir::Transpose::kTranspose};
  ir::TriangularSolveAttributes solve{.left_side = dice_.OneIn(2),
                                      .lower = dice_.OneIn(2),
                                      .unit_diagonal = true,
                                      .transpose_a = dice_.Pick(kTransposes)};
  const size_t rank = type.dims.size();
  const int64_t size = type.dims[rank - (solve.left_side ? 2 : 1)];
  type.dims[rank - 2] = type.dims[rank - 1] = size;
  if (type.num_elements() > 600) return;
  const Value a = Small(ValueOf(type), 1);
  Keep(Make(OpKind::kTriangularSolve, {a, b}, solve), 0, true, {a, b});
}

void ShardedFunction::TryFft() {
  const Value x = Small(NumberValue(1, /*integer=*/false, /*real=*/true, /*complex=*/true));
  const ir::TensorType type = TypeOf(x);
  const bool is_complex = ir::IsComplex(type.dtype);
  ir::FftAttributes fft;
  fft.fft_type = is_complex ? ir::FftType::kFft : ir::FftType::kRfft;
  if (is_complex && dice_.OneIn(2)) fft.fft_type = ir::FftType::kIfft;
  const int64_t transformed = dice_.Between(1, std::min<int64_t>(2, type.rank()));
  for (int64_t d = type.rank() - transformed; d < type.rank(); ++d) {
    fft.fft_length.push_back(type.dims[static_cast<size_t>(d)]);
  }
  Keep(Make(OpKind::kFft, {x}, fft), 0, true, {x});
}

}  // namespace acceld::compiler::spmd

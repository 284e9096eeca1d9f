#include "server/compiler/passes/products/canonicalize_convolutions.h"

#include <utility>
#include <vector>

#include "server/compiler/passes/rewriter.h"
#include "server/compiler/plan/steps/convolution.h"

namespace acceld::compiler {
namespace {

// With fewer multiplications a plain loop nest is as fast as transposes and a library.
constexpr double kMinWork = 32 * 1024;

// Returns the permutation that brings dimensions into a given order. `order` points to the numbers
// of the dimensions, outermost first; the function overwrites these numbers by 0, 1, ....
std::vector<int64_t> Reorder(const std::vector<int64_t*>& order) {
  std::vector<int64_t> permutation;
  for (int64_t* number : order) {
    permutation.push_back(*number);
    *number = static_cast<int64_t>(permutation.size()) - 1;
  }
  return permutation;
}

std::vector<int64_t*> SpatialNumbers(std::vector<int64_t>& spatial) {
  std::vector<int64_t*> numbers;
  for (int64_t& number : spatial) numbers.push_back(&number);
  return numbers;
}

bool IsIdentity(const std::vector<int64_t>& permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

ir::TensorType Permuted(const ir::TensorType& type, const std::vector<int64_t>& permutation) {
  ir::TensorType out{type.dtype, {}};
  for (int64_t d : permutation) out.dims.push_back(type.dims[d]);
  return out;
}

ir::ValueId Transposed(Rewriter& rewriter, ir::ValueId value,
                       const std::vector<int64_t>& permutation, const ir::Location& location) {
  if (IsIdentity(permutation)) return value;
  ir::TensorType type = Permuted(rewriter.TensorOf(value), permutation);
  return rewriter.Emit(ir::OpKind::kTranspose, {value}, ir::TransposeAttributes{permutation},
                       std::move(type), location);
}

// The permutations of the three tensors of a convolution.
struct Orders {
  std::vector<int64_t> lhs, rhs, out;
};

// Returns the permutations that make the feature dimensions the last ones, with the kernel's input
// features before its output features. Updates the dimension numbers `n` accordingly.
Orders FeaturesLast(ir::ConvolutionDimensionNumbers& n) {
  const auto around = [](int64_t* first, std::vector<int64_t*> middle, int64_t* last) {
    middle.insert(middle.begin(), first);
    middle.push_back(last);
    return middle;
  };
  std::vector<int64_t*> kernel = SpatialNumbers(n.kernel_spatial_dimensions);
  kernel.push_back(&n.kernel_input_feature_dimension);
  kernel.push_back(&n.kernel_output_feature_dimension);
  return {Reorder(around(&n.input_batch_dimension, SpatialNumbers(n.input_spatial_dimensions),
                         &n.input_feature_dimension)),
          Reorder(kernel),
          Reorder(around(&n.output_batch_dimension, SpatialNumbers(n.output_spatial_dimensions),
                         &n.output_feature_dimension))};
}

// Whether a library can compute the convolution as it is: the target's library for convolutions or,
// if that does not support its types, one for matrix products.
bool IsGood(const ir::TensorType& lhs, const ir::TensorType& rhs, const ir::TensorType& result,
            const ir::ConvolutionAttributes& attributes, const codegen::Target& target) {
  const auto step = MatchConvolution(lhs, rhs, result, attributes);
  return step.has_value() && ReadsContiguously(step->shape) &&
         (step->shape.IsProduct() || target.SupportsConvolution(*step));
}

// Transposes the kernel and returns true, if that alone makes the convolution good (IsGood).
bool TransposeKernel(Rewriter& rewriter, ir::Op& op, const ir::TensorType& lhs,
                     const ir::TensorType& result, const codegen::Target& target) {
  const auto& attributes = std::get<ir::ConvolutionAttributes>(op.attributes);
  for (const bool features_outermost : {false, true}) {
    ir::ConvolutionAttributes changed = attributes;
    ir::ConvolutionDimensionNumbers& n = changed.dimension_numbers;
    std::vector<int64_t*> order = SpatialNumbers(n.kernel_spatial_dimensions);
    order.insert(features_outermost ? order.begin() : order.end(),
                 &n.kernel_input_feature_dimension);
    order.push_back(&n.kernel_output_feature_dimension);
    const std::vector<int64_t> permutation = Reorder(order);
    if (!IsGood(lhs, Permuted(rewriter.TensorOf(op.operands[1]), permutation), result, changed,
                target)) {
      continue;
    }
    op.operands[1] = Transposed(rewriter, op.operands[1], permutation, op.location);
    op.attributes = std::move(changed);
    return true;
  }
  return false;
}

absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op, const codegen::Target& target) {
  if (op.kind != ir::OpKind::kConvolution) return false;
  const ir::TensorType lhs = rewriter.TensorOf(op.operands[0]);
  const ir::TensorType rhs = rewriter.TensorOf(op.operands[1]);
  const ir::TensorType result = rewriter.TensorOf(op.results[0]);
  auto attributes = std::get<ir::ConvolutionAttributes>(op.attributes);
  if (NumMultiplications(rhs, result, attributes.dimension_numbers) < kMinWork) return false;
  if (IsGood(lhs, rhs, result, attributes, target)) return false;
  if (TransposeKernel(rewriter, op, lhs, result, target)) return false;

  const Orders orders = FeaturesLast(attributes.dimension_numbers);
  if (IsIdentity(orders.lhs) && IsIdentity(orders.rhs) && IsIdentity(orders.out)) return false;
  const ir::ValueId x = Transposed(rewriter, op.operands[0], orders.lhs, op.location);
  const ir::ValueId kernel = Transposed(rewriter, op.operands[1], orders.rhs, op.location);
  const ir::ValueId convolved =
      rewriter.Emit(ir::OpKind::kConvolution, {x, kernel}, std::move(attributes),
                    Permuted(result, orders.out), op.location);
  std::vector<int64_t> back(orders.out.size());
  for (size_t i = 0; i < back.size(); ++i) back[orders.out[i]] = static_cast<int64_t>(i);
  rewriter.Replace(op.results[0], Transposed(rewriter, convolved, back, op.location));
  return true;
}

}  // namespace

absl::StatusOr<ir::Module> CanonicalizeConvolutions(const ir::Module& module,
                                                    const codegen::Target& target) {
  return RewriteEach(
      module, [&target](Rewriter& rewriter, ir::Op& op) { return Visit(rewriter, op, target); });
}

}  // namespace acceld::compiler

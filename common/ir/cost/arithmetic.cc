#include "common/ir/cost/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "common/ir/cost/convolution_taps.h"
#include "common/ir/einsum.h"

namespace acceld::ir {
namespace {

constexpr double kMultiplyAdd = 2;
constexpr double kComplexMultiply = 4;

double ElementsOf(const TensorType& type) {
  return type.IsStatic() ? static_cast<double>(type.num_elements()) : 0;
}
double ElementsOf(const Function& function, ValueId id) {
  const Type& type = function.TypeOf(id);
  return type.IsTensor() ? ElementsOf(type.tensor()) : 0;
}
double OperandElements(const Function& function, const Op& op) {
  return op.operands.empty() ? 0 : ElementsOf(function, op.operands[0]);
}
double ResultElements(const Function& function, const Op& op) {
  return op.results.empty() ? 0 : ElementsOf(function, op.results[0]);
}

Arithmetic Times(const Arithmetic& once, double times) {
  return {once.flops * times, once.transcendentals * times};
}

double SizeOf(const TensorType& type, int64_t dimension) {
  return static_cast<double>(type.dims[static_cast<size_t>(dimension)]);
}

bool IsTranscendental(OpKind kind) {
  static constexpr OpKind kKinds[] = {OpKind::kAtan2,
                                      OpKind::kCbrt,
                                      OpKind::kCosine,
                                      OpKind::kExponential,
                                      OpKind::kExponentialMinusOne,
                                      OpKind::kLog,
                                      OpKind::kLogPlusOne,
                                      OpKind::kLogistic,
                                      OpKind::kPower,
                                      OpKind::kRsqrt,
                                      OpKind::kSine,
                                      OpKind::kSqrt,
                                      OpKind::kTan,
                                      OpKind::kTanh};
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

double DotFlops(const Function& function, const Op& op) {
  const TensorType& lhs = function.TensorOf(op.operands[0]);
  double contracted = 1;
  const auto& numbers = op.As<DotGeneralAttributes>().dot_dimension_numbers;
  for (const int64_t dimension : numbers.lhs_contracting_dimensions) {
    contracted *= SizeOf(lhs, dimension);
  }
  return kMultiplyAdd * ResultElements(function, op) * contracted;
}

template <typename Values>
int64_t At(const Values& values, size_t i, int64_t otherwise) {
  return values.empty() ? otherwise : static_cast<int64_t>(values[i]);
}

double ConvolutionFlops(const Function& function, const Op& op) {
  const auto& attributes = op.As<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  const TensorType& input = function.TensorOf(op.operands[0]);
  const TensorType& kernel = function.TensorOf(op.operands[1]);
  const TensorType& output = function.TensorOf(op.results[0]);
  double flops = kMultiplyAdd * SizeOf(kernel, numbers.kernel_input_feature_dimension) *
                 SizeOf(output, numbers.output_feature_dimension) *
                 SizeOf(output, numbers.output_batch_dimension);
  for (size_t i = 0; i < numbers.input_spatial_dimensions.size(); ++i) {
    const auto size = [](const TensorType& type, int64_t dimension) {
      return type.dims[static_cast<size_t>(dimension)];
    };
    flops *= ConvolutionTapsOf(
        {.input = size(input, numbers.input_spatial_dimensions[i]),
         .kernel = size(kernel, numbers.kernel_spatial_dimensions[i]),
         .output = size(output, numbers.output_spatial_dimensions[i]),
         .stride = At(attributes.window_strides, i, 1),
         .padding_low = attributes.padding.pairs.empty() ? 0 : attributes.padding.pairs[i].first,
         .input_dilation = At(attributes.lhs_dilation, i, 1),
         .kernel_dilation = At(attributes.rhs_dilation, i, 1)});
  }
  return flops;
}

double EinsumFlops(const Function& function, const Op& op) {
  std::vector<int64_t> ranks;
  for (const ValueId id : op.operands) ranks.push_back(function.TensorOf(id).rank());
  const absl::StatusOr<EinsumLabels> labels =
      ReadEinsum(op.As<EinsumAttributes>().einsum_config, ranks);
  if (!labels.ok()) return 0;
  std::set<int> seen;
  double positions = 1;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    for (size_t d = 0; d < labels->operands[i].size(); ++d) {
      if (!seen.insert(labels->operands[i][d]).second) continue;
      positions *= SizeOf(function.TensorOf(op.operands[i]), static_cast<int64_t>(d));
    }
  }
  return op.kind == OpKind::kUnaryEinsum ? positions : kMultiplyAdd * positions;
}

double FftFlops(const Function& function, const Op& op) {
  const auto& attributes = op.As<FftAttributes>();
  // For a transform from or to real numbers, the real numbers count.
  const double elements = attributes.fft_type == FftType::kIrfft ? ResultElements(function, op)
                                                                 : OperandElements(function, op);
  double logarithms = 0;
  for (const int64_t length : attributes.fft_length) {
    if (length > 0) logarithms += std::floor(std::log2(static_cast<double>(length)));
  }
  return kMultiplyAdd * kComplexMultiply * elements * logarithms;
}

// The number of comparisons of a sort.
double SortFlops(double elements) {
  return elements > 1 ? elements * std::ceil(std::log2(elements)) : 0;
}

double WindowElements(absl::Span<const int64_t> window) {
  double elements = 1;
  for (const int64_t size : window) elements *= static_cast<double>(size);
  return elements;
}

Arithmetic OfNest(const Function& function, const Op& op, absl::Span<const Arithmetic> regions) {
  const double results = ResultElements(function, op);
  if (op.kind == OpKind::kReduce) {
    return Times(regions[0], std::max(OperandElements(function, op) - results, 0.0));
  }
  if (op.kind == OpKind::kReduceWindow) {
    const double window = WindowElements(op.As<WindowAttributes>().window_dimensions);
    return Times(regions[0], results * std::max(window - 1, 0.0));
  }
  if (op.kind == OpKind::kSelectAndScatter) {
    const double sources = ElementsOf(function, op.operands[1]);
    const double window = WindowElements(op.As<SelectAndScatterAttributes>().window_dimensions);
    const Arithmetic select = Times(regions[0], sources * std::max(window - 1, 0.0));
    const Arithmetic scatter = Times(regions[1], sources);
    return {select.flops + scatter.flops, select.transcendentals + scatter.transcendentals};
  }
  if (op.kind == OpKind::kScatter) {
    return Times(regions[0], ElementsOf(function, op.operands[op.results.size() + 1]));
  }
  if (op.kind == OpKind::kDynamicUpdateSlice) return {};
  return {.flops = SortFlops(OperandElements(function, op))};
}

double RoutineFlops(const Function& function, const Op& op) {
  if (op.kind == OpKind::kFft) return FftFlops(function, op);
  const TensorType& a = function.TensorOf(op.operands[0]);
  const double n = SizeOf(a, a.rank() - 1);
  if (op.kind == OpKind::kCholesky) return ElementsOf(a) * n / 3;
  // triangular_solve: a multiplication and a subtraction with half of the matrix for each element.
  return n * ElementsOf(function, op.operands[1]);
}

// Operations for each element of the operand. Those that are done once for each feature do not
// count.
double BatchNormFlops(OpKind kind) {
  if (kind == OpKind::kBatchNormInference) return 4;  // (x - mean) * factor * scale + offset
  if (kind == OpKind::kBatchNormTraining) return 8;   // and the sums of x and (x - mean)^2
  return 12;
}

Arithmetic OfDerived(const Function& function, const Op& op, absl::Span<const Arithmetic> regions) {
  const double operands = OperandElements(function, op);
  if (op.kind == OpKind::kMap) return Times(regions[0], ResultElements(function, op));
  if (op.kind == OpKind::kEinsum || op.kind == OpKind::kUnaryEinsum) {
    return {.flops = EinsumFlops(function, op)};
  }
  if (op.kind == OpKind::kRng || op.kind == OpKind::kRngBitGenerator) {
    Arithmetic arithmetic;
    for (const ValueId id : op.results) arithmetic.transcendentals += ElementsOf(function, id);
    return arithmetic;
  }
  if (op.kind == OpKind::kTorchIndexSelect) return {};
  return {.flops = BatchNormFlops(op.kind) * operands,
          .transcendentals = ElementsOf(function, op.operands[1])};
}

}  // namespace

Arithmetic ArithmeticOf(const Function& function, const Op& op,
                        absl::Span<const Arithmetic> regions) {
  switch (FamilyOf(op.kind)) {
    case OpFamily::kElementwise: {
      const double elements = ResultElements(function, op);
      if (IsTranscendental(op.kind)) return {.transcendentals = elements};
      return {.flops = elements};
    }
    case OpFamily::kNest:
      return OfNest(function, op, regions);
    case OpFamily::kContraction:
      return {.flops = op.kind == OpKind::kConvolution ? ConvolutionFlops(function, op)
                                                       : DotFlops(function, op)};
    case OpFamily::kRoutine:
      return {.flops = RoutineFlops(function, op)};
    case OpFamily::kDerived:
      return OfDerived(function, op, regions);
    case OpFamily::kIndexing:
    case OpFamily::kDynamic:  // not in a static program
    case OpFamily::kCollective:
    case OpFamily::kSharding:
    case OpFamily::kStructure:
      return {};
  }
  return {};
}

}  // namespace acceld::ir

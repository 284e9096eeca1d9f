#include "common/ir/infer/rules.h"
#include "common/ir/verify/limits.h"

// Rules of the ops that slide a window over their operand.
namespace acceld::ir {
namespace {

// Checks a list of one positive number for each dimension; an empty list stands for ones.
absl::Status CheckPositive(absl::string_view what, absl::Span<const int64_t> values, int64_t rank) {
  if (values.empty()) return absl::OkStatus();
  ACCELD_RETURN_IF_ERROR(CheckSize(what, values.size(), rank));
  for (int64_t i = 0; i < rank; ++i) {
    if (values[i] < 1) return Refuse(what, " has ", values[i], " at dimension ", i);
    if (values[i] > limits::kMaxTensorBytes) {
      return Refuse(what, " has ", values[i], " at dimension ", i, ", above the limit of ",
                    limits::kMaxTensorBytes);
    }
  }
  return absl::OkStatus();
}

int64_t AtOr(absl::Span<const int64_t> values, int64_t i, int64_t otherwise) {
  return values.empty() ? otherwise : values[i];
}

// How a window moves over `rank` dimensions; empty lists stand for the defaults.
struct Window {
  absl::Span<const int64_t> sizes, strides, base_dilations, window_dilations;
  absl::Span<const std::pair<int64_t, int64_t>> padding;
};

absl::Status CheckWindow(const Window& window, int64_t rank) {
  ACCELD_RETURN_IF_ERROR(CheckPositive("window_strides", window.strides, rank));
  if (window.padding.empty()) return absl::OkStatus();
  return CheckSize("padding", window.padding.size(), rank);
}

// Returns how many positions the window has along dimension `i` of `size` elements. Dynamic sizes
// make a dynamic count.
absl::StatusOr<int64_t> CountWindowPositions(const Window& window, int64_t i, int64_t size) {
  const int64_t window_size = AtOr(window.sizes, i, 1);
  if (size == kDynamicDim || window_size == kDynamicDim) return kDynamicDim;
  const auto [low, high] =
      window.padding.empty() ? std::pair<int64_t, int64_t>() : window.padding[i];
  ACCELD_ASSIGN_OR_RETURN(const int64_t padded,
                          PaddedSize(size, low, high, AtOr(window.base_dilations, i, 1) - 1, i));
  ACCELD_ASSIGN_OR_RETURN(
      const int64_t extent,
      PaddedSize(window_size, 0, 0, AtOr(window.window_dilations, i, 1) - 1, i));
  if (padded <= 0 || extent > padded) return 0;
  return (padded - extent) / AtOr(window.strides, i, 1) + 1;
}

absl::Status CheckDivides(absl::string_view count_name, int64_t count, absl::string_view what,
                          int64_t size) {
  if (size == kDynamicDim || size % count == 0) return absl::OkStatus();
  return Refuse(count_name, " ", count, " does not divide the ", what, " of size ", size);
}

// Checks the order of the dimensions of a tensor, two named ones and the spatial ones: it must be a
// permutation.
absl::Status CheckLayout(absl::string_view what, int64_t first, int64_t second,
                         absl::Span<const int64_t> spatial, int64_t rank) {
  std::vector<int64_t> all = {first, second};
  all.insert(all.end(), spatial.begin(), spatial.end());
  const std::string name = absl::StrCat("the dimensions of the ", what);
  ACCELD_RETURN_IF_ERROR(CheckSize(name, all.size(), rank));
  return CheckDimList(name, all, rank);
}

absl::Status CheckLayouts(const ConvolutionDimensionNumbers& numbers, int64_t rank) {
  ACCELD_RETURN_IF_ERROR(CheckLayout("input", numbers.input_batch_dimension,
                                     numbers.input_feature_dimension,
                                     numbers.input_spatial_dimensions, rank));
  ACCELD_RETURN_IF_ERROR(CheckLayout("kernel", numbers.kernel_input_feature_dimension,
                                     numbers.kernel_output_feature_dimension,
                                     numbers.kernel_spatial_dimensions, rank));
  return CheckLayout("output", numbers.output_batch_dimension, numbers.output_feature_dimension,
                     numbers.output_spatial_dimensions, rank);
}

absl::Status CheckGroups(const ConvolutionAttributes& attributes, const TensorType& lhs,
                         const TensorType& rhs) {
  const ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  const int64_t features = attributes.feature_group_count;
  const int64_t batches = attributes.batch_group_count;
  if (features < 1) return Refuse("feature_group_count is ", features);
  if (batches < 1) return Refuse("batch_group_count is ", batches);
  if (features > 1 && batches > 1) {
    return Refuse("feature_group_count ", features, " and batch_group_count ", batches,
                  " cannot both be above 1");
  }
  const int64_t input_features = lhs.dims[numbers.input_feature_dimension];
  const int64_t kernel_features = rhs.dims[numbers.kernel_input_feature_dimension];
  const int64_t output_features = rhs.dims[numbers.kernel_output_feature_dimension];
  ACCELD_RETURN_IF_ERROR(CheckDivides("batch_group_count", batches, "input's batch dimension",
                                      lhs.dims[numbers.input_batch_dimension]));
  ACCELD_RETURN_IF_ERROR(
      CheckDivides("feature_group_count", features, "input's feature dimension", input_features));
  ACCELD_RETURN_IF_ERROR(CheckDivides("batch_group_count", batches,
                                      "kernel's output feature dimension", output_features));
  ACCELD_RETURN_IF_ERROR(CheckDivides("feature_group_count", features,
                                      "kernel's output feature dimension", output_features));
  if (input_features != kDynamicDim && !MayEqual(input_features / features, kernel_features)) {
    return Refuse("the kernel reads ", kernel_features, " input features where the input has ",
                  input_features, " in ", features, " groups");
  }
  return absl::OkStatus();
}

// Checks everything but the padding, and returns the type of the result for `padding`.
InferResult InferConvolved(const InferContext& context,
                           absl::Span<const std::pair<int64_t, int64_t>> padding) {
  const TensorType& lhs = context.operand(0);
  const TensorType& rhs = context.operand(1);
  const auto& attributes = context.As<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  if (lhs.rank() != rhs.rank() || lhs.rank() < 2) {
    return Refuse("the input ", lhs.ToString(), " and the kernel ", rhs.ToString(),
                  " must have one rank of at least 2");
  }
  ACCELD_RETURN_IF_ERROR(CheckLayouts(numbers, lhs.rank()));
  ACCELD_RETURN_IF_ERROR(CheckGroups(attributes, lhs, rhs));
  const int64_t spatial_rank = lhs.rank() - 2;
  std::vector<int64_t> sizes;
  for (int64_t dim : numbers.kernel_spatial_dimensions) sizes.push_back(rhs.dims[dim]);
  const Window window{.sizes = sizes,
                      .strides = attributes.window_strides,
                      .base_dilations = attributes.lhs_dilation,
                      .window_dilations = attributes.rhs_dilation,
                      .padding = padding};
  ACCELD_RETURN_IF_ERROR(CheckWindow(window, spatial_rank));
  ACCELD_RETURN_IF_ERROR(CheckPositive("lhs_dilation", attributes.lhs_dilation, spatial_rank));
  ACCELD_RETURN_IF_ERROR(CheckPositive("rhs_dilation", attributes.rhs_dilation, spatial_rank));
  if (!attributes.window_reversal.empty()) {
    ACCELD_RETURN_IF_ERROR(
        CheckSize("window_reversal", attributes.window_reversal.size(), spatial_rank));
  }
  if (!attributes.precision_config.empty()) {
    ACCELD_RETURN_IF_ERROR(CheckSize("precision_config", attributes.precision_config.size(), 2));
  }

  TensorType result{lhs.dtype, Dims(lhs.rank(), kDynamicDim)};
  if (!context.declared.empty()) {
    ACCELD_ASSIGN_OR_RETURN(const TensorType declared, DeclaredTensor(context));
    result.dtype = declared.dtype;
  } else if (lhs.dtype != rhs.dtype) {
    return Refuse("operands of ", DTypeName(lhs.dtype), " and ", DTypeName(rhs.dtype),
                  " need a declared result type");
  }
  const int64_t batch = lhs.dims[numbers.input_batch_dimension];
  result.dims[numbers.output_batch_dimension] =
      batch == kDynamicDim ? kDynamicDim : batch / attributes.batch_group_count;
  result.dims[numbers.output_feature_dimension] = rhs.dims[numbers.kernel_output_feature_dimension];
  for (int64_t i = 0; i < spatial_rank; ++i) {
    const int64_t size = lhs.dims[numbers.input_spatial_dimensions[i]];
    ACCELD_ASSIGN_OR_RETURN(result.dims[numbers.output_spatial_dimensions[i]],
                            CountWindowPositions(window, i, size));
  }
  return std::vector<Type>{std::move(result)};
}

}  // namespace

InferResult InferConvolution(const InferContext& context) {
  return InferConvolved(context, context.As<ConvolutionAttributes>().padding.pairs);
}

// The padding is an operand, so the spatial sizes are those of the declared type.
InferResult InferDynamicConv(const InferContext& context) {
  ACCELD_ASSIGN_OR_RETURN(std::vector<Type> types, InferConvolved(context, {}));
  ACCELD_ASSIGN_OR_RETURN(const TensorType declared, DeclaredTensor(context));
  TensorType result = types[0].tensor();
  const ConvolutionDimensionNumbers& numbers =
      context.As<ConvolutionAttributes>().dimension_numbers;
  for (int64_t dim : numbers.output_spatial_dimensions) result.dims[dim] = kDynamicDim;
  const TensorType& padding = context.operand(2);
  const int64_t spatial_rank = result.rank() - 2;
  if (padding.rank() != 2 || !IsInteger(padding.dtype) ||
      !MayEqual(padding.dims[0], spatial_rank) || !MayEqual(padding.dims[1], 2)) {
    return Refuse("the padding must be integers of shape [", spatial_rank, ", 2], not ",
                  padding.ToString());
  }
  if (!MayEqual(result.dims, declared.dims)) {
    return Refuse("the operands give ", result.ToString(), ", but the result is declared ",
                  declared.ToString());
  }
  result.dims = Refined(result.dims, declared.dims);
  return std::vector<Type>{std::move(result)};
}

InferResult InferReduceWindow(const InferContext& context) {
  Dims dims;
  ACCELD_ASSIGN_OR_RETURN(const std::vector<DType> dtypes, CheckReductionOperands(context, dims));
  const auto& attributes = context.As<WindowAttributes>();
  const auto rank = static_cast<int64_t>(dims.size());
  ACCELD_RETURN_IF_ERROR(CheckSize("window_dimensions", attributes.window_dimensions.size(), rank));
  ACCELD_RETURN_IF_ERROR(CheckPositive("window_dimensions", attributes.window_dimensions, rank));
  ACCELD_RETURN_IF_ERROR(CheckPositive("base_dilations", attributes.base_dilations, rank));
  ACCELD_RETURN_IF_ERROR(CheckPositive("window_dilations", attributes.window_dilations, rank));
  const Window window{.sizes = attributes.window_dimensions,
                      .strides = attributes.window_strides,
                      .base_dilations = attributes.base_dilations,
                      .window_dilations = attributes.window_dilations,
                      .padding = attributes.padding.pairs};
  ACCELD_RETURN_IF_ERROR(CheckWindow(window, rank));
  ACCELD_RETURN_IF_ERROR(CheckReducer(context.regions[0], dtypes));
  for (int64_t i = 0; i < rank; ++i) {
    ACCELD_ASSIGN_OR_RETURN(dims[i], CountWindowPositions(window, i, dims[i]));
  }
  return TypesOfShape(dtypes, dims);
}

InferResult InferSelectAndScatter(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  const TensorType& source = context.operand(1);
  const TensorType& init = context.operand(2);
  const auto& attributes = context.As<SelectAndScatterAttributes>();
  const int64_t rank = operand.rank();
  if (source.dtype != operand.dtype || source.rank() != rank) {
    return Refuse("the source ", source.ToString(), " does not fit the operand ",
                  operand.ToString());
  }
  if (init.rank() != 0 || init.dtype != operand.dtype) {
    return Refuse("the initial value must be tensor<", DTypeName(operand.dtype), ">, not ",
                  init.ToString());
  }
  ACCELD_RETURN_IF_ERROR(CheckPositive("window_dimensions", attributes.window_dimensions, rank));
  const Window window{.sizes = attributes.window_dimensions,
                      .strides = attributes.window_strides,
                      .base_dilations = {},
                      .window_dilations = {},
                      .padding = attributes.padding.pairs};
  ACCELD_RETURN_IF_ERROR(CheckWindow(window, rank));
  const DType pair[] = {operand.dtype, operand.dtype};
  ACCELD_RETURN_IF_ERROR(CheckScalarRegion(context.regions[0], pair, {DType::kI1}));
  ACCELD_RETURN_IF_ERROR(CheckScalarRegion(context.regions[1], pair, {operand.dtype}));
  for (int64_t i = 0; i < rank; ++i) {
    ACCELD_ASSIGN_OR_RETURN(const int64_t positions,
                            CountWindowPositions(window, i, operand.dims[i]));
    if (!MayEqual(positions, source.dims[i])) {
      return Refuse("the window takes ", positions, " positions along dimension ", i,
                    ", but the source has size ", source.dims[i]);
    }
  }
  return std::vector<Type>{operand};
}

}  // namespace acceld::ir

// Normalization, convolution, pooling and attention.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/contractions.h"
#include "client/tracing/ops/nn.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"

namespace acceld::client::nn {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;
using Sizes = std::vector<int64_t>;

// What is added around each spatial dimension of the sizes `dims`, for a window of `window`.
absl::StatusOr<Pairs> WidthsOf(const Padding& padding, const Sizes& dims, const Sizes& window,
                               const Sizes& strides) {
  if (padding.kind() == Padding::Kind::kExplicit) {
    if (padding.widths().size() != dims.size()) {
      return absl::InvalidArgumentError(absl::StrCat("the padding is for ", padding.widths().size(),
                                                     " dimensions, and there are ", dims.size()));
    }
    return padding.widths();
  }
  Pairs widths(dims.size(), {0, 0});
  if (padding.kind() == Padding::Kind::kValid) return widths;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t results = (dims[i] + strides[i] - 1) / strides[i];
    const int64_t all = std::max<int64_t>((results - 1) * strides[i] + window[i] - dims[i], 0);
    widths[i] = {all / 2, all - all / 2};
  }
  return widths;
}

absl::Status CheckSizes(absl::string_view what, const Sizes& sizes, size_t count) {
  const bool are_positive =
      std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size > 0; });
  if (sizes.size() == count && are_positive) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the ", what, " are ", ShapeText(sizes),
                                                 "; expected ", count, " positive numbers"));
}

// The dimension of each letter of `letters`, and those of all others in the order of `spatial`.
struct Dimensions {
  int64_t first = 0, second = 0;
  Sizes spatial;
};
absl::StatusOr<Dimensions> ReadLayout(absl::string_view layout, char first, char second,
                                      absl::string_view spatial) {
  Dimensions dimensions;
  const auto find = [&](char letter, int64_t& position) {
    const size_t found = layout.find(letter);
    position = static_cast<int64_t>(found);
    return found != absl::string_view::npos;
  };
  bool is_right = layout.size() == spatial.size() + 2 && find(first, dimensions.first) &&
                  find(second, dimensions.second);
  for (const char letter : spatial) is_right &= find(letter, dimensions.spatial.emplace_back());
  if (is_right) return dimensions;
  return absl::InvalidArgumentError(absl::StrCat("the layout '", layout,
                                                 "' has not the dimensions ", std::string(1, first),
                                                 std::string(1, second), spatial));
}

absl::StatusOr<ir::ConvolutionAttributes> AttributesOf(const Tensor& x, const Tensor& kernel,
                                                       const ConvolutionOptions& options) {
  const int64_t rank = x.rank() - 2;
  if (rank < 0 || kernel.rank() != x.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("x is ", x.type().ToString(), ", and the kernel ", kernel.type().ToString()));
  }
  const auto count = static_cast<size_t>(rank);
  std::string spatial = "DHW";
  if (count > spatial.size()) spatial = "0123456789";
  spatial = spatial.substr(spatial.size() > count ? spatial.size() - count : 0);
  const std::string input = options.input.empty() ? "N" + spatial + "C" : options.input;
  const std::string weights = options.kernel.empty() ? spatial + "IO" : options.kernel;
  const std::string output = options.output.empty() ? input : options.output;
  // The order of the spatial dimensions is that of the input.
  std::string order;
  std::copy_if(input.begin(), input.end(), std::back_inserter(order),
               [](char letter) { return letter != 'N' && letter != 'C'; });
  ACCELD_ASSIGN_OR_RETURN(const Dimensions in, ReadLayout(input, 'N', 'C', order));
  ACCELD_ASSIGN_OR_RETURN(const Dimensions k, ReadLayout(weights, 'I', 'O', order));
  ACCELD_ASSIGN_OR_RETURN(const Dimensions out, ReadLayout(output, 'N', 'C', order));
  if (in.spatial.size() != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("the layout '", input, "' is not that of ", x.type().ToString()));
  }
  ir::ConvolutionAttributes attributes;
  const Sizes ones(count, 1);
  const auto or_ones = [&](const Sizes& sizes) { return sizes.empty() ? ones : sizes; };
  attributes.window_strides = or_ones(options.strides);
  attributes.lhs_dilation = or_ones(options.lhs_dilation);
  attributes.rhs_dilation = or_ones(options.rhs_dilation);
  ACCELD_RETURN_IF_ERROR(CheckSizes("strides", attributes.window_strides, count));
  ACCELD_RETURN_IF_ERROR(CheckSizes("lhs_dilation", attributes.lhs_dilation, count));
  ACCELD_RETURN_IF_ERROR(CheckSizes("rhs_dilation", attributes.rhs_dilation, count));
  Sizes dims, window;
  for (size_t i = 0; i < count; ++i) {
    const int64_t size = x.shape()[static_cast<size_t>(in.spatial[i])];
    const int64_t taps = kernel.shape()[static_cast<size_t>(k.spatial[i])];
    dims.push_back(size == 0 ? 0 : (size - 1) * attributes.lhs_dilation[i] + 1);
    window.push_back(taps == 0 ? 0 : (taps - 1) * attributes.rhs_dilation[i] + 1);
  }
  ACCELD_ASSIGN_OR_RETURN(attributes.padding.pairs,
                          WidthsOf(options.padding, dims, window, attributes.window_strides));
  attributes.window_reversal.assign(count, false);
  attributes.feature_group_count = options.feature_groups;
  attributes.dimension_numbers = {.input_batch_dimension = in.first,
                                  .input_feature_dimension = in.second,
                                  .input_spatial_dimensions = in.spatial,
                                  .kernel_input_feature_dimension = k.first,
                                  .kernel_output_feature_dimension = k.second,
                                  .kernel_spatial_dimensions = k.spatial,
                                  .output_batch_dimension = out.first,
                                  .output_feature_dimension = out.second,
                                  .output_spatial_dimensions = out.spatial};
  return attributes;
}

// Combines the elements of each window.
Tensor Pool(absl::string_view operation, ir::OpKind combine, double initial, const Operand& x,
            const Sizes& window, Sizes strides, const Padding& padding) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(x);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (x.rank() < 2) {
    return tracer->Fail(operation, absl::StrCat(x.type().ToString(), "; expected [N, ..., C]"));
  }
  const auto count = static_cast<size_t>(x.rank()) - 2;
  if (strides.empty()) strides = window;
  absl::Status status = CheckSizes("windows", window, count);
  status.Update(CheckSizes("strides", strides, count));
  if (!status.ok()) return tracer->Fail(Annotate(status, operation));
  const Sizes dims(x.shape().begin() + 1, x.shape().end() - 1);
  const absl::StatusOr<Pairs> widths = WidthsOf(padding, dims, window, strides);
  if (!widths.ok()) return tracer->Fail(Annotate(widths.status(), operation));
  const auto with_ends = [](const auto& inner, auto end) {
    auto all = inner;
    all.insert(all.begin(), end);
    all.push_back(end);
    return all;
  };
  const Sizes ones(count + 2, 1);
  ir::WindowAttributes attributes{.window_dimensions = with_ends(window, int64_t{1}),
                                  .window_strides = with_ends(strides, int64_t{1}),
                                  .base_dilations = ones,
                                  .window_dilations = ones};
  const Pairs all_widths = with_ends(*widths, std::pair<int64_t, int64_t>{0, 0});
  attributes.padding.pairs.assign(all_widths.begin(), all_widths.end());
  const Tensor start = tracer->Fill(initial, {x.dtype(), {}});
  std::vector<ir::Region> regions;
  regions.push_back(tracer->Reducer(combine, x.dtype()));
  if (!tracer->status().ok()) return start;
  return tracer->EmitAll(ir::OpKind::kReduceWindow, {x, start}, std::move(attributes),
                         std::move(regions), 1)[0];
}

}  // namespace

Tensor Standardize(const Operand& x, int64_t axis, double epsilon) {
  return (x - Mean(x, {axis}, true)) * Rsqrt(Var(x, {axis}, true) + epsilon);
}

Tensor LayerNorm(const Operand& x, const Operand& scale, const Operand& bias, double epsilon) {
  return Standardize(x, -1, epsilon) * scale + bias;
}

Tensor RmsNorm(const Operand& x, const Operand& scale, double epsilon) {
  return x * Rsqrt(Mean(Square(x), {-1}, true) + epsilon) * scale;
}

Tensor BatchNorm(const Operand& x, const Operand& mean, const Operand& variance,
                 const Operand& scale, const Operand& bias, double epsilon) {
  return (x - mean) * (Rsqrt(variance + epsilon) * scale) + bias;
}

Tensor Convolution(const Operand& x, const Operand& kernel, const ConvolutionOptions& options) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(x, kernel);
  if (tracer == nullptr) return Tracer::BadNumber();
  absl::StatusOr<ir::ConvolutionAttributes> attributes = AttributesOf(x, kernel, options);
  if (!attributes.ok()) return tracer->Fail(Annotate(attributes.status(), "Convolution"));
  return tracer->Emit(ir::OpKind::kConvolution, {x, kernel}, *std::move(attributes));
}

Tensor MaxPool(const Operand& x, const Sizes& window, Sizes strides, const Padding& padding) {
  return Pool("MaxPool", ir::OpKind::kMaximum, -std::numeric_limits<double>::infinity(), x, window,
              std::move(strides), padding);
}

Tensor AvgPool(const Operand& x, const Sizes& window, Sizes strides, const Padding& padding) {
  const auto count = static_cast<double>(
      std::accumulate(window.begin(), window.end(), int64_t{1}, std::multiplies<>()));
  return Pool("AvgPool", ir::OpKind::kAdd, 0, x, window, std::move(strides), padding) / count;
}

Tensor DotProductAttention(const Operand& query, const Operand& key, const Operand& value,
                           const AttentionOptions& options) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({&query, &key, &value});
  if (tracer == nullptr) return Tracer::BadNumber();
  const auto fail = [&](absl::string_view why) {
    return tracer->Fail(
        "DotProductAttention",
        absl::StrCat(why, ": the query is ", ShapeText(query.shape()), ", the key ",
                     ShapeText(key.shape()), ", the value ", ShapeText(value.shape())));
  };
  if (query.rank() != 4 || key.rank() != 4 || value.shape() != key.shape()) {
    return fail("expected [B, T, N, H] and twice [B, S, K, H]");
  }
  const int64_t heads = query.shape()[2], key_heads = key.shape()[2];
  if (key_heads == 0 || heads % key_heads != 0) return fail("N is no multiple of K");
  const Tensor keys = Repeat(key, heads / key_heads, 2),
               values = Repeat(value, heads / key_heads, 2);
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(query.shape()[3])));
  Tensor logits = Convert(Einsum("BTNH,BSNH->BNTS", {query, keys}), ir::DType::kF32) * scale;
  if (options.bias.has_value()) logits = logits + Convert(*options.bias, ir::DType::kF32);
  const double smallest = -0.7 * std::numeric_limits<float>::max();
  if (options.mask.has_value()) logits = Where(*options.mask, logits, smallest);
  if (options.is_causal && tracer->status().ok()) {
    const ir::TensorType positions{ir::DType::kI32, {query.shape()[1], key.shape()[1]}};
    logits = Where(Iota(positions, 1) <= Iota(positions, 0), logits, smallest);
  }
  return Einsum("BNTS,BSNH->BTNH", {Convert(Softmax(logits), value.dtype()), values});
}

}  // namespace acceld::client::nn

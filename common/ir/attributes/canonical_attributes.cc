#include "common/ir/attributes/canonical_attributes.h"

#include <algorithm>

namespace acceld::ir {
namespace {

ComparisonType ComparisonTypeOf(DType dtype) {
  switch (ClassOf(dtype)) {
    case DTypeClass::kBool:
    case DTypeClass::kUnsigned:
      return ComparisonType::kUnsigned;
    case DTypeClass::kSigned:
      return ComparisonType::kSigned;
    case DTypeClass::kFloat:
    case DTypeClass::kComplex:
      return ComparisonType::kFloat;
  }
  return ComparisonType::kNone;
}

template <typename T>
void ClearIfAll(std::vector<T>& values, const T& value) {
  if (std::all_of(values.begin(), values.end(), [&](const T& v) { return v == value; })) {
    values.clear();
  }
}

}  // namespace

OpAttributes CanonicalAttributes(const Op& op, const Function& function) {
  OpAttributes attributes = op.attributes;
  if (auto* compare = std::get_if<CompareAttributes>(&attributes)) {
    if (compare->compare_type == ComparisonType::kNone) {
      compare->compare_type = ComparisonTypeOf(function.TensorOf(op.operands[0]).dtype);
    }
  } else if (auto* window = std::get_if<WindowAttributes>(&attributes)) {
    ClearIfAll<int64_t>(window->window_strides, 1);
    ClearIfAll<int64_t>(window->base_dilations, 1);
    ClearIfAll<int64_t>(window->window_dilations, 1);
    ClearIfAll<std::pair<int64_t, int64_t>>(window->padding.pairs, {0, 0});
  } else if (auto* selection = std::get_if<SelectAndScatterAttributes>(&attributes)) {
    ClearIfAll<int64_t>(selection->window_dimensions, 1);
    ClearIfAll<int64_t>(selection->window_strides, 1);
    ClearIfAll<std::pair<int64_t, int64_t>>(selection->padding.pairs, {0, 0});
  } else if (auto* convolution = std::get_if<ConvolutionAttributes>(&attributes)) {
    ClearIfAll<int64_t>(convolution->window_strides, 1);
    ClearIfAll<int64_t>(convolution->lhs_dilation, 1);
    ClearIfAll<int64_t>(convolution->rhs_dilation, 1);
    ClearIfAll<std::pair<int64_t, int64_t>>(convolution->padding.pairs, {0, 0});
    ClearIfAll(convolution->window_reversal, false);
    ClearIfAll(convolution->precision_config, Precision::kDefault);
  } else if (auto* dot = std::get_if<DotGeneralAttributes>(&attributes)) {
    ClearIfAll(dot->precision_config, Precision::kDefault);
  } else if (auto* call = std::get_if<CustomCallAttributes>(&attributes)) {
    // Portable artifacts contain the default.
    if (call->backend_config == Attribute{StringAttribute{}}) call->backend_config = {};
  } else if (auto* sort = std::get_if<SortAttributes>(&attributes)) {
    if (sort->dimension < 0) sort->dimension += function.TensorOf(op.operands[0]).rank();
  }
  return attributes;
}

}  // namespace acceld::ir

#include "common/ir/infer/rules.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir {

std::string DimText(int64_t dim) { return dim == kDynamicDim ? "?" : absl::StrCat(dim); }

std::string DimsText(absl::Span<const int64_t> dims) {
  return absl::StrCat(
      "[", absl::StrJoin(dims, ", ", [](std::string* out, int64_t dim) { *out += DimText(dim); }),
      "]");
}

bool MayEqual(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!MayEqual(a[i], b[i])) return false;
  }
  return true;
}

Dims Refined(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  Dims dims(a.begin(), a.end());
  for (size_t i = 0; i < dims.size(); ++i) dims[i] = Refined(a[i], b[i]);
  return dims;
}

absl::Status CheckDimList(absl::string_view what, absl::Span<const int64_t> dims, int64_t bound,
                          bool sorted) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= bound) {
      return Refuse(what, " has ", dims[i], ", outside [0, ", bound, ")");
    }
    if (sorted && i > 0 && dims[i] < dims[i - 1]) {
      return Refuse(what, " ", DimsText(dims), " is not sorted");
    }
  }
  // `bound` is a rank or the sum of two ranks.
  std::vector<bool> seen(bound);
  for (int64_t dim : dims) {
    if (seen[dim]) return Refuse(what, " has ", dim, " twice");
    seen[dim] = true;
  }
  return absl::OkStatus();
}

absl::Status CheckSize(absl::string_view what, size_t size, int64_t expected) {
  if (static_cast<int64_t>(size) == expected) return absl::OkStatus();
  return Refuse(what, " has ", size, " values where ", expected, " are needed");
}

absl::StatusOr<TensorType> DeclaredTensor(const InferContext& context) {
  if (context.declared.size() != 1 || !context.declared[0].IsTensor()) {
    return Refuse("exactly one tensor result must be declared, not (", ToString(context.declared),
                  ")");
  }
  ACCELD_RETURN_IF_ERROR(ValidateType(context.declared[0]));
  return context.declared[0].tensor();
}

absl::Status CheckScalarRegion(const InferContext::RegionSignature& region,
                               absl::Span<const DType> parameters,
                               absl::Span<const DType> results) {
  const auto matches = [](absl::Span<const Type> types, absl::Span<const DType> dtypes) {
    return std::equal(types.begin(), types.end(), dtypes.begin(), dtypes.end(),
                      [](const Type& type, DType dtype) {
                        return type.IsTensor() && type.tensor().rank() == 0 &&
                               type.tensor().dtype == dtype;
                      });
  };
  const auto text = [](absl::Span<const DType> dtypes) {
    return absl::StrJoin(dtypes, ", ", [](std::string* out, DType dtype) {
      *out += TensorType{dtype, {}}.ToString();
    });
  };
  if (matches(region.parameters, parameters) && matches(region.results, results)) {
    return absl::OkStatus();
  }
  return Refuse("the region must be (", text(parameters), ") -> (", text(results), "), but is (",
                ToString(region.parameters), ") -> (", ToString(region.results), ")");
}

absl::Status CheckReducer(const InferContext::RegionSignature& region,
                          absl::Span<const DType> dtypes) {
  std::vector<DType> parameters(dtypes.begin(), dtypes.end());
  parameters.insert(parameters.end(), dtypes.begin(), dtypes.end());
  return CheckScalarRegion(region, parameters, dtypes);
}

absl::Status CheckStartIndices(const InferContext& context, int first, int64_t rank) {
  const int64_t given = static_cast<int64_t>(context.operands.size()) - first;
  if (given != rank) {
    return Refuse(given, " start indices for an operand of rank ", rank);
  }
  for (size_t i = first; i < context.operands.size(); ++i) {
    const TensorType& index = context.operand(i);
    if (index.rank() != 0 || !IsInteger(index.dtype)) {
      return Refuse("start index ", i - first, " must be a scalar integer, not ", index.ToString());
    }
    if (index.dtype != context.operand(first).dtype) {
      return Refuse("start indices differ in type: ", context.operand(first).ToString(), " and ",
                    index.ToString());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> PaddedSize(int64_t size, int64_t low, int64_t high, int64_t interior,
                                   int64_t dimension) {
  constexpr int64_t kMax = limits::kMaxTensorBytes;
  const int64_t gaps = size > 0 ? size - 1 : 0;
  // Each part is at most 2^46 after these checks, so that the sum does not overflow.
  const bool fits = low >= -kMax && low <= kMax && high >= -kMax && high <= kMax &&
                    (gaps == 0 || interior <= kMax / gaps);
  if (!fits) {
    return Refuse("padding (", low, ", ", high, ") with ", interior, " between at dimension ",
                  dimension, " of size ", size, " is above the limit of ", kMax);
  }
  return low + size + gaps * interior + high;
}

InferResult Annotated(InferResult result, absl::string_view what) {
  if (!result.ok()) return Annotate(result.status(), what);
  return result;
}

bool Contains(absl::Span<const int64_t> values, int64_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

absl::StatusOr<std::vector<DType>> CheckReductionOperands(const InferContext& context, Dims& dims) {
  if (context.operands.size() % 2 != 0) {
    return Refuse(context.operands.size(), " operands are not inputs and as many initial values");
  }
  const size_t inputs = context.operands.size() / 2;
  std::vector<DType> dtypes;
  dims = context.operand(0).dims;
  for (size_t i = 0; i < inputs; ++i) {
    const TensorType& input = context.operand(i);
    const TensorType& init = context.operand(inputs + i);
    if (!MayEqual(dims, input.dims)) {
      return Refuse("inputs 0 and ", i, " differ in shape: ", context.operand(0).ToString(),
                    " and ", input.ToString());
    }
    if (init.rank() != 0 || init.dtype != input.dtype) {
      return Refuse("initial value ", i, " must be tensor<", DTypeName(input.dtype), ">, not ",
                    init.ToString());
    }
    dims = Refined(dims, input.dims);
    dtypes.push_back(input.dtype);
  }
  return dtypes;
}

std::vector<Type> TypesOfShape(absl::Span<const DType> dtypes, const Dims& dims) {
  std::vector<Type> types;
  for (DType dtype : dtypes) types.push_back(TensorType{dtype, dims});
  return types;
}

}  // namespace acceld::ir

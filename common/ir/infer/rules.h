#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/ir/infer/infer.h"

// What the inference rules (infer_<group>.cc) share. Part of infer.cc.
//
// A rule may rely on: operand and region counts within ops.def's bounds, attributes of the op's
// struct, tensor operands for every family but structure, and the operand classes of elementwise
// ops. Its messages need no op name; the caller puts it in front.
namespace acceld::ir {

using InferResult = absl::StatusOr<std::vector<Type>>;

// One declaration for each rule that ops.def names.
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, rule, Family) \
  InferResult Infer##rule(const InferContext& context);
#include "common/ir/ops.def"

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// "3", or "?" for a dynamic dimension.
std::string DimText(int64_t dim);
std::string DimsText(absl::Span<const int64_t> dims);

// Dimensions that may have the same size at run time.
inline bool MayEqual(int64_t a, int64_t b) {
  return a == b || a == kDynamicDim || b == kDynamicDim;
}
bool MayEqual(absl::Span<const int64_t> a, absl::Span<const int64_t> b);

// What is known of a size that both dimensions have.
inline int64_t Refined(int64_t a, int64_t b) { return a == kDynamicDim ? b : a; }
// The same for shapes that MayEqual.
Dims Refined(absl::Span<const int64_t> a, absl::Span<const int64_t> b);

// Refuses values outside [0, bound), repeated ones, and, when `sorted`, ones out of order. `what`
// names the list in messages.
absl::Status CheckDimList(absl::string_view what, absl::Span<const int64_t> dims, int64_t bound,
                          bool sorted = false);
absl::Status CheckSize(absl::string_view what, size_t size, int64_t expected);
// The one declared result type, which must be a tensor.
absl::StatusOr<TensorType> DeclaredTensor(const InferContext& context);
// Refuses a region that is not (scalar tensors of `parameters`) -> (scalar tensors of `results`).
absl::Status CheckScalarRegion(const InferContext::RegionSignature& region,
                               absl::Span<const DType> parameters, absl::Span<const DType> results);
// Refuses the region of a reduction over values of these types: (a..., b...) -> a..., all scalars.
absl::Status CheckReducer(const InferContext::RegionSignature& region,
                          absl::Span<const DType> dtypes);
// The operands of a reduction: the first half are inputs of one shape, the second half their scalar
// initial values. Gives the inputs' element types; `dims` gets their shape.
absl::StatusOr<std::vector<DType>> CheckReductionOperands(const InferContext& context, Dims& dims);
// Tensors of one shape with these element types.
std::vector<Type> TypesOfShape(absl::Span<const DType> dtypes, const Dims& dims);
// Operands [first, end) as start indices of a tensor of rank `rank`: scalar integers of one type.
absl::Status CheckStartIndices(const InferContext& context, int first, int64_t rank);

// The size of a dimension of `size` elements with `interior` more between each two, `low` before
// the first and `high` after the last (negative ones remove). May be negative; refused when it or
// one of its parts is beyond the limits. `dimension` stands in messages.
absl::StatusOr<int64_t> PaddedSize(int64_t size, int64_t low, int64_t high, int64_t interior,
                                   int64_t dimension);

// The result, or its error with `what` in front.
InferResult Annotated(InferResult result, absl::string_view what);

bool Contains(absl::Span<const int64_t> values, int64_t value);

}  // namespace acceld::ir

#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/ir/infer/infer.h"

// The declarations of the inference rules (in the .cc files of this folder) and their shared
// helpers.
//
// A rule may rely on the following: the numbers of operands and regions are within the bounds of
// ops.def, the attributes are of the op's struct, the operands are tensors (for all families except
// structure), and the element types of elementwise ops are accepted ones. Error messages of a rule
// need no op name, which the caller adds.
namespace acceld::ir {

using InferResult = absl::StatusOr<std::vector<Type>>;

// One declaration for each rule that ops.def names.
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, rule, Family) \
  InferResult Infer##rule(const InferContext& context);
#include "common/ir/ops.def"

// Returns INVALID_ARGUMENT with the concatenated parts as its message.
template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// Returns "3", or "?" for a dynamic dimension.
std::string DimText(int64_t dim);
std::string DimsText(absl::Span<const int64_t> dims);

// Whether two dimensions may have the same size at run time.
inline bool MayEqual(int64_t a, int64_t b) {
  return a == b || a == kDynamicDim || b == kDynamicDim;
}
bool MayEqual(absl::Span<const int64_t> a, absl::Span<const int64_t> b);

// Returns the size of two dimensions that MayEqual: that of either one that is known, or
// kDynamicDim if both are dynamic.
inline int64_t Refined(int64_t a, int64_t b) { return a == kDynamicDim ? b : a; }
// As above, for shapes that MayEqual.
Dims Refined(absl::Span<const int64_t> a, absl::Span<const int64_t> b);

// Returns an error for values outside [0, bound), repeated values and, with `sorted`, values that
// are not ascending. `what` names the list in messages.
absl::Status CheckDimList(absl::string_view what, absl::Span<const int64_t> dims, int64_t bound,
                          bool sorted = false);
// Returns an error unless the list that `what` names has the expected size.
absl::Status CheckSize(absl::string_view what, size_t size, int64_t expected);
// Returns the declared result type, which must be one tensor type.
absl::StatusOr<TensorType> DeclaredTensor(const InferContext& context);
// Returns an error unless the region maps scalar tensors of types `parameters` to scalar tensors of
// types `results`.
absl::Status CheckScalarRegion(const InferContext::RegionSignature& region,
                               absl::Span<const DType> parameters, absl::Span<const DType> results);
// Returns an error unless the region can reduce values of these types: it takes a scalar of each
// type and then once more a scalar of each type, and returns one of each.
absl::Status CheckReducer(const InferContext::RegionSignature& region,
                          absl::Span<const DType> dtypes);
// Checks the operands of a reduction: inputs of one shape and as many scalar initial values behind
// them. Returns the element types of the inputs; `dims` is set to their shape.
absl::StatusOr<std::vector<DType>> CheckReductionOperands(const InferContext& context, Dims& dims);
// Returns tensor types of one shape with these element types.
std::vector<Type> TypesOfShape(absl::Span<const DType> dtypes, const Dims& dims);
// Checks that the operands from `first` on are start indices for a tensor of rank `rank`: scalar
// integers of one type.
absl::Status CheckStartIndices(const InferContext& context, int first, int64_t rank);

// Returns the size of a dimension of `size` elements after padding: `interior` elements between
// each two, `low` before the first and `high` after the last (negative numbers remove elements). It
// may be negative. Returns an error when the result might exceed limits::kMaxTensorBytes.
// `dimension` is for messages.
absl::StatusOr<int64_t> PaddedSize(int64_t size, int64_t low, int64_t high, int64_t interior,
                                   int64_t dimension);

// Returns `result`; an error has `what` put before its message.
InferResult Annotated(InferResult result, absl::string_view what);

bool Contains(absl::Span<const int64_t> values, int64_t value);

}  // namespace acceld::ir

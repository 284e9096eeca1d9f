#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/ir/infer/infer.h"
#include "tests/unit/status_matchers.h"

// Short forms for tests of inference rules.
namespace acceld::ir {

inline Type T(DType dtype, Dims dims = {}) { return TensorType{dtype, std::move(dims)}; }
inline Type F32(Dims dims = {}) { return T(DType::kF32, std::move(dims)); }
inline Type I32(Dims dims = {}) { return T(DType::kI32, std::move(dims)); }
inline Type I1(Dims dims = {}) { return T(DType::kI1, std::move(dims)); }

using Signature = InferContext::RegionSignature;

// The region of a reduction of these element types.
inline Signature Reducer(std::vector<DType> dtypes) {
  Signature signature;
  for (int copy = 0; copy < 2; ++copy) {
    for (DType dtype : dtypes) signature.parameters.push_back(T(dtype));
  }
  for (DType dtype : dtypes) signature.results.push_back(T(dtype));
  return signature;
}

struct InferArguments {
  std::vector<Signature> regions = {};
  std::vector<Type> declared = {};
  const Signature* callee = nullptr;
};

// The inferred types as text: "tensor<2xf32>, tensor<i1>".
inline absl::StatusOr<std::string> Infer(OpKind kind, const std::vector<Type>& operands,
                                         const OpAttributes& attributes = NoAttributes{},
                                         const InferArguments& more = {}) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Type> types,
                          InferResultTypes({.kind = kind,
                                            .attributes = attributes,
                                            .operands = operands,
                                            .regions = more.regions,
                                            .declared = more.declared,
                                            .callee = more.callee}));
  return ToString(types);
}

// EXPECT_THAT(Infer(...), Gives("tensor<2xf32>"));
MATCHER_P(Gives, types, "gives " + std::string(types)) {
  *result_listener << (arg.ok() ? *arg : arg.status().ToString());
  return arg.ok() && *arg == types;
}

}  // namespace acceld::ir

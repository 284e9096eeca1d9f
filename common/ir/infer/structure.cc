#include "common/ir/calls/host_callback.h"
#include "common/ir/infer/rules.h"

// Rules of constants, control flow, calls and tuples.
namespace acceld::ir {
namespace {

absl::Status CheckTypes(absl::string_view what, absl::Span<const Type> expected,
                        absl::Span<const Type> actual) {
  if (expected.size() != actual.size()) {
    return Refuse(what, ": ", actual.size(), " values where ", expected.size(), " are needed");
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!IsCompatible(expected[i], actual[i])) {
      return Refuse(what, " ", i, " is ", actual[i].ToString(), " where ", expected[i].ToString(),
                    " is needed");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckScalar(absl::string_view what, const Type& type, DType dtype) {
  if (type.IsTensor() && type.tensor().rank() == 0 && type.tensor().dtype == dtype) {
    return absl::OkStatus();
  }
  return Refuse(what, " must be tensor<", DTypeName(dtype), ">, not ", type.ToString());
}

// Returns a type that fits values of both compatible types: sizes that differ are dynamic.
Type Unified(const Type& a, const Type& b) {
  if (a == b || a.kind() == Type::Kind::kToken) return a;
  if (a.kind() == Type::Kind::kTuple) {
    std::vector<Type> elements;
    for (size_t i = 0; i < a.elements().size(); ++i) {
      elements.push_back(Unified(a.elements()[i], b.elements()[i]));
    }
    return Type::Tuple(std::move(elements));
  }
  TensorType tensor = a.tensor();
  for (int64_t i = 0; i < tensor.rank(); ++i) {
    if (tensor.dims[i] != b.tensor().dims[i]) tensor.dims[i] = kDynamicDim;
  }
  return tensor;
}

InferResult CheckBranches(const InferContext& context) {
  std::vector<Type> results = context.regions[0].results;
  for (size_t i = 0; i < context.regions.size(); ++i) {
    const InferContext::RegionSignature& branch = context.regions[i];
    if (!branch.parameters.empty()) {
      return Refuse("branch ", i, " has ", branch.parameters.size(),
                    " parameters, but takes its values from around it");
    }
    ACCELD_RETURN_IF_ERROR(CheckTypes(absl::StrCat("result of branch ", i),
                                      context.regions[0].results, branch.results));
    for (size_t r = 0; r < results.size(); ++r) results[r] = Unified(results[r], branch.results[r]);
  }
  return results;
}

// Returns the results of a call. If the callee is still unknown they are the declared types, which
// the verifier compares later.
InferResult CheckCallee(const InferContext& context) {
  if (context.callee == nullptr) {
    return std::vector<Type>(context.declared.begin(), context.declared.end());
  }
  ACCELD_RETURN_IF_ERROR(CheckTypes("argument", context.callee->parameters, context.operands));
  return context.callee->results;
}

}  // namespace

InferResult InferAfterAll(const InferContext& context) {
  for (size_t i = 0; i < context.operands.size(); ++i) {
    if (context.operands[i].kind() != Type::Kind::kToken) {
      return Refuse("operand ", i, " must be a token, not ", context.operands[i].ToString());
    }
  }
  return std::vector<Type>{Type::Token()};
}

InferResult InferCall(const InferContext& context) {
  return Annotated(CheckCallee(context),
                   absl::StrCat("@", context.As<CallAttributes>().callee.name));
}

InferResult InferComposite(const InferContext& context) {
  const auto& attributes = context.As<CompositeAttributes>();
  if (attributes.name.empty()) return Refuse("it has no name");
  if (attributes.version < 0) return Refuse("version ", attributes.version, " is negative");
  return Annotated(CheckCallee(context), absl::StrCat("@", attributes.decomposition.name));
}

InferResult InferCase(const InferContext& context) {
  ACCELD_RETURN_IF_ERROR(CheckScalar("the index", context.operands[0], DType::kI32));
  return CheckBranches(context);
}

InferResult InferIf(const InferContext& context) {
  ACCELD_RETURN_IF_ERROR(CheckScalar("the predicate", context.operands[0], DType::kI1));
  return CheckBranches(context);
}

InferResult InferConstant(const InferContext& context) {
  return std::vector<Type>{context.As<ConstantAttributes>().value.type()};
}

InferResult InferCreateToken(const InferContext&) { return std::vector<Type>{Type::Token()}; }

InferResult InferCustomCall(const InferContext& context) {
  const auto& attributes = context.As<CustomCallAttributes>();
  if (attributes.call_target_name.empty()) {
    return Refuse("it has no call_target_name");
  }
  if (attributes.call_target_name == kHostCallbackTarget) {
    ACCELD_RETURN_IF_ERROR(HostCallbackOf(attributes).status());
    ACCELD_RETURN_IF_ERROR(CheckHostCallbackTypes(attributes, context.operands, context.declared));
  }
  return std::vector<Type>(context.declared.begin(), context.declared.end());
}

InferResult InferFusion(const InferContext& context) {
  ACCELD_RETURN_IF_ERROR(CheckTypes("argument", context.regions[0].parameters, context.operands));
  return context.regions[0].results;
}

InferResult InferTuple(const InferContext& context) {
  return std::vector<Type>{
      Type::Tuple(std::vector<Type>(context.operands.begin(), context.operands.end()))};
}

InferResult InferGetTupleElement(const InferContext& context) {
  const Type& operand = context.operands[0];
  const int64_t index = context.As<IndexAttributes>().index;
  if (operand.kind() != Type::Kind::kTuple) {
    return Refuse("the operand must be a tuple, not ", operand.ToString());
  }
  const auto count = static_cast<int64_t>(operand.elements().size());
  if (index < 0 || index >= count) return Refuse("index ", index, " is outside [0, ", count, ")");
  return std::vector<Type>{operand.elements()[index]};
}

InferResult InferOptimizationBarrier(const InferContext& context) {
  return std::vector<Type>(context.operands.begin(), context.operands.end());
}

InferResult InferWhile(const InferContext& context) {
  const InferContext::RegionSignature& condition = context.regions[0];
  const InferContext::RegionSignature& body = context.regions[1];
  ACCELD_RETURN_IF_ERROR(
      CheckTypes("parameter of the condition", context.operands, condition.parameters));
  ACCELD_RETURN_IF_ERROR(CheckTypes("parameter of the body", context.operands, body.parameters));
  ACCELD_RETURN_IF_ERROR(CheckTypes("result of the body", context.operands, body.results));
  if (condition.results.size() != 1) {
    return Refuse("the condition has ", condition.results.size(), " results instead of one");
  }
  ACCELD_RETURN_IF_ERROR(
      CheckScalar("the result of the condition", condition.results[0], DType::kI1));
  std::vector<Type> results(context.operands.begin(), context.operands.end());
  for (size_t i = 0; i < results.size(); ++i) results[i] = Unified(results[i], body.results[i]);
  return results;
}

}  // namespace acceld::ir

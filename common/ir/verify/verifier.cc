#include "common/ir/verify/verifier.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/calls/call_graph.h"
#include "common/ir/calls/donation.h"
#include "common/ir/calls/host_callback.h"
#include "common/ir/infer/infer.h"
#include "common/ir/processes/verify_processes.h"
#include "common/ir/quantization/quantized_types.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/op_error.h"
#include "common/utf8.h"

namespace acceld::ir {
namespace {

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// On the wire, names are UTF-8.
absl::Status CheckName(absl::string_view what, absl::string_view name) {
  if (IsUtf8(name)) return absl::OkStatus();
  return Refuse(what, " '", EscapeNonUtf8(name), "' is not UTF-8");
}

absl::Status CheckFreeAttribute(const Attribute& attribute, int depth);

absl::Status CheckFreeAttribute(const AttributeDictionary& entries, int depth) {
  for (const auto& [name, attribute] : entries) {
    ACCELD_RETURN_IF_ERROR(CheckName("the name of an attribute", name));
    ACCELD_RETURN_IF_ERROR(CheckFreeAttribute(attribute, depth));
  }
  return absl::OkStatus();
}

absl::Status CheckFreeAttribute(const Attribute& attribute, int depth) {
  if (depth >= limits::kMaxDepth) {
    return Refuse("an attribute is nested deeper than ", limits::kMaxDepth);
  }
  if (const auto* array = std::get_if<ArrayAttribute>(&attribute.value)) {
    for (const Attribute& element : array->elements) {
      ACCELD_RETURN_IF_ERROR(CheckFreeAttribute(element, depth + 1));
    }
  } else if (const auto* dictionary = std::get_if<DictionaryAttribute>(&attribute.value)) {
    return CheckFreeAttribute(dictionary->entries, depth + 1);
  } else if (const auto* structure = std::get_if<StructAttribute>(&attribute.value)) {
    return CheckFreeAttribute(structure->fields, depth + 1);
  } else if (const auto* symbol = std::get_if<SymbolAttribute>(&attribute.value)) {
    return CheckName("the symbol", symbol->name);
  }
  return absl::OkStatus();
}

// Totals over the whole module.
struct Totals {
  int max_region_depth = limits::kMaxRegionDepth;
  int64_t ops = 0;
  int64_t constant_bytes = 0;
};

using Signature = InferContext::RegionSignature;

class FunctionVerifier {
 public:
  FunctionVerifier(const Function& function,
                   const absl::flat_hash_map<absl::string_view, Signature>& signatures,
                   Totals& totals)
      : function_(function), signatures_(signatures), totals_(totals) {}

  absl::Status Run() {
    for (const Type& type : function_.value_types) {
      ACCELD_RETURN_IF_ERROR(ValidateType(type));
      if (HasQuantized(type)) {
        return Refuse("type ", type.ToString(), " is of programs that are being read");
      }
    }
    states_.assign(function_.value_types.size(), State::kUndefined);
    return CheckRegion(function_.body, 0);
  }

 private:
  // A value is visible from its definition to the end of its region.
  enum class State : uint8_t { kUndefined, kVisible, kOutOfScope };

  absl::Status Define(ValueId id) {
    if (id >= states_.size()) {
      return Refuse("value ", id, " is defined, but the function has only ", states_.size());
    }
    if (states_[id] != State::kUndefined) return Refuse("value ", id, " is defined twice");
    states_[id] = State::kVisible;
    return absl::OkStatus();
  }

  absl::Status CheckUses(const std::vector<ValueId>& ids) const {
    for (ValueId id : ids) {
      if (id >= states_.size() || states_[id] != State::kVisible) {
        return Refuse("value ", id, " is used ",
                      id < states_.size() && states_[id] == State::kOutOfScope
                          ? "outside the region that defines it"
                          : "before it is defined");
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckRegion(const Region& region, int depth) {
    if (depth >= totals_.max_region_depth) {
      return Refuse("regions are nested deeper than ", totals_.max_region_depth);
    }
    for (ValueId id : region.parameters) ACCELD_RETURN_IF_ERROR(Define(id));
    for (const Op& op : region.ops) {
      ACCELD_RETURN_IF_ERROR(AtOp(CheckOp(op, depth), op));
    }
    ACCELD_RETURN_IF_ERROR(CheckUses(region.results));
    for (ValueId id : region.parameters) states_[id] = State::kOutOfScope;
    for (const Op& op : region.ops) {
      for (ValueId id : op.results) states_[id] = State::kOutOfScope;
    }
    return absl::OkStatus();
  }

  absl::Status CheckOp(const Op& op, int depth) {
    if (++totals_.ops > limits::kMaxOps) {
      return Refuse("the module has more than ", limits::kMaxOps, " ops");
    }
    if (static_cast<int64_t>(op.results.size()) > limits::kMaxResults) {
      return Refuse(NameOf(op.kind), ": ", op.results.size(), " results, above the limit of ",
                    limits::kMaxResults);
    }
    ACCELD_RETURN_IF_ERROR(Annotate(CheckUses(op.operands), NameOf(op.kind)));
    std::vector<Signature> regions;
    for (const Region& region : op.regions) {
      ACCELD_RETURN_IF_ERROR(CheckRegion(region, depth + 1));
      regions.push_back({function_.TypesOf(region.parameters), function_.TypesOf(region.results)});
    }
    for (ValueId id : op.results) ACCELD_RETURN_IF_ERROR(Annotate(Define(id), NameOf(op.kind)));
    ACCELD_RETURN_IF_ERROR(CheckAttributes(op));

    const Signature* callee = nullptr;
    if (const std::string* name = CalleeOf(op)) {
      const auto found = signatures_.find(*name);
      if (found == signatures_.end()) {
        return Refuse(NameOf(op.kind), ": the module has no function '", *name, "'");
      }
      callee = &found->second;
    }
    const std::vector<Type> operands = function_.TypesOf(op.operands);
    const std::vector<Type> declared = function_.TypesOf(op.results);
    ACCELD_ASSIGN_OR_RETURN(const std::vector<Type> inferred,
                            InferResultTypes({.kind = op.kind,
                                              .attributes = op.attributes,
                                              .operands = operands,
                                              .regions = regions,
                                              .declared = declared,
                                              .callee = callee}));
    return CheckDeclaredTypes(op.kind, declared, inferred);
  }

  absl::Status CheckAttributes(const Op& op) {
    if (const auto* constant = std::get_if<ConstantAttributes>(&op.attributes)) {
      totals_.constant_bytes += static_cast<int64_t>(constant->value.bytes().size());
      if (totals_.constant_bytes > limits::kMaxProgramBytes) {
        return Refuse("the module's constants have more than ", limits::kMaxProgramBytes, " bytes");
      }
    } else if (const auto* composite = std::get_if<CompositeAttributes>(&op.attributes)) {
      return CheckFreeAttribute(composite->composite_attributes, 1);
    } else if (const auto* custom_call = std::get_if<CustomCallAttributes>(&op.attributes)) {
      ACCELD_RETURN_IF_ERROR(CheckFreeAttribute(custom_call->backend_config, 0));
      return CheckFreeAttribute(custom_call->mhlo_backend_config, 0);
    }
    return absl::OkStatus();
  }

  const Function& function_;
  const absl::flat_hash_map<absl::string_view, Signature>& signatures_;
  Totals& totals_;
  std::vector<State> states_;
};

// Returns the function's parameter and result types, whose ids are not checked yet.
absl::StatusOr<Signature> SignatureOf(const Function& function) {
  for (const std::vector<ValueId>* ids : {&function.body.parameters, &function.body.results}) {
    for (ValueId id : *ids) {
      if (id >= function.value_types.size()) {
        return Refuse("value ", id, " of the signature does not exist");
      }
    }
  }
  return Signature{function.ParameterTypes(), function.ResultTypes()};
}

// Recurses as deep as the regions nest, which Verify has bounded.
absl::Status RefuseInternalOps(const Region& region) {
  for (const Op& op : region.ops) {
    if (absl::StartsWith(NameOf(op.kind), "acceld.")) {
      return Refuse("op '", NameOf(op.kind), "' is acceld's own and not for programs");
    }
    if (op.kind == OpKind::kCustomCall) {
      const std::string& target = op.As<CustomCallAttributes>().call_target_name;
      if (absl::StartsWith(target, "acceld.") && target != kHostCallbackTarget) {
        return Refuse("custom_call target '", target, "' is acceld's own and not for programs");
      }
    }
    for (const Region& inner : op.regions) ACCELD_RETURN_IF_ERROR(RefuseInternalOps(inner));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RefuseInternalOps(const Module& module) {
  for (const Function& function : module.functions) {
    ACCELD_RETURN_IF_ERROR(
        Annotate(RefuseInternalOps(function.body), absl::StrCat("@", function.name)));
  }
  return absl::OkStatus();
}

absl::Status Verify(const Module& module) { return VerifyWithin(module, limits::kMaxRegionDepth); }

absl::Status VerifyWithin(const Module& module, int max_region_depth) {
  if (static_cast<int64_t>(module.functions.size()) > limits::kMaxFunctions) {
    return Refuse("the module has ", module.functions.size(), " functions, above the limit of ",
                  limits::kMaxFunctions);
  }
  ACCELD_RETURN_IF_ERROR(CheckName("the module's name", module.name));
  absl::flat_hash_map<absl::string_view, Signature> signatures;
  for (const Function& function : module.functions) {
    if (function.name.empty()) return Refuse("a function has no name");
    if (static_cast<int64_t>(function.name.size()) > limits::kMaxNameBytes) {
      return Refuse("a function's name has ", function.name.size(), " bytes, above the limit of ",
                    limits::kMaxNameBytes);
    }
    ACCELD_RETURN_IF_ERROR(CheckName("the function's name", function.name));
    absl::StatusOr<Signature> signature = SignatureOf(function);
    if (!signature.ok()) {
      return Annotate(signature.status(), absl::StrCat("@", function.name));
    }
    if (!signatures.emplace(function.name, *std::move(signature)).second) {
      return Refuse("two functions are named '", function.name, "'");
    }
  }
  Totals totals;
  totals.max_region_depth = max_region_depth;
  for (const Function& function : module.functions) {
    ACCELD_RETURN_IF_ERROR(Annotate(FunctionVerifier(function, signatures, totals).Run(),
                                    absl::StrCat("@", function.name)));
    ACCELD_RETURN_IF_ERROR(Annotate(CheckDonations(function), absl::StrCat("@", function.name)));
  }
  ACCELD_RETURN_IF_ERROR(CheckCallGraph(module));
  return VerifyProcesses(module);
}

}  // namespace acceld::ir

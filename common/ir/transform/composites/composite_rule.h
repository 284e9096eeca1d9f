#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/transform/batching.h"
#include "common/ir/transform/derivation.h"
#include "common/ir/transform/transposition.h"

// Composites whose derivative, transpose or batch is not that of their decomposition.
namespace acceld::ir {

// What is special about the composites of one name. A nullptr means: as the decomposition, which is
// then called.
struct CompositeRule {
  absl::string_view name;
  absl::Status (*derive)(Derivation& d) = nullptr;
  absl::Status (*transpose)(Transposition& t) = nullptr;
  absl::Status (*batch)(Batching& b) = nullptr;
};

// Returns nullptr for composites that are what their decomposition is.
const CompositeRule* FindCompositeRule(absl::string_view name);

// The rules of calls, which are also those of composites without a rule.
absl::Status DeriveCallOf(Derivation& d, const std::string& callee);
absl::Status TransposeCallOf(Transposition& t, const std::string& callee);
absl::Status BatchCallOf(Batching& b, const std::string& callee);

// Appends a call of a function of `module`; returns its results.
std::vector<ValueId> AddCall(const Module& module, FunctionBuilder& builder,
                             const std::string& callee, std::vector<ValueId> arguments,
                             Location location);
// Appends a composite whose decomposition is a function of `module`; returns its results.
std::vector<ValueId> AddComposite(const Module& module, FunctionBuilder& builder,
                                  CompositeAttributes attributes, std::vector<ValueId> operands,
                                  Location location);

// The rules, by file.
// chlo_functions.cc: the functions of CHLO.
absl::Status DeriveChloFunction(Derivation& d);
absl::Status BatchChloFunction(Batching& b);
// custom_rules.cc
absl::Status DeriveCustomJvp(Derivation& d);
absl::Status BatchCustomJvp(Batching& b);
absl::Status DeriveCustomVjp(Derivation& d);
absl::Status BatchCustomVjp(Batching& b);
// Of the custom call that stands for the tangents of a custom vjp.
absl::Status TransposeCustomVjp(Transposition& t);
// checkpoint.cc
absl::Status DeriveCheckpoint(Derivation& d);
absl::Status BatchCheckpoint(Batching& b);
absl::Status DeriveStopGradient(Derivation& d);
absl::Status BatchStopGradient(Batching& b);
// select_and_gather.cc
absl::Status DeriveSelectAndGather(Derivation& d);
absl::Status TransposeSelectAndGather(Transposition& t);

}  // namespace acceld::ir

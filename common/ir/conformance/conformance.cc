#include "common/ir/conformance/conformance.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/builder.h"

namespace acceld::ir {
namespace {

constexpr absl::string_view kMain = "main";
constexpr absl::string_view kInputs = "inputs";

bool IsCheck(const Op& op) {
  return op.kind == OpKind::kCustomCall &&
         absl::StartsWith(op.As<CustomCallAttributes>().call_target_name, "check.");
}

bool IsCallTo(const Op& op, absl::string_view function) {
  return op.kind == OpKind::kCall && op.As<CallAttributes>().callee.name == function;
}

// The functions below recurse as deep as regions nest, which the verifier bounds.

bool HoldsCheck(const Region& region) {
  for (const Op& op : region.ops) {
    if (IsCheck(op)) return true;
    for (const Region& inner : op.regions) {
      if (HoldsCheck(inner)) return true;
    }
  }
  return false;
}

// Adds all values that the op and its regions use, including those that the regions define.
void AddUses(const Op& op, absl::flat_hash_set<ValueId>& uses) {
  uses.insert(op.operands.begin(), op.operands.end());
  for (const Region& region : op.regions) {
    uses.insert(region.results.begin(), region.results.end());
    for (const Op& inner : region.ops) AddUses(inner, uses);
  }
}

void AddCallees(const Region& region, std::vector<std::string>& callees) {
  for (const Op& op : region.ops) {
    if (op.kind == OpKind::kCall) callees.push_back(op.As<CallAttributes>().callee.name);
    if (op.kind == OpKind::kComposite) {
      callees.push_back(op.As<CompositeAttributes>().decomposition.name);
    }
    for (const Region& inner : op.regions) AddCallees(inner, callees);
  }
}

// Returns a function that computes `values` of `main` in the same way. With `inputs_as_parameters`
// the results of the calls to @inputs are its parameters.
Function ExtractCone(const Function& main, const std::vector<ValueId>& values,
                     bool inputs_as_parameters) {
  absl::flat_hash_set<ValueId> needed(values.begin(), values.end());
  std::vector<const Op*> ops;
  for (auto op = main.body.ops.rbegin(); op != main.body.ops.rend(); ++op) {
    bool is_needed = false;
    for (ValueId id : op->results) is_needed = is_needed || needed.contains(id);
    const bool is_input = inputs_as_parameters && IsCallTo(*op, kInputs);
    if (is_input || is_needed) ops.push_back(&*op);
    if (is_needed) AddUses(*op, needed);
  }

  FunctionBuilder builder((std::string(kMain)));
  absl::flat_hash_map<ValueId, ValueId> ids;
  std::vector<ValueId> parameters;
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    if (!inputs_as_parameters || !IsCallTo(**op, kInputs)) {
      builder.Clone(**op, main, ids);
      continue;
    }
    // Each call of @inputs has the same results.
    for (size_t i = 0; i < (*op)->results.size(); ++i) {
      const ValueId id = (*op)->results[i];
      if (i == parameters.size()) parameters.push_back(builder.AddParameter(main.TypeOf(id)));
      ids[id] = parameters[i];
    }
  }
  std::vector<ValueId> results;
  for (ValueId id : values) results.push_back(ids.at(id));
  return builder.Finish(std::move(results));
}

// Returns a module of `main` and the functions of `module` that it calls, in their order.
Module WithMain(const Module& module, Function main) {
  absl::flat_hash_set<std::string> reached;
  std::vector<std::string> pending;
  AddCallees(main.body, pending);
  while (!pending.empty()) {
    const std::string name = std::move(pending.back());
    pending.pop_back();
    const Function* function = module.Find(name);
    if (function != nullptr && reached.insert(name).second) AddCallees(function->body, pending);
  }
  Module result{.name = module.name, .functions = {}};
  result.functions.push_back(std::move(main));
  for (const Function& function : module.functions) {
    if (reached.contains(function.name)) result.functions.push_back(function);
  }
  return result;
}

absl::Status CheckShape(const Module& module, const Function& main) {
  if (!main.body.parameters.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("@main of a conformance program takes no arguments, but this one takes ",
                     main.body.parameters.size()));
  }
  for (const Function& function : module.functions) {
    bool is_outside = &function != &main && HoldsCheck(function.body);
    if (&function == &main) {
      for (const Op& op : main.body.ops) {
        for (const Region& region : op.regions) is_outside = is_outside || HoldsCheck(region);
      }
    }
    if (is_outside) {
      return absl::InvalidArgumentError(
          absl::StrCat("@", function.name, ": a check stands outside of @main's own body"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ConformanceProgram> SplitConformanceProgram(const Module& module,
                                                           const InterpreterLimits& limits) {
  ACCELD_ASSIGN_OR_RETURN(const Function* main, module.Entry(kMain));
  ACCELD_RETURN_IF_ERROR(CheckShape(module, *main));

  ConformanceProgram program;
  std::vector<ValueId> actual;
  std::vector<ValueId> expected;
  for (const Op& op : main->body.ops) {
    if (!IsCheck(op)) continue;
    const std::string& target = op.As<CustomCallAttributes>().call_target_name;
    const auto rule = RuleOfCheck(target);
    if (!rule) return absl::UnimplementedError(absl::StrCat("'", target, "' has no rule"));
    if (op.operands.size() != 2) {
      return absl::InvalidArgumentError(absl::StrCat(target, ": takes (actual, expected), not ",
                                                     op.operands.size(), " operands"));
    }
    program.checks.push_back({.target = target,
                              .rule = *rule,
                              .expected = Literal(),
                              .result = actual.size(),
                              .location = op.location});
    actual.push_back(op.operands[0]);
    expected.push_back(op.operands[1]);
  }
  if (program.checks.empty()) {
    return absl::InvalidArgumentError("@main has no check, so there is nothing to compare");
  }

  program.program = WithMain(module, ExtractCone(*main, actual, /*inputs_as_parameters=*/true));
  if (!program.program.functions.front().body.parameters.empty()) {
    ACCELD_ASSIGN_OR_RETURN(program.inputs, Interpret(module, kInputs, {}, limits));
  }
  const Module reference =
      WithMain(module, ExtractCone(*main, expected, /*inputs_as_parameters=*/false));
  ACCELD_ASSIGN_OR_RETURN(std::vector<Literal> values, Interpret(reference, kMain, {}, limits));
  for (size_t i = 0; i < values.size(); ++i) program.checks[i].expected = std::move(values[i]);
  return program;
}

std::vector<std::string> FailedChecks(const ConformanceProgram& program,
                                      absl::Span<const Literal> results,
                                      const CheckOverride* override) {
  std::vector<std::string> failures;
  for (size_t i = 0; i < program.checks.size(); ++i) {
    const ConformanceCheck& check = program.checks[i];
    const std::string where = absl::StrCat(
        "check ", i + 1, " (", check.target,
        check.location.line == 0 ? std::string() : absl::StrCat(", line ", check.location.line),
        "): ");
    if (check.result >= results.size()) {
      failures.push_back(absl::StrCat(where, "the program gave ", results.size(), " results"));
      continue;
    }
    const CheckRule rule = override == nullptr ? check.rule : override->Apply(check.rule);
    const Comparison comparison = Compare(rule, results[check.result], check.expected);
    if (!comparison.passed) failures.push_back(absl::StrCat(where, comparison.message));
  }
  return failures;
}

}  // namespace acceld::ir

#include "common/ir/conformance/conformance.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/calls/call_graph.h"

namespace acceld::ir {
namespace {

bool IsCheck(const Op& op) {
  return op.kind == OpKind::kCustomCall &&
         absl::StartsWith(op.As<CustomCallAttributes>().call_target_name, "check.");
}

// Recurses as deep as regions nest, which the verifier bounds.
bool HasAny(const Region& region, bool (*is_it)(const Op&)) {
  for (const Op& op : region.ops) {
    if (is_it(op)) return true;
    for (const Region& inner : op.regions) {
      if (HasAny(inner, is_it)) return true;
    }
  }
  return false;
}

// Whether `is_it` holds for an op of the function; in the entry only ops inside of other ops count.
bool HasOutsideOfEntry(const Function& function, bool is_entry, bool (*is_it)(const Op&)) {
  if (!is_entry) return HasAny(function.body, is_it);
  for (const Op& op : function.body.ops) {
    for (const Region& region : op.regions) {
      if (HasAny(region, is_it)) return true;
    }
  }
  return false;
}

// Whether the function is a program of its own, unless its module has @main.
bool IsProgram(const Function& function) {
  return function.body.parameters.empty() && HasAny(function.body, IsCheck);
}

absl::Status CheckShape(const Module& module, const Function& entry) {
  if (!entry.body.parameters.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("@", entry.name, " of a conformance program takes no arguments, but this one ",
                     "takes ", entry.body.parameters.size()));
  }
  // Checks in functions that the entry calls would be missed, even if these are programs.
  const bool has_others = entry.name != kConformanceMain;
  const Module called = has_others ? ReachableFrom(module, CalleesOf(entry.body)) : Module();
  for (const Function& function : module.functions) {
    const bool is_entry = &function == &entry;
    const bool is_called = called.Find(function.name) != nullptr;
    if (has_others && !is_entry && !is_called && IsProgram(function)) continue;
    const char* what = nullptr;
    if (HasOutsideOfEntry(function, is_entry, IsCheck)) what = "a check";
    if (HasOutsideOfEntry(function, is_entry, IsParallelRun)) what = "a parallel run";
    if (what == nullptr) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "@", function.name, ": ", what, " stands outside of @", entry.name, "'s own body"));
  }
  return absl::OkStatus();
}

// Returns the rule of a check: that of its target, with the tolerance of its backend_config.
absl::StatusOr<CheckRule> RuleOf(const CustomCallAttributes& check) {
  const auto of_target = RuleOfCheck(check.call_target_name);
  if (!of_target) {
    return absl::UnimplementedError(absl::StrCat("'", check.call_target_name, "' has no rule"));
  }
  CheckRule rule = *of_target;
  const auto* config = std::get_if<DictionaryAttribute>(&check.backend_config.value);
  if (config == nullptr) return rule;
  for (const auto& [name, value] : config->entries) {
    const auto* real = std::get_if<FloatAttribute>(&value.value);
    const auto* integer = std::get_if<IntegerAttribute>(&value.value);
    if (name == "tolerance" && rule.tolerance == Tolerance::kAbsolute && real != nullptr) {
      rule.bound = real->value;
    } else if (name == "max_ulp_difference" && rule.tolerance == Tolerance::kUlp &&
               integer != nullptr) {
      rule.bound = static_cast<double>(integer->value);
    } else if (name != "min_ulp_difference" || integer == nullptr || integer->value != 0) {
      return absl::UnimplementedError(
          absl::StrCat(check.call_target_name, ": no rule with ", name, " = ", ToString(value)));
    }
  }
  return rule;
}

// The values that checks compare, in the order of the checks.
struct CheckedValues {
  std::vector<ValueId> actual, expected;
};

absl::StatusOr<CheckedValues> AddChecks(const Function& entry,
                                        std::vector<ConformanceCheck>& checks) {
  CheckedValues values;
  for (const Op& op : entry.body.ops) {
    if (!IsCheck(op)) continue;
    const auto& attributes = op.As<CustomCallAttributes>();
    ACCELD_ASSIGN_OR_RETURN(const CheckRule rule, RuleOf(attributes));
    if (op.operands.size() != 2) {
      return absl::InvalidArgumentError(absl::StrCat(attributes.call_target_name,
                                                     ": takes (actual, expected), not ",
                                                     op.operands.size(), " operands"));
    }
    checks.push_back({.target = attributes.call_target_name,
                      .rule = rule,
                      .expected = Literal(),
                      .location = op.location});
    values.actual.push_back(op.operands[0]);
    values.expected.push_back(op.operands[1]);
  }
  if (checks.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("@", entry.name, " has no check, so there is nothing to compare"));
  }
  return values;
}

// Takes the parallel runs out of the entry, and numbers their results.
absl::StatusOr<absl::flat_hash_map<ValueId, size_t>> AddRuns(const Module& module,
                                                             const Function& entry,
                                                             const InterpreterLimits& limits,
                                                             std::vector<ParallelRun>& runs) {
  absl::flat_hash_map<ValueId, size_t> numbers;
  for (const Op& op : entry.body.ops) {
    if (!IsParallelRun(op)) continue;
    ACCELD_ASSIGN_OR_RETURN(runs.emplace_back(), TakeParallelRun(module, entry, op, limits));
    for (const Function& function : runs.back().program.functions) {
      if (!HasAny(function.body, IsCheck)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("@", function.name, ": a check stands in a function that runs in parallel"));
    }
    for (const ValueId id : op.results) numbers.emplace(id, numbers.size());
  }
  return numbers;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ConformanceEntries(const Module& module) {
  std::vector<std::string> entries;
  if (module.Find(kConformanceMain) != nullptr) {
    entries.emplace_back(kConformanceMain);
    return entries;
  }
  for (const Function& function : module.functions) {
    if (IsProgram(function)) entries.push_back(function.name);
  }
  if (!entries.empty()) return entries;
  return absl::InvalidArgumentError(
      "the module has neither @main nor a function without parameters that contains a check");
}

absl::StatusOr<ConformanceProgram> SplitConformanceProgram(const Module& module,
                                                           absl::string_view entry,
                                                           const InterpreterLimits& limits) {
  ACCELD_ASSIGN_OR_RETURN(const Function* main, module.Entry(entry));
  ACCELD_RETURN_IF_ERROR(CheckShape(module, *main));

  ConformanceProgram program;
  ACCELD_ASSIGN_OR_RETURN(const CheckedValues values, AddChecks(*main, program.checks));
  ACCELD_ASSIGN_OR_RETURN(const auto results_of_runs, AddRuns(module, *main, limits, program.runs));
  std::vector<ValueId> results_of_main;
  for (size_t i = 0; i < values.actual.size(); ++i) {
    if (results_of_runs.contains(values.actual[i])) continue;
    program.checks[i].result = results_of_main.size();
    results_of_main.push_back(values.actual[i]);
  }
  for (size_t i = 0; i < values.actual.size(); ++i) {
    const auto found = results_of_runs.find(values.actual[i]);
    if (found == results_of_runs.end()) continue;
    program.checks[i].result = results_of_main.size() + found->second;
  }

  program.program =
      WithMain(module, ExtractCone(*main, results_of_main, /*inputs_as_parameters=*/true));
  const Region& body = program.program.functions.front().body;
  if (HasAny(body, IsParallelRun)) {
    return absl::UnimplementedError(absl::StrCat("a check of values that @", main->name,
                                                 " computes from the results of a parallel run"));
  }
  if (!body.parameters.empty()) {
    ACCELD_ASSIGN_OR_RETURN(program.inputs, Interpret(module, kConformanceInputs, {}, limits));
  }
  const Module reference =
      WithMain(module, ExtractCone(*main, values.expected, /*inputs_as_parameters=*/false));
  ACCELD_ASSIGN_OR_RETURN(std::vector<Literal> expected,
                          Interpret(reference, kConformanceMain, {}, limits));
  for (size_t i = 0; i < expected.size(); ++i) program.checks[i].expected = std::move(expected[i]);
  return program;
}

absl::StatusOr<std::vector<Literal>> InterpretRuns(const ConformanceProgram& program,
                                                   const InterpreterLimits& limits) {
  std::vector<Literal> results;
  for (const ParallelRun& run : program.runs) {
    ACCELD_ASSIGN_OR_RETURN(const std::vector<Literal> of_run, InterpretParallelRun(run, limits));
    results.insert(results.end(), of_run.begin(), of_run.end());
  }
  return results;
}

absl::StatusOr<std::vector<Literal>> InterpretConformanceProgram(const ConformanceProgram& program,
                                                                 const InterpreterLimits& limits) {
  ACCELD_ASSIGN_OR_RETURN(std::vector<Literal> results,
                          Interpret(program.program, kConformanceMain, program.inputs, limits));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Literal> of_runs, InterpretRuns(program, limits));
  results.insert(results.end(), of_runs.begin(), of_runs.end());
  return results;
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

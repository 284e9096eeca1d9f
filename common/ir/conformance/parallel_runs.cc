#include "common/ir/conformance/parallel_runs.h"

#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/conformance/extract.h"
#include "common/ir/import/distribution.h"
#include "common/ir/processes/verify_processes.h"

namespace acceld::ir {
namespace {

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(kRunParallelTarget, ": ", parts...));
}

// Returns the functions that the attribute `programs` names, a row for each replica.
absl::StatusOr<std::vector<std::vector<std::string>>> ReadPrograms(const Attribute& from) {
  const auto* rows = std::get_if<ArrayAttribute>(&from.value);
  if (rows == nullptr) return Refuse("programs is ", ToString(from), ", expected lists of names");
  std::vector<std::vector<std::string>> programs;
  for (const Attribute& row : rows->elements) {
    const auto* names = std::get_if<ArrayAttribute>(&row.value);
    if (names == nullptr) return Refuse("programs has ", ToString(row), ", expected a list");
    std::vector<std::string>& of_replica = programs.emplace_back();
    for (const Attribute& element : names->elements) {
      FunctionName name;
      ACCELD_RETURN_IF_ERROR(Annotate(ReadField(element, name), kRunParallelTarget));
      of_replica.push_back(std::move(name.name));
    }
    if (of_replica.empty() || of_replica.size() != programs[0].size()) {
      return Refuse("programs has a list of ", of_replica.size(), " after one of ",
                    programs[0].size(), ", expected as many partitions in each replica");
    }
  }
  if (programs.empty()) return Refuse("programs is empty");
  return programs;
}

absl::StatusOr<std::vector<std::vector<std::string>>> ProgramsOf(const Op& op) {
  const Attribute& config = op.As<CustomCallAttributes>().backend_config;
  const auto* attributes = std::get_if<DictionaryAttribute>(&config.value);
  if (attributes == nullptr) return Refuse("expected a dictionary of its attributes");
  const Attribute* programs = nullptr;
  for (const auto& [name, value] : attributes->entries) {
    if (name == "programs") {
      programs = &value;
    } else if (name == "infeed") {
      return absl::UnimplementedError(
          absl::StrCat(kRunParallelTarget, ": processes with an infeed are not supported"));
    } else {
      return Refuse("unknown attribute '", name, "'");
    }
  }
  if (programs == nullptr) return Refuse("expected attribute 'programs'");
  return ReadPrograms(*programs);
}

void Append(const std::vector<Type>& types, std::vector<Type>& to) {
  to.insert(to.end(), types.begin(), types.end());
}

}  // namespace

bool IsParallelRun(const Op& op) {
  return op.kind == OpKind::kCustomCall &&
         op.As<CustomCallAttributes>().call_target_name == kRunParallelTarget;
}

absl::StatusOr<ParallelRun> TakeParallelRun(const Module& module, const Function& main,
                                            const Op& op, const InterpreterLimits& limits) {
  ACCELD_ASSIGN_OR_RETURN(const auto programs, ProgramsOf(op));
  std::vector<std::string> names;
  for (const auto& of_replica : programs) {
    names.insert(names.end(), of_replica.begin(), of_replica.end());
  }
  std::vector<Type> parameters, results;
  for (const std::string& name : names) {
    const Function* function = module.Find(name);
    if (function == nullptr) return Refuse("the module has no function @", name);
    Append(function->ParameterTypes(), parameters);
    Append(function->ResultTypes(), results);
  }
  if (parameters != main.TypesOf(op.operands) || results != main.TypesOf(op.results)) {
    return Refuse("the functions take (", ToString(parameters), ") and return (", ToString(results),
                  "), but the op takes (", ToString(main.TypesOf(op.operands)), ") and returns (",
                  ToString(main.TypesOf(op.results)), ")");
  }

  ParallelRun run{.program = ReachableFrom(module, names)};
  run.program.grid = {.num_replicas = static_cast<int64_t>(programs.size()),
                      .num_partitions = static_cast<int64_t>(programs[0].size())};
  ACCELD_RETURN_IF_ERROR(Annotate(VerifyProcesses(run.program), kRunParallelTarget));
  const Module arguments =
      WithMain(module, ExtractCone(main, op.operands, /*inputs_as_parameters=*/false));
  ACCELD_ASSIGN_OR_RETURN(std::vector<Literal> values,
                          Interpret(arguments, kConformanceMain, {}, limits));
  auto next = std::make_move_iterator(values.begin());
  for (const std::string& name : names) {
    const auto count = static_cast<int64_t>(module.Find(name)->body.parameters.size());
    run.calls.push_back({.entry = name, .arguments = {next, next + count}});
    next += count;
  }
  return run;
}

absl::StatusOr<std::vector<Literal>> InterpretParallelRun(const ParallelRun& run,
                                                          const InterpreterLimits& limits) {
  ACCELD_ASSIGN_OR_RETURN(std::vector<std::vector<Literal>> by_process,
                          InterpretProcesses(run.program, run.calls, limits));
  std::vector<Literal> results;
  for (std::vector<Literal>& of_process : by_process) {
    results.insert(results.end(), std::make_move_iterator(of_process.begin()),
                   std::make_move_iterator(of_process.end()));
  }
  return results;
}

}  // namespace acceld::ir

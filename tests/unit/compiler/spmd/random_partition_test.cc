// Random programs with random shardings: what the processes of the partitioned program compute
// together is what the program computes as a whole. ACCELD_RANDOM_PROGRAMS="first:count" runs other
// seeds than the usual ones.
#include "absl/strings/str_cat.h"
#include "common/ir/interpreter.h"
#include "common/ir/processes/verify_processes.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "server/compiler/passes/rewriter.h"
#include "tests/unit/compiler/random/check_program.h"
#include "tests/unit/compiler/random/seeds.h"
#include "tests/unit/compiler/spmd/random_programs.h"
#include "tests/unit/compiler/spmd/sharded_run.h"

namespace acceld::compiler::spmd {
namespace {

TEST(RandomPartition, ProcessesComputeWhatTheWholeProgramComputes) {
  ForEachSeed(SeedsToRun(3000), [](uint64_t seed) {
    const ShardedProgram program = MakeShardedProgram(seed);
    return DifferenceOf(RunBoth(program.module, program.arguments), program.rules);
  });
}

// Whether the program has sums of many narrow floats, whose parts are rounded too.
bool HasNarrowSums(const ir::Module& module) {
  bool has_any = false;
  for (const ir::Function& function : module.functions) {
    ForEachOp(function.body, [&](const ir::Op& op) {
      if (ir::FamilyOf(op.kind) != ir::OpFamily::kContraction) return;
      const ir::DType dtype = function.TensorOf(op.results[0]).dtype;
      has_any = has_any || (ir::IsFloat(dtype) && ir::BitsOf(dtype) == 16);
    });
  }
  return has_any;
}

CheckRules LooseRules(const std::vector<ir::Literal>& expected) {
  CheckRules rules;
  for (const ir::Literal& literal : expected) {
    const ir::DType dtype = literal.type().dtype;
    const bool is_rounded = ir::IsComplex(dtype) || ir::IsFloat(dtype);
    rules.push_back(is_rounded ? ir::CheckRule{ir::Tolerance::kAbsolute, 1e-3} : Exact());
  }
  return rules;
}

TEST(RandomPartition, ProgramsOfAllTypesAndNestsCompute) {
  ForEachSeed(SeedsToRun(500), [](uint64_t seed) {
    const RandomProgram program = MakeDistributedProgram(seed);
    if (HasNarrowSums(program.module)) return std::string();
    const PartitionedRun run = RunBoth(program.module, program.arguments);
    if (!run.failure.empty()) return absl::StrCat(run.failure, run.texts);
    // Sums of parts have other rounding errors than the programs are made for.
    const auto failure = CheckResults(program, run.actual);
    if (!failure.has_value() || DifferenceOf(run, LooseRules(run.expected)).empty()) {
      return std::string();
    }
    return absl::StrCat(failure->message, run.texts);
  });
}

TEST(RandomPartition, LocalProgramsStayAsTheyAre) {
  ForEachSeed(SeedsToRun(500), [](uint64_t seed) -> std::string {
    LocalProgram program = MakeLocalProgram(seed);
    // Without collectives it computes on whole values, which all processes have.
    if (!ir::IsLocal(program.module)) return "";
    const std::string text = absl::StrCat("\nthe program:\n", ir::PrintModule(program.module));
    const std::vector<ir::HostCallback> callbacks = {[](absl::Span<const ir::Literal> operands) {
      return std::vector<ir::Literal>(operands.begin(), operands.end());
    }};
    const auto expected =
        ir::InterpretProcesses(program.module, "main", program.arguments, {}, callbacks);
    if (!expected.ok()) return absl::StrCat(expected.status().ToString(), text);
    const auto partitioned = Partition(program.module);
    if (!partitioned.ok()) return absl::StrCat(partitioned.status().ToString(), text);
    for (size_t p = 0; p < program.arguments.size(); ++p) {
      program.arguments[p].push_back(
          ir::Literal::Filled({ir::DType::kUI32, {}}, static_cast<double>(p)));
    }
    const auto actual =
        ir::InterpretProcesses(partitioned->module, "main", program.arguments, {}, callbacks);
    if (!actual.ok()) return absl::StrCat(actual.status().ToString(), text);
    for (size_t p = 0; p < expected->size(); ++p) {
      const CheckRules rules = LooseRules((*expected)[p]);
      for (size_t i = 0; i < rules.size(); ++i) {
        const ir::Comparison result = ir::Compare(rules[i], (*actual)[p][i], (*expected)[p][i]);
        if (!result.passed) return absl::StrCat(result.message, text);
      }
    }
    return "";
  });
}

}  // namespace
}  // namespace acceld::compiler::spmd

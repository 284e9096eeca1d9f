#include "tests/unit/compiler/shrink/shrink_program.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/compiler/passes/rewriter.h"
#include "tests/unit/compiler/shrink/program_edits.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// Whether the entry does.
bool Contains(const ir::Module& module, OpKind kind) {
  bool found = false;
  ForEachOp(module.functions[0].body, [&](const ir::Op& op) { found |= op.kind == kind; });
  return found;
}

// Ops other than constants, outside of the regions of reductions and the like.
int64_t CountOps(const ir::Module& module) {
  int64_t count = 0;
  for (ir::Function function : module.functions) {
    for (ir::ValueId id : OpsInControlFlow(function)) {
      count += FindOp(function, id)->op().kind == OpKind::kConstant ? 0 : 1;
    }
  }
  return count;
}

// A program with its arguments, all zeros.
RandomProgram Parsed(absl::string_view text) {
  RandomProgram program{ir::ParseModule(text).value(), {}};
  for (const ir::Type& type : program.module.functions[0].ParameterTypes()) {
    program.arguments.push_back(ir::Literal::Zeros(type.tensor()));
  }
  return program;
}

TEST(ShrinkProgram, LeavesTheOpThatFailsAlone) {
  for (const OpKind kind : {OpKind::kSort, OpKind::kReduce, OpKind::kGather, OpKind::kRemainder,
                            OpKind::kWhile, OpKind::kCase, OpKind::kCall}) {
    SCOPED_TRACE(ir::NameOf(kind));
    int programs = 0;
    for (uint64_t seed = 0; programs < 5 && seed < 1000; ++seed) {
      SCOPED_TRACE(seed);
      RandomProgram program = MakeRandomProgram(seed);
      DropUnusedOps(program.module);
      if (!Contains(program.module, kind)) continue;
      ++programs;
      const RandomProgram small = ShrinkProgram(program, [&](const RandomProgram& candidate) {
        return Contains(candidate.module, kind);
      });
      EXPECT_TRUE(ir::Verify(small.module).ok());
      EXPECT_TRUE(Contains(small.module, kind));
      // Floats keep the clamp that bounds them, loops the counter and the comparison.
      EXPECT_LE(CountOps(small.module), kind == OpKind::kWhile ? 3 : 2)
          << ir::PrintModule(small.module);
      EXPECT_TRUE(ir::Interpret(small.module, "main", small.arguments).ok());
    }
    EXPECT_EQ(programs, 5);
  }
}

TEST(ShrinkProgram, AsksAboutVerifiedProgramsWhoseLoopsEnd) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    int64_t asked = 0;
    ShrinkProgram(MakeRandomProgram(seed), [&](const RandomProgram& candidate) {
      ++asked;
      EXPECT_TRUE(ir::Verify(candidate.module).ok());
      EXPECT_TRUE(ir::Interpret(candidate.module, "main", candidate.arguments).ok());
      return asked % 3 == 0;
    });
    EXPECT_GT(asked, 0);
  }
}

TEST(ShrinkProgram, KeepsTheValueThatAnOpMeets) {
  const RandomProgram program = Parsed(R"(
    func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {
      %c = stablehlo.constant dense<7> : tensor<4xi32>
      %0 = stablehlo.add %a, %c : tensor<4xi32>
      %1 = stablehlo.multiply %0, %0 : tensor<4xi32>
      %2 = stablehlo.negate %1 : tensor<4xi32>
      return %2 : tensor<4xi32>
    })");
  const RandomProgram small = ShrinkProgram(program, [](const RandomProgram& candidate) {
    const auto results = ir::Interpret(candidate.module, "main", candidate.arguments);
    return Contains(candidate.module, OpKind::kNegate) &&
           (*results)[0] == ir::Literal::Filled({ir::DType::kI32, {4}}, -49);
  });
  EXPECT_EQ(ir::PrintModule(small.module), ir::PrintModule(Parsed(R"(
    func.func @main() -> tensor<4xi32> {
      %c = stablehlo.constant dense<49> : tensor<4xi32>
      %0 = stablehlo.negate %c : tensor<4xi32>
      return %0 : tensor<4xi32>
    })")
                                                               .module));
}

TEST(ShrinkProgram, StopsAfterSoManyTrials) {
  int64_t asked = 0;
  const auto never = [&](const RandomProgram&) { return ++asked < 0; };
  const RandomProgram program = MakeRandomProgram(3);
  EXPECT_EQ(ShrinkProgram(program, never, /*max_trials=*/2).module, program.module);
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace acceld::compiler

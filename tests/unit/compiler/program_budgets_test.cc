// Small programs that passes would make large: what grows has a budget for the whole program.
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "server/compiler/fusion/fuse.h"
#include "server/compiler/passes/cleanup/fold_constants.h"
#include "server/compiler/passes/loops/unroll_loops.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/passes/structure/inline.h"

namespace acceld::compiler {
namespace {

ir::Module Read(const std::string& text) {
  auto module = ir::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : ir::Module();
}

int64_t CountOps(
    const ir::Module& module,
    const std::function<bool(const ir::Op&)>& counts = [](const ir::Op&) { return true; }) {
  int64_t count = 0;
  for (const ir::Function& function : module.functions) {
    ForEachOp(function.body, [&](const ir::Op& op) { count += counts(op) ? 1 : 0; });
  }
  return count;
}

// Functions whose reductions call a tree of functions, which doubles at each of `levels`.
std::string ReducersThatDouble(int levels, int functions) {
  std::string text = "func.func @main(%x: tensor<4xf32>) {\n";
  // Often enough not to be worth copying themselves.
  constexpr int kCalls = 20;
  for (int i = 0; i < functions * kCalls; ++i) {
    absl::StrAppend(&text, "  func.call @f", i % functions, "(%x) : (tensor<4xf32>) -> ()\n");
  }
  text += "  return\n}\n";
  for (int i = 0; i < functions; ++i) {
    absl::StrAppend(&text, "func.func private @f", i, "(%x: tensor<4xf32>) {\n",
                    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n");
    for (int k = 0; k < 40; ++k) {
      absl::StrAppend(&text, "  %", k, " = stablehlo.add %z, %z : tensor<f32>\n");
    }
    absl::StrAppend(&text,
                    "  %r = stablehlo.reduce(%x init: %z) across dimensions = [0] : "
                    "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
                    "   reducer(%a: tensor<f32>, %b: tensor<f32>) {\n"
                    "    %c = func.call @g",
                    levels,
                    "(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
                    "    stablehlo.return %c : tensor<f32>\n  }\n  return\n}\n");
  }
  text +=
      "func.func private @g0(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n"
      "  %c = stablehlo.add %a, %b : tensor<f32>\n  return %c : tensor<f32>\n}\n";
  for (int i = 1; i <= levels; ++i) {
    const std::string call =
        absl::StrCat("func.call @g", i - 1, "(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>");
    absl::StrAppend(&text, "func.func private @g", i,
                    "(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n  %c = ", call,
                    "\n  %d = ", call,
                    "\n  %e = stablehlo.add %c, %d : tensor<f32>\n  return %e : tensor<f32>\n}\n");
  }
  return text;
}

TEST(ProgramBudgetsTest, InliningIsRefusedWhenItMustCopyTooMuch) {
  const auto small = InlineCalls(Read(ReducersThatDouble(/*levels=*/4, /*functions=*/2)));
  ASSERT_TRUE(small.ok()) << small.status();
  // In one function, and in many.
  for (const auto& [levels, functions] : {std::pair(40, 1), std::pair(15, 20)}) {
    const auto large = InlineCalls(Read(ReducersThatDouble(levels, functions)));
    EXPECT_EQ(large.status().code(), absl::StatusCode::kResourceExhausted) << large.status();
  }
}

TEST(ProgramBudgetsTest, UnrollingStopsWhenTheProgramHasGrown) {
  constexpr int kLoops = 400, kBodyOps = 30;
  std::string text =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n";
  std::string last = "%x";
  for (int i = 0; i < kLoops; ++i) {
    absl::StrAppend(&text, "  %w", i, ":2 = stablehlo.while(%p = %zero, %q = ", last,
                    ") : tensor<i32>, tensor<f32> cond {\n"
                    "    %n = stablehlo.constant dense<16> : tensor<i32>\n"
                    "    %l = stablehlo.compare LT, %p, %n : (tensor<i32>, tensor<i32>) -> "
                    "tensor<i1>\n    stablehlo.return %l : tensor<i1>\n  } do {\n"
                    "    %o = stablehlo.constant dense<1> : tensor<i32>\n"
                    "    %s = stablehlo.add %p, %o : tensor<i32>\n"
                    "    %0 = stablehlo.sine %q : tensor<f32>\n");
    for (int k = 1; k < kBodyOps - 2; ++k) {
      absl::StrAppend(&text, "    %", k, " = stablehlo.sine %", k - 1, " : tensor<f32>\n");
    }
    absl::StrAppend(&text, "    stablehlo.return %s, %", kBodyOps - 3,
                    " : tensor<i32>, tensor<f32>\n  }\n");
    last = absl::StrCat("%w", i, "#1");
  }
  absl::StrAppend(&text, "  return ", last, " : tensor<f32>\n}\n");
  const ir::Module module = Read(text);
  const auto is_loop = [](const ir::Op& op) { return op.kind == ir::OpKind::kWhile; };
  ASSERT_EQ(CountOps(module, is_loop), kLoops);
  const auto unrolled = UnrollLoops(module);
  ASSERT_TRUE(unrolled.ok()) << unrolled.status();
  EXPECT_LT(CountOps(*unrolled, is_loop), kLoops);
  EXPECT_GT(CountOps(*unrolled, is_loop), 0);
  EXPECT_LT(CountOps(*unrolled), CountOps(module) + 110'000);
}

// Each group of a tiny loop repeats the chain before it, as far back as one may.
TEST(ProgramBudgetsTest, FusingStopsRepeatingWhenTheProgramHasGrown) {
  constexpr int kLinks = 3000;
  std::string text = R"(func.func @main(%v0: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>)";
  for (int i = 0; i < kLinks; ++i) {
    const int kept = i % 2 == 0 ? 1 : 0;
    absl::SubstituteAndAppend(&text, R"(
  %r$0 = stablehlo.reduce(%v$0 init: %z) applies stablehlo.add across dimensions = [$2] : (tensor<8x64xf32>, tensor<f32>) -> tensor<$4xf32>
  %b$0 = stablehlo.broadcast_in_dim %r$0, dims = [$3] : (tensor<$4xf32>) -> tensor<8x64xf32>
  %v$1 = stablehlo.subtract %v$0, %b$0 : tensor<8x64xf32>)",
                              i, i + 1, 1 - kept, kept, kept == 1 ? 64 : 8);
  }
  absl::StrAppend(&text, "\n  return %v", kLinks, " : tensor<8x64xf32>\n}\n");
  const ir::Module module = Read(text);
  const auto fused = Fuse(module);
  ASSERT_TRUE(fused.ok()) << fused.status();
  EXPECT_LT(CountOps(*fused), 8 * CountOps(module));
}

TEST(ProgramBudgetsTest, FoldingStopsWhenItsConstantsAreLarge) {
  constexpr int kOps = 1'200, kElements = 4'096, kElementBytes = 16;
  std::string elements;
  for (int i = 0; i < kElements; ++i) {
    absl::StrAppend(&elements, i == 0 ? "" : ",", "(", i, ".,0.)");
  }
  const std::string type = absl::StrCat("tensor<", kElements, "xcomplex<f64>>");
  std::string text = absl::StrCat("func.func @main() -> ", type, " {\n  %0 = stablehlo.constant ",
                                  "dense<[", elements, "]> : ", type, "\n");
  for (int i = 1; i <= kOps; ++i) {
    absl::StrAppend(&text, "  %", i, " = stablehlo.negate %", i - 1, " : ", type, "\n");
  }
  absl::StrAppend(&text, "  return %", kOps, " : ", type, "\n}\n");
  const auto folded = FoldConstants(Read(text));
  ASSERT_TRUE(folded.ok()) << folded.status();
  const int64_t constants =
      CountOps(*folded, [](const ir::Op& op) { return op.kind == ir::OpKind::kConstant; });
  EXPECT_GT(constants, 1'000);
  EXPECT_LE(constants, (64 << 20) / (kElements * kElementBytes) + 3);
  EXPECT_EQ(CountOps(*folded), kOps + 1);
}

}  // namespace
}  // namespace acceld::compiler

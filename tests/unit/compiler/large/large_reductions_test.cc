// Reductions of a quarter of a million elements and more, which are split into blocks.
#include "absl/strings/str_cat.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "server/compiler/passes/reductions/split_reductions.h"
#include "tests/unit/compiler/random/cpu_runner.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

using ir::DType;

// Quarters between -4 and 4, in an order that no block size follows.
ir::Literal Quarters(DType dtype, ir::Dims dims) {
  const ir::TensorType type{dtype, std::move(dims)};
  std::string bytes(type.size_bytes(), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const int64_t value = i * 7919 % 33 - 16;
    if (ir::IsFloat(dtype)) {
      ir::WriteFloat(dtype, bytes.data(), i, 0.25 * static_cast<double>(value));
    } else {
      ir::WriteInt(dtype, bytes.data(), i, value);
    }
  }
  return ir::Literal::FromBytes(type, std::move(bytes)).value();
}

// Runs on several numbers of threads, which must give the same bits.
std::vector<ir::Literal> RunOnSeveral(const std::string& text,
                                      const std::vector<ir::Literal>& arguments) {
  const auto module = ir::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  const auto one = RunOnCpu(*module, arguments, 1);
  EXPECT_TRUE(one.ok()) << one.status();
  if (!one.ok()) return {};
  for (int threads : {2, 5}) {
    const auto many = RunOnCpu(*module, arguments, threads);
    EXPECT_TRUE(many.ok()) << many.status();
    if (!many.ok()) return {};
    for (size_t i = 0; i < one->size(); ++i) {
      EXPECT_EQ((*one)[i].DenseBytes(), (*many)[i].DenseBytes()) << threads << " threads";
    }
  }
  return *one;
}

std::vector<ir::Literal> Expected(const std::string& text,
                                  const std::vector<ir::Literal>& arguments) {
  const auto module = ir::ParseModule(text);
  if (!module.ok()) return {};
  const auto results = ir::Interpret(*module, "main", arguments);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? *results : std::vector<ir::Literal>();
}

std::string ReduceText(const std::string& kind, const std::string& operand,
                       const std::string& scalar, const std::string& dimensions,
                       const std::string& result) {
  return absl::StrCat("func.func @main(%x: ", operand, ", %z: ", scalar, ") -> ", result,
                      " {\n%0 = stablehlo.reduce(%x init: %z) applies stablehlo.", kind,
                      " across dimensions = [", dimensions, "] : (", operand, ", ", scalar, ") -> ",
                      result, "\nreturn %0 : ", result, "\n}\n");
}

TEST(LargeReductions, GiveTheSumWhateverTheShape) {
  struct Case {
    ir::Dims dims;
    const char *operand, *dimensions, *result;
  };
  // The initial value, 3, counts once.
  for (const Case& c :
       std::vector<Case>{{{1 << 19}, "tensor<524288xi32>", "0", "tensor<i32>"},
                         {{262147}, "tensor<262147xi32>", "0", "tensor<i32>"},
                         {{3, 100'003}, "tensor<3x100003xi32>", "1, 0", "tensor<i32>"},
                         {{3, 100'003}, "tensor<3x100003xi32>", "1", "tensor<3xi32>"},
                         {{100'003, 3}, "tensor<100003x3xi32>", "0", "tensor<3xi32>"},
                         {{5, 2, 40'000}, "tensor<5x2x40000xi32>", "0, 2", "tensor<2xi32>"},
                         // So large that tiles are of whole rows.
                         {{2'111, 1'003}, "tensor<2111x1003xi32>", "0", "tensor<1003xi32>"},
                         {{240, 9'001}, "tensor<240x9001xi32>", "0", "tensor<9001xi32>"}}) {
    SCOPED_TRACE(c.operand);
    const std::string text = ReduceText("add", c.operand, "tensor<i32>", c.dimensions, c.result);
    const std::vector<ir::Literal> arguments = {Quarters(DType::kI32, c.dims),
                                                ir::Literal::Filled({DType::kI32, {}}, 3)};
    const auto actual = RunOnSeveral(text, arguments), expected = Expected(text, arguments);
    ASSERT_TRUE(actual.size() == 1 && expected.size() == 1);
    EXPECT_EQ(expected[0].DenseBytes(), actual[0].DenseBytes());
  }
}

TEST(LargeReductions, SumsOfHalvesRoundOnce) {
  // A quarter million times 1 is past f16's range on the way, and 8 at the end.
  std::string bytes(4 * 262'144, '\0');
  for (int64_t i = 0; i < 524'288; ++i) {
    ir::WriteFloat(DType::kF16, bytes.data(), i, i < 262'144 ? 1 : -1);
  }
  const auto sum =
      RunOnSeveral(ReduceText("add", "tensor<524288xf16>", "tensor<f16>", "0", "tensor<f16>"),
                   {ir::Literal::FromBytes({DType::kF16, {524'288}}, bytes).value(),
                    ir::Literal::Filled({DType::kF16, {}}, 8)});
  ASSERT_EQ(sum.size(), 1u);
  EXPECT_EQ(ir::ReadFloat(DType::kF16, sum[0].DenseBytes().data(), 0), 8);
}

TEST(LargeReductions, TheFirstOfEqualsWins) {
  const std::string text = R"(
func.func @main(%x: tensor<300007xf32>) -> (tensor<f32>, tensor<i32>) {
  %i = stablehlo.iota dim = 0 : tensor<300007xi32>
  %a = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %b = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %i, %a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%1: tensor<f32>, %2: tensor<i32>, %3: tensor<f32>, %4: tensor<i32>):
    %5 = stablehlo.compare GE, %1, %3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.select %5, %1, %3 : tensor<i1>, tensor<f32>
    %7 = stablehlo.select %5, %2, %4 : tensor<i1>, tensor<i32>
    stablehlo.return %6, %7 : tensor<f32>, tensor<i32>
  }) : (tensor<300007xf32>, tensor<300007xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}
)";
  const std::vector<ir::Literal> arguments = {Quarters(DType::kF32, {300'007})};
  const auto actual = RunOnSeveral(text, arguments), expected = Expected(text, arguments);
  ASSERT_TRUE(actual.size() == 2 && expected.size() == 2);
  EXPECT_EQ(expected[0].DenseBytes(), actual[0].DenseBytes());
  EXPECT_EQ(expected[1].DenseBytes(), actual[1].DenseBytes());
}

TEST(LargeReductions, HaveAsManyPartsAsTheDeviceWants) {
  struct Gpu : PlanOnlyGenerator {
    int64_t parallel_units() const override { return 1024; }
  };
  const ir::Module module =
      Parse(ReduceText("add", "tensor<4x4194304xf32>", "tensor<f32>", "1", "tensor<4xf32>"));
  const auto text_for = [&module](const codegen::CodeGenerator& target) {
    const auto split = SplitReductions(module, target);
    EXPECT_TRUE(split.ok()) << split.status();
    return ir::PrintModule(*split);
  };
  EXPECT_NE(text_for(PlanOnlyGenerator()).find("tensor<4x16xf32>"), std::string::npos);
  EXPECT_NE(text_for(Gpu()).find("tensor<4x256xf32>"), std::string::npos);
}

}  // namespace
}  // namespace acceld::compiler

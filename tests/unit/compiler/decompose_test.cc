#include "server/compiler/decompose/decompose.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "common/ir/interpreter.h"
#include "common/ir/types/element.h"
#include "common/ir/verify/verifier.h"
#include "gtest/gtest.h"
#include "server/compiler/passes/rewriter.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

std::vector<ir::Literal> Results(const ir::Module& module,
                                 const std::vector<ir::Literal>& arguments) {
  const auto results = ir::Interpret(module, "main", arguments);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? *results : std::vector<ir::Literal>{};
}

ir::Module Decomposed(const ir::Module& module) {
  absl::StatusOr<ir::Module> result = Decompose(module);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return module;
  const absl::Status valid = ir::Verify(*result);
  EXPECT_TRUE(valid.ok()) << valid;
  for (const ir::Function& function : result->functions) {
    ForEachOp(function.body, [](const ir::Op& op) {
      EXPECT_NE(ir::FamilyOf(op.kind), ir::OpFamily::kDerived) << ir::NameOf(op.kind);
    });
  }
  return *std::move(result);
}

std::vector<double> Floats(const ir::Literal& literal) {
  const std::string bytes = literal.DenseBytes();
  std::vector<double> values;
  for (int64_t i = 0; i < literal.type().num_elements(); ++i) {
    values.push_back(ir::ReadFloat(literal.type().dtype, bytes.data(), i));
  }
  return values;
}

// Both ways to compute a program whose arguments are made up.
void ExpectSame(const std::string& text, double tolerance) {
  const ir::Module module = Parse(text);
  std::vector<ir::Literal> arguments;
  for (const ir::Type& type : module.functions[0].ParameterTypes()) {
    arguments.push_back(SomeValues(type.tensor(), static_cast<int>(arguments.size())));
  }
  const auto expected = Results(module, arguments), actual = Results(Decomposed(module), arguments);
  ASSERT_EQ(expected.size(), actual.size());
  for (size_t k = 0; k < expected.size(); ++k) {
    if (tolerance == 0) {
      EXPECT_EQ(expected[k], actual[k]) << text;
      continue;
    }
    const std::vector<double> a = Floats(expected[k]), b = Floats(actual[k]);
    for (size_t i = 0; i < a.size(); ++i) {
      if (std::isnan(a[i]) && std::isnan(b[i])) continue;
      EXPECT_NEAR(a[i], b[i], tolerance * (1 + std::abs(a[i]))) << "result " << k << " of " << text;
    }
  }
}

constexpr absl::string_view kBatchNormGrad = R"(
func.func @main(%x: tensor<4x3x2xF>, %s: tensor<3xF>, %m: tensor<3xF>, %v: tensor<3xF>, %g: tensor<4x3x2xF>)
    -> (tensor<4x3x2xF>, tensor<3xF>, tensor<3xF>) {
  %w = stablehlo.multiply %v, %v : tensor<3xF>
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %w, %g) <{epsilon = 0.5 : f32, feature_index = 1 : i64}>
    : (tensor<4x3x2xF>, tensor<3xF>, tensor<3xF>, tensor<3xF>, tensor<4x3x2xF>) -> (tensor<4x3x2xF>, tensor<3xF>, tensor<3xF>)
  return %0#0, %0#1, %0#2 : tensor<4x3x2xF>, tensor<3xF>, tensor<3xF>
})";
constexpr absl::string_view kBatchNormTraining = R"(
func.func @main(%x: tensor<4x3x2xF>, %s: tensor<4xF>, %o: tensor<4xF>)
    -> (tensor<4x3x2xF>, tensor<4xF>, tensor<4xF>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.5 : f32, feature_index = 0 : i64}>
    : (tensor<4x3x2xF>, tensor<4xF>, tensor<4xF>) -> (tensor<4x3x2xF>, tensor<4xF>, tensor<4xF>)
  return %0#0, %0#1, %0#2 : tensor<4x3x2xF>, tensor<4xF>, tensor<4xF>
})";

TEST(Decompose, BatchNormalizationOfEveryWidth) {
  const std::pair<const char*, double> kWidths[] = {
      {"f64", 1e-12}, {"f32", 1e-4}, {"f16", 4e-3}, {"bf16", 3e-2}};
  for (const auto& [dtype, tolerance] : kWidths) {
    for (absl::string_view text : {kBatchNormGrad, kBatchNormTraining}) {
      ExpectSame(absl::StrReplaceAll(text, {{"xF>", absl::StrCat("x", dtype, ">")}}), tolerance);
    }
  }
}

TEST(Decompose, MapOfAnyRegion) {
  ExpectSame(R"(
func.func @main(%x: tensor<2x3xi32>, %table: tensor<4xf32>, %s: tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%i: tensor<i32>):
    %1 = stablehlo.dynamic_slice %table, %i, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xi32>) -> tensor<2x3xf32>
  %3 = "stablehlo.map"(%x, %0) ({
  ^bb0(%i: tensor<i32>, %y: tensor<f32>):
    %c = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %d = stablehlo.multiply %c, %s : tensor<f32>
    %e = stablehlo.compare LT, %d, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %e : tensor<i1>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xi32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return %0, %3 : tensor<2x3xf32>, tensor<2x3xi1>
})",
             0);
}

TEST(Decompose, EinsumOfAnyEquation) {
  struct Equation {
    const char *config, *lhs, *rhs, *result;
  };
  const Equation kEquations[] = {
      {"ab,bc->ca", "2x3x", "3x4x", "4x2x"},
      {"abc,dcb->ad", "2x3x4x", "5x4x3x", "2x5x"},
      {"aab,bc->c", "3x3x2x", "2x4x", "4x"},
      {"aba,cc->cab", "3x2x3x", "4x4x", "4x3x2x"},
      {"ab,cd->da", "2x3x", "4x5x", "5x2x"},
      {"...ab,...bc->...ca", "5x2x3x", "5x3x4x", "5x4x2x"},
      {"...ab,bc...->...", "7x2x3x", "3x4x7x", "7x"},
      {"aa,aa->", "3x3x", "3x3x", ""},
      {"ab,b->a", "2x0x", "0x", "2x"},
  };
  for (const auto& [config, lhs, rhs, result] : kEquations) {
    ExpectSame(absl::Substitute(
                   "func.func @main(%x: tensor<$1i32>, %y: tensor<$2i32>) -> tensor<$3i32> {\n"
                   "%0 = stablehlo.einsum %x, %y, config = \"$0\" : "
                   "(tensor<$1i32>, tensor<$2i32>) -> tensor<$3i32>\n"
                   "return %0 : tensor<$3i32>\n}",
                   config, lhs, rhs, result),
               0);
  }
  ExpectSame(R"(
func.func @main(%x: tensor<2x3x2xf32>) -> (tensor<3x2xf32>, tensor<f32>) {
  %0 = stablehlo.unary_einsum %x, config = "aba->ba" : (tensor<2x3x2xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.unary_einsum %x, config = "abc->" : (tensor<2x3x2xf32>) -> tensor<f32>
  return %0, %1 : tensor<3x2xf32>, tensor<f32>
})",
             1e-6);
}

TEST(Decompose, TorchIndexSelectWithAndWithoutBatches) {
  ExpectSame(R"(
func.func @main(%x: tensor<2x3x4xf32>, %i: tensor<2x5xi32>) -> (tensor<2x5x4xf32>, tensor<2x3x2x5xf32>) {
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}>
    : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x5x4xf32>
  %1 = "stablehlo.torch_index_select"(%x, %i) <{dim = 2 : i64, batch_dims = 0 : i64}>
    : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x3x2x5xf32>
  return %0, %1 : tensor<2x5x4xf32>, tensor<2x3x2x5xf32>
})",
             0);
}

TEST(Decompose, RandomBitsAreThoseOfTheInterpreter) {
  struct State {
    const char *algorithm, *type, *words;
  };
  // The second word overflows in the middle.
  const State kStates[] = {
      {"THREE_FRY", "tensor<2xui64>", "[81985529216486895, 18446744073709551614]"},
      {"PHILOX", "tensor<2xui64>", "[81985529216486895, 18446744073709551614]"},
      {"PHILOX", "tensor<3xui64>", "[81985529216486895, 18446744073709551614, 7]"},
      {"DEFAULT", "tensor<3xui64>", "[1, 2, 3]"}};
  for (const State& state : kStates) {
    for (const char* shape : {"", "1x", "5x", "4x3x", "3x5x7x", "3x6x5x", "0x4x", "2x2x2x"}) {
      for (const char* dtype : {"ui4", "i8", "ui16", "ui32", "i64", "f32"}) {
        const std::string bits = absl::StrCat("tensor<", shape, dtype, ">");
        const std::string signature =
            absl::StrCat(": (", state.type, ") -> (", state.type, ", ", bits, ")\n");
        const ir::Module module = Parse(
            absl::StrCat("func.func @main() -> (", state.type, ", ", bits,
                         ") {\n%s = stablehlo.constant dense<", state.words, "> : ", state.type,
                         "\n%0:2 = stablehlo.rng_bit_generator %s, algorithm = ", state.algorithm,
                         " ", signature, "return %0#0, %0#1 : ", state.type, ", ", bits, "\n}"));
        EXPECT_EQ(Results(module, {}), Results(Decomposed(module), {}))
            << state.algorithm << " " << bits;
      }
    }
  }
}

std::vector<double> Drawn(const std::string& distribution, const std::string& a,
                          const std::string& b, const std::string& dtype) {
  const ir::Module module = Parse(absl::StrReplaceAll(
      R"(func.func @main() -> tensor<5000xD> {
  %a = stablehlo.constant dense<A> : tensor<D>
  %b = stablehlo.constant dense<B> : tensor<D>
  %shape = stablehlo.constant dense<5000> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %shape, distribution = R : (tensor<D>, tensor<D>, tensor<1xi64>) -> tensor<5000xD>
  return %0 : tensor<5000xD>
})",
      {{"xD>", absl::StrCat("x", dtype, ">")},
       {"<D>", absl::StrCat("<", dtype, ">")},
       {"<A>", absl::StrCat("<", a, ">")},
       {"<B>", absl::StrCat("<", b, ">")},
       {"= R :", absl::StrCat("= ", distribution, " :")}}));
  const auto results = Results(Decomposed(module), {});
  if (results.empty()) return {};
  if (ir::IsFloat(results[0].type().dtype)) return Floats(results[0]);
  const std::string bytes = results[0].DenseBytes();
  std::vector<double> values;
  for (int64_t i = 0; i < 5000; ++i) {
    values.push_back(static_cast<double>(ir::ReadInt(results[0].type().dtype, bytes.data(), i)));
  }
  return values;
}

struct Moments {
  double mean = 0, variance = 0, lowest = 1e300, highest = -1e300;
};

Moments MomentsOf(const std::vector<double>& values) {
  Moments m;
  const auto n = static_cast<double>(values.size());
  for (double v : values) {
    m.mean += v / n;
    m.lowest = std::min(m.lowest, v);
    m.highest = std::max(m.highest, v);
  }
  for (double v : values) m.variance += (v - m.mean) * (v - m.mean) / n;
  return m;
}

TEST(Decompose, UniformNumbersFillTheirInterval) {
  for (const char* dtype : {"f64", "f32", "f16", "bf16"}) {
    const Moments m = MomentsOf(Drawn("UNIFORM", "-1.0", "3.0", dtype));
    EXPECT_NEAR(m.mean, 1, 0.08) << dtype;
    EXPECT_NEAR(m.variance, 16.0 / 12, 0.08) << dtype;
    EXPECT_GE(m.lowest, -1) << dtype;
    EXPECT_LT(m.highest, 3) << dtype;
  }
  for (const char* dtype : {"i8", "i32", "i64"}) {
    const Moments m = MomentsOf(Drawn("UNIFORM", "-2", "3", dtype));
    EXPECT_NEAR(m.mean, 0, 0.1) << dtype;
    EXPECT_EQ(m.lowest, -2) << dtype;
    EXPECT_EQ(m.highest, 2) << dtype;
  }
}

TEST(Decompose, NormalNumbersHaveTheirMoments) {
  for (const char* dtype : {"f64", "f32", "f16", "bf16"}) {
    const Moments m = MomentsOf(Drawn("NORMAL", "2.0", "3.0", dtype));
    EXPECT_NEAR(m.mean, 2, 0.2) << dtype;
    EXPECT_NEAR(m.variance, 9, 0.8) << dtype;
    EXPECT_LT(m.lowest, -6) << dtype;
    EXPECT_GT(m.highest, 10) << dtype;
  }
}

TEST(Decompose, EveryDrawOfOneExecutionIsAnother) {
  const ir::Module module = Parse(R"(
func.func @main() -> tensor<8xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %none = stablehlo.constant dense<0.0> : tensor<8xf64>
  %0:2 = stablehlo.while(%i = %zero, %x = %none) : tensor<i64>, tensor<8xf64>
  cond {
    %n = stablehlo.constant dense<4> : tensor<i64>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i64>
    %two = stablehlo.constant dense<2> : tensor<i64>
    %1 = func.call @draw() : () -> tensor<1xf64>
    %2 = func.call @draw() : () -> tensor<1xf64>
    %at = stablehlo.multiply %i, %two : tensor<i64>
    %next = stablehlo.add %at, %one : tensor<i64>
    %y = stablehlo.dynamic_update_slice %x, %1, %at : (tensor<8xf64>, tensor<1xf64>, tensor<i64>) -> tensor<8xf64>
    %z = stablehlo.dynamic_update_slice %y, %2, %next : (tensor<8xf64>, tensor<1xf64>, tensor<i64>) -> tensor<8xf64>
    %j = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %j, %z : tensor<i64>, tensor<8xf64>
  }
  return %0#1 : tensor<8xf64>
}
func.func private @draw() -> tensor<1xf64> {
  %a = stablehlo.constant dense<0.0> : tensor<f64>
  %b = stablehlo.constant dense<1.0> : tensor<f64>
  %shape = stablehlo.constant dense<1> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<1xf64>
  return %0 : tensor<1xf64>
})");
  const ir::Module decomposed = Decomposed(module);
  const auto first = Results(decomposed, {}), second = Results(decomposed, {});
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first, second) << "executions repeat";
  const std::vector<double> values = Floats(first[0]);
  EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), 8u);
}

}  // namespace
}  // namespace acceld::compiler

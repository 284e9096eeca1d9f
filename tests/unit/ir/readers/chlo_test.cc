#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/ir/text.h"
#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

// CHLO ops and other replaced ones, from text through the interpreter.
namespace acceld::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

absl::StatusOr<std::vector<Literal>> RunText(const std::string& text,
                                             const std::vector<Literal>& arguments) {
  ACCELD_ASSIGN_OR_RETURN(const Module module, ParseModule(text, "test"));
  return Interpret(module, "main", arguments);
}

// The results of one op on arguments, written in generic form.
std::vector<Literal> RunChlo(const std::string& op, const std::vector<Literal>& arguments,
                             const std::vector<Type>& results, const std::string& attributes = "") {
  std::string parameters, operands, types, returned;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const char* comma = i == 0 ? "" : ", ";
    absl::StrAppend(&parameters, comma, "%a", i, ": ", arguments[i].type().ToString());
    absl::StrAppend(&operands, comma, "%a", i);
    absl::StrAppend(&types, comma, arguments[i].type().ToString());
  }
  for (size_t i = 0; i < results.size(); ++i)
    absl::StrAppend(&returned, i == 0 ? "" : ", ", "%r#", i);
  const auto run =
      RunText(absl::StrCat("func.func @main(", parameters, ") -> (", ToString(results),
                           ") {\n%r:", results.size(), " = \"", op, "\"(", operands, ") {",
                           attributes, "} : (", types, ") -> (", ToString(results), ")\nreturn ",
                           returned, " : ", ToString(results), "\n}"),
              arguments);
  EXPECT_TRUE(run.ok()) << run.status();
  return run.ok() ? *run : std::vector<Literal>(results.size());
}

Literal RunUnary(const std::string& op, const Literal& x) {
  return RunChlo(op, {x}, {x.type()}).front();
}

struct Function {
  const char* name;
  std::function<double(double)> value;
  std::vector<double> at;
};

TEST(Chlo, RealFunctionsAreThoseOfTheLibrary) {
  const std::vector<double> kAny = {-30.5, -2.25, -1.5, -0.5, -1e-3, 0.25, 1, 1.75, 2.5, 7, 40};
  const std::vector<double> kUnit = {-0.999, -0.5, -1e-4, 0.125, 0.75, 1};
  const Function kFunctions[] = {
      {"chlo.acos", [](double x) { return std::acos(x); }, kUnit},
      {"chlo.acosh", [](double x) { return std::acosh(x); }, {1, 1.0009765625, 2, 1e30}},
      {"chlo.asin", [](double x) { return std::asin(x); }, kUnit},
      {"chlo.asinh", [](double x) { return std::asinh(x); }, kAny},
      {"chlo.atan", [](double x) { return std::atan(x); }, kAny},
      {"chlo.atanh", [](double x) { return std::atanh(x); }, {-0.999, -1e-3, 0.5}},
      {"chlo.cosh", [](double x) { return std::cosh(x); }, kAny},
      {"chlo.erf", [](double x) { return std::erf(x); }, kAny},
      {"chlo.erfc", [](double x) { return std::erfc(x); }, {-30.5, -1, -0.5, 0.25, 1, 2.5, 7}},
      {"chlo.lgamma", [](double x) { return std::lgamma(x); }, kAny},
      {"chlo.sinh", [](double x) { return std::sinh(x); }, kAny},
      {"chlo.tan", [](double x) { return std::tan(x); }, kAny},
  };
  for (const Function& function : kFunctions) {
    const auto n = static_cast<int64_t>(function.at.size());
    for (const DType dtype : {DType::kF64, DType::kF32, DType::kF16}) {
      const double tolerance = dtype == DType::kF64 ? 1e-13 : dtype == DType::kF32 ? 2e-6 : 1e-3;
      const Literal x = Floats(dtype, {n}, function.at);
      const std::vector<double> at = FloatsOf(x), actual = FloatsOf(RunUnary(function.name, x));
      for (int64_t i = 0; i < n; ++i) {
        const double expected = function.value(at[i]);
        if (dtype == DType::kF16 && !(std::abs(expected) < 6e4)) continue;
        EXPECT_NEAR(actual[i], expected, tolerance * (1 + std::abs(expected)))
            << function.name << " of " << at[i] << " as " << DTypeName(dtype);
      }
    }
  }
}

TEST(Chlo, GammaFunctionsHaveTheirPoles) {
  for (DType dtype : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64}) {
    const Literal x = Floats(dtype, {5}, {0, -3, kInfinity, -kInfinity, -0.0});
    EXPECT_THAT(FloatsOf(RunUnary("chlo.lgamma", x)),
                ElementsAre(kInfinity, kInfinity, kInfinity, kInfinity, kInfinity));
    const auto digamma =
        ElementsAre(-kInfinity, ::testing::IsNan(), kInfinity, ::testing::IsNan(), -kInfinity);
    EXPECT_THAT(FloatsOf(RunUnary("chlo.digamma", x)), digamma);
    const Literal order = Floats(dtype, {5}, {0, 0, 0, 0, 0});
    EXPECT_THAT(FloatsOf(RunChlo("chlo.polygamma", {order, x}, {x.type()}).front()), digamma);
  }
}

TEST(Chlo, ZetaAndPolygammaAtKnownPoints) {
  const double pi_squared = std::acos(-1.0) * std::acos(-1.0);
  const Literal s = Floats(DType::kF64, {4}, {2, 4, 1, 0.5}),
                q = Floats(DType::kF64, {4}, {1, 1, 3, 2});
  const auto zeta = FloatsOf(RunChlo("chlo.zeta", {s, q}, {s.type()}).front());
  EXPECT_NEAR(zeta[0], pi_squared / 6, 1e-14);
  EXPECT_NEAR(zeta[1], pi_squared * pi_squared / 90, 1e-14);
  EXPECT_EQ(zeta[2], kInfinity);
  EXPECT_TRUE(std::isnan(zeta[3]));
  const Literal n = Floats(DType::kF64, {3}, {0, 1, 1.5}), x = Floats(DType::kF64, {3}, {1, 1, 1});
  const auto polygamma = FloatsOf(RunChlo("chlo.polygamma", {n, x}, {n.type()}).front());
  EXPECT_NEAR(polygamma[0], -0.57721566490153286, 1e-14);
  EXPECT_NEAR(polygamma[1], pi_squared / 6, 1e-13);
  EXPECT_TRUE(std::isnan(polygamma[2]));
}

TEST(Chlo, NextAfterStepsThroughZeroAndStopsAtEqual) {
  const Literal x = Floats(DType::kF32, {5}, {0, 1, 1, 2, kNaN});
  const Literal y = Floats(DType::kF32, {5}, {-1, 2, 1, -2, 1});
  const auto next = FloatsOf(RunChlo("chlo.next_after", {x, y}, {x.type()}).front());
  EXPECT_EQ(next[0], -std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(next[1], std::nextafter(1.0f, 2.0f));
  EXPECT_EQ(next[2], 1);
  EXPECT_EQ(next[3], std::nextafter(2.0f, 0.0f));
  EXPECT_TRUE(std::isnan(next[4]));
}

TEST(Chlo, MulhiIsTheUpperHalf) {
  const int64_t lowest = std::numeric_limits<int64_t>::min();
  const Literal a = Ints(DType::kI64, {4}, {lowest, -1, 3'000'000'000'000, -7});
  const Literal b = Ints(DType::kI64, {4}, {lowest, 1, -5'000'000'000'000, lowest});
  EXPECT_THAT(IntsOf(RunChlo("chlo.mulhi", {a, b}, {a.type()}).front()),
              ElementsAre(int64_t{1} << 62, -1, -813152, 3));
  const Literal c = Ints(DType::kUI8, {2}, {255, 16}), d = Ints(DType::kUI8, {2}, {255, 15});
  EXPECT_THAT(IntsOf(RunChlo("chlo.mulhi", {c, d}, {c.type()}).front()), ElementsAre(254, 0));
}

TEST(Chlo, TopKPutsNaNFirstAndKeepsTheOrderOfEquals) {
  const Literal x = Floats(DType::kF32, {5}, {1, 3, kNaN, 3, -2});
  const auto results =
      RunChlo("chlo.top_k", {x}, {TensorType{DType::kF32, {4}}, TensorType{DType::kI32, {4}}},
              "k = 4 : i64");
  EXPECT_THAT(IntsOf(results[1]), ElementsAre(2, 1, 3, 0));
}

TEST(Chlo, TopKTakesTruthValuesAndSmallIntegers) {
  for (DType dtype : {DType::kI1, DType::kUI2, DType::kI4, DType::kUI8, DType::kI64}) {
    const Literal x = Ints(dtype, {5}, {0, 1, 0, 1, 1});
    const auto results = RunChlo(
        "chlo.top_k", {x}, {TensorType{dtype, {4}}, TensorType{DType::kI32, {4}}}, "k = 4 : i64");
    EXPECT_THAT(IntsOf(results[0]), ElementsAre(1, 1, 1, 0)) << DTypeName(dtype);
    EXPECT_THAT(IntsOf(results[1]), ElementsAre(1, 3, 4, 0)) << DTypeName(dtype);
  }
}

TEST(Chlo, ComplexSquareOfInfinitiesIsThatOfTheFormula) {
  const Literal x = Complexes(DType::kC128, {2}, {{kInfinity, kInfinity}, {3, 3}});
  const std::vector<Complex> square = ComplexesOf(RunUnary("chlo.square", x));
  EXPECT_TRUE(std::isnan(square[0].real()));
  EXPECT_EQ(square[0].imag(), kInfinity);
  EXPECT_EQ(square[1], Complex(0, 18));
}

TEST(Chlo, ComplexFunctionsAreThoseOfTheLibrary) {
  const std::pair<const char*, Complex (*)(const Complex&)> kFunctions[] = {
      {"chlo.acos", [](const Complex& z) { return std::acos(z); }},
      {"chlo.acosh", [](const Complex& z) { return std::acosh(z); }},
      {"chlo.asin", [](const Complex& z) { return std::asin(z); }},
      {"chlo.asinh", [](const Complex& z) { return std::asinh(z); }},
      {"chlo.atan", [](const Complex& z) { return std::atan(z); }},
      {"chlo.atanh", [](const Complex& z) { return std::atanh(z); }},
      {"chlo.cosh", [](const Complex& z) { return std::cosh(z); }},
      {"chlo.sinh", [](const Complex& z) { return std::sinh(z); }},
      {"chlo.square", [](const Complex& z) { return z * z; }}};
  const Literal x = Complexes(DType::kC128, {6},
                              {{0.5, 0.25}, {-2, 1e-3}, {1, -3}, {-0.1, -0.7}, {3, 4}, {1e-9, 2}});
  const std::vector<Complex> at = ComplexesOf(x);
  for (const auto& [name, function] : kFunctions) {
    const std::vector<Complex> actual = ComplexesOf(RunUnary(name, x));
    for (size_t i = 0; i < at.size(); ++i) {
      const Complex expected = function(at[i]);
      EXPECT_LT(std::abs(actual[i] - expected), 1e-13 * (1 + std::abs(expected)))
          << name << " of " << at[i] << " is " << actual[i];
    }
  }
}

TEST(Chlo, ComplexInverseTangentsHaveTheirLimitsAtInfinity) {
  constexpr double kRightAngle = std::numbers::pi / 2;
  const std::pair<Complex, Complex> kValues[] = {{{kNaN, kInfinity}, {0, kRightAngle}},
                                                 {{kNaN, -kInfinity}, {0, -kRightAngle}},
                                                 {{kInfinity, kNaN}, {0, kNaN}},
                                                 {{-kInfinity, kNaN}, {0, kNaN}},
                                                 {{kInfinity, 2}, {0, kRightAngle}},
                                                 {{-3, -kInfinity}, {0, -kRightAngle}},
                                                 {{kInfinity, -kInfinity}, {0, -kRightAngle}}};
  const auto is = [](double actual, double expected) {
    return std::isnan(expected) ? std::isnan(actual) : std::abs(actual - expected) < 1e-15;
  };
  for (const auto& [z, expected] : kValues) {
    const Complex atanh = ComplexesOf(RunUnary("chlo.atanh", Complexes(DType::kC128, {1}, {z})))[0];
    EXPECT_TRUE(is(atanh.real(), expected.real()) && is(atanh.imag(), expected.imag()))
        << "atanh of " << z << " is " << atanh;
    // atan(z) = -i atanh(iz)
    const Complex turned(z.imag(), -z.real());
    const Complex atan =
        ComplexesOf(RunUnary("chlo.atan", Complexes(DType::kC128, {1}, {turned})))[0];
    EXPECT_TRUE(is(atan.real(), expected.imag()) && is(atan.imag(), -expected.real()))
        << "atan of " << turned << " is " << atan;
  }
}

TEST(Chlo, ErfIsOneWhereNoOtherNumberIsNearer) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const double x : {dtype == DType::kF32 ? 3.93 : 6.0, 10.0, 1e30, kInfinity}) {
      EXPECT_THAT(FloatsOf(RunUnary("chlo.erf", Floats(dtype, {2}, {x, -x}))), ElementsAre(1, -1))
          << x;
    }
  }
}

TEST(Chlo, BroadcastsAsNumPyDoes) {
  const Literal x = Ints(DType::kI32, {2, 1}, {1, 2}), y = Ints(DType::kI32, {3}, {10, 20, 30});
  EXPECT_THAT(
      IntsOf(RunChlo("chlo.broadcast_add", {x, y}, {TensorType{DType::kI32, {2, 3}}}).front()),
      ElementsAre(11, 21, 31, 12, 22, 32));
  const auto refused = RunText(
      "func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {\n"
      "%0 = chlo.broadcast_add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<3xf32>\n"
      "return %0 : tensor<3xf32>\n}",
      {});
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("do not broadcast"));
}

TEST(Chlo, TakesItsConstantsToDynamicShapes) {
  EXPECT_TRUE(ParseModule("func.func @main(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {\n"
                          "%0 = chlo.lgamma %a : tensor<?x4xf32> -> tensor<?x4xf32>\n"
                          "return %0 : tensor<?x4xf32>\n}",
                          "test")
                  .ok());
}

TEST(ReplacedOps, CustomCallsOfXlaStandForChlo) {
  const auto results = RunText(
      "func.func @main(%a: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {\n"
      "%0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = "
      "true},"
      " mhlo.version = 1 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)\n"
      "return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>\n}",
      {Floats(DType::kF32, {4}, {1, 4, 2, 3})});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(FloatsOf((*results)[0]), ElementsAre(4, 3));
  EXPECT_THAT(IntsOf((*results)[1]), ElementsAre(1, 3));
}

TEST(ReplacedOps, OneProcessHasTheNumberZeroAndSumsAlone) {
  const Literal x = Floats(DType::kF32, {2}, {1, 2});
  EXPECT_THAT(IntsOf(RunChlo("stablehlo.partition_id", {}, {TensorType{DType::kUI32, {}}}).front()),
              ElementsAre(0));
  EXPECT_THAT(FloatsOf(RunChlo("stablehlo.dot", {x, x}, {TensorType{DType::kF32, {}}}).front()),
              ElementsAre(5));
  EXPECT_THAT(FloatsOf(RunChlo("stablehlo.broadcast", {x}, {TensorType{DType::kF32, {2, 2}}},
                               "broadcast_sizes = array<i64: 2>")
                           .front()),
              ElementsAre(1, 2, 1, 2));
}

}  // namespace
}  // namespace acceld::ir

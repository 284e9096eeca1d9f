// Loops, out of which passes move products and initial values, compiled for the CPU, against the
// interpreter.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "tests/support/source_path.h"
#include "tests/unit/compiler/random/cpu_runner.h"

namespace acceld::compiler {
namespace {

// Small integers, whose sums are the same in every order; true for predicates.
ir::Literal Argument(const ir::TensorType& type, int64_t seed) {
  std::string bytes(type.size_bytes(), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const int64_t value = (i * 31 + seed * 17) % 11 - 5;
    if (ir::IsFloat(type.dtype)) {
      ir::WriteFloat(type.dtype, bytes.data(), i, static_cast<double>(value));
    } else {
      ir::WriteInt(type.dtype, bytes.data(), i, type.dtype == ir::DType::kI1 ? 1 : 16);
    }
  }
  return ir::Literal::FromBytes(type, std::move(bytes)).value();
}

void ExpectAgreement(const std::string& text) {
  const auto module = ir::ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status() << text;
  std::vector<ir::Literal> arguments;
  for (const ir::Type& type : (*module->Entry("main"))->ParameterTypes()) {
    arguments.push_back(Argument(type.tensor(), static_cast<int64_t>(arguments.size())));
  }
  const auto expected = ir::Interpret(*module, "main", arguments);
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (const int threads : {1, 2}) {
    const auto actual = RunOnCpu(*module, arguments, threads);
    ASSERT_TRUE(actual.ok()) << actual.status();
    ASSERT_EQ(actual->size(), expected->size());
    for (size_t i = 0; i < expected->size(); ++i) {
      EXPECT_EQ((*actual)[i].DenseBytes(), (*expected)[i].DenseBytes()) << "result " << i;
    }
  }
}

// The programs that show what a pass does.
void ExpectAgreementOnProgramsOf(const std::string& pass) {
  int programs = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::SourcePath("tests/programs/passes/" + pass))) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    ExpectAgreement(text.substr(0, text.find("// expect")));
    ++programs;
  }
  EXPECT_GE(programs, 3);
}

TEST(LoopsTest, ProductsBehindALoopSumWhatItsTurnsSummed) {
  ExpectAgreementOnProgramsOf("sink-products");
}

TEST(LoopsTest, ProductsBeforeALoopAreThoseOfItsTurns) {
  ExpectAgreementOnProgramsOf("hoist-products");
}

TEST(LoopsTest, ArraysThatALoopFillsAreWhole) { ExpectAgreementOnProgramsOf("forget-initials"); }

// A loop of limit - first turns that sums outer products. `index` says %at, the row of the left
// one.
std::string OuterProducts(int64_t first, int64_t limit, const std::string& index) {
  const std::string turns = std::to_string(limit - first);
  return R"(
func.func @main(%xs: tensor<)" +
         turns + R"(x96xf32>, %ys: tensor<)" + turns +
         R"(x40xf32>, %w: tensor<96x40xf32>) -> (tensor<96x40xf32>, tensor<i32>) {
  %first = stablehlo.constant dense<)" +
         std::to_string(first) + R"(> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<)" +
         std::to_string(limit) + R"(> : tensor<i32>
  %0:2 = "stablehlo.while"(%first, %w) ({
  ^bb0(%i: tensor<i32>, %a: tensor<96x40xf32>):
    %1 = stablehlo.compare GT, %limit, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<96x40xf32>):
)" + index +
         R"(
    %x1 = stablehlo.dynamic_slice %xs, %at, %zero, sizes = [1, 96] : (tensor<)" +
         turns +
         R"(x96xf32>, tensor<i32>, tensor<i32>) -> tensor<1x96xf32>
    %x = stablehlo.reshape %x1 : (tensor<1x96xf32>) -> tensor<96xf32>
    %y1 = stablehlo.dynamic_slice %ys, %zero, %zero, sizes = [1, 40] : (tensor<)" +
         turns +
         R"(x40xf32>, tensor<i32>, tensor<i32>) -> tensor<1x40xf32>
    %y2 = stablehlo.reshape %y1 : (tensor<1x40xf32>) -> tensor<40xf32>
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %y = stablehlo.add %y2, %g : tensor<40xf32>
    %p = stablehlo.dot_general %x, %y, contracting_dims = [] x [] : (tensor<96xf32>, tensor<40xf32>) -> tensor<96x40xf32>
    %b = stablehlo.add %a, %p : tensor<96x40xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %b : tensor<i32>, tensor<96x40xf32>
  }) : (tensor<i32>, tensor<96x40xf32>) -> (tensor<i32>, tensor<96x40xf32>)
  return %0#1, %0#0 : tensor<96x40xf32>, tensor<i32>
})";
}

constexpr char kSame[] = "%at = stablehlo.add %i, %zero : tensor<i32>";

TEST(LoopsTest, OuterProductsOfRowsInEveryOrder) {
  ExpectAgreement(OuterProducts(0, 90, kSame));
  ExpectAgreement(OuterProducts(0, 1, kSame));
  ExpectAgreement(OuterProducts(-3, 97, kSame));  // Negative indices are clamped to the first row.
  ExpectAgreement(OuterProducts(0, 90, R"(
    %last = stablehlo.constant dense<89> : tensor<i32>
    %at = stablehlo.subtract %last, %i : tensor<i32>)"));
  ExpectAgreement(OuterProducts(5, 95, R"(
    %at = stablehlo.subtract %i, %first : tensor<i32>)"));
  ExpectAgreement(OuterProducts(0, 90, "%at = stablehlo.add %i, %one : tensor<i32>"));
}

TEST(LoopsTest, IndicesThatCountFromTheEndWhereTheyAreNegative) {
  const std::string wrapped = R"(
    %rows = stablehlo.constant dense<80> : tensor<i32>
    %up = stablehlo.add %i, %rows : tensor<i32>
    %negative = stablehlo.compare LT, %i, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %at = stablehlo.select %negative, %up, %i : tensor<i1>, tensor<i32>)";
  ExpectAgreement(OuterProducts(0, 80, wrapped));
  ExpectAgreement(OuterProducts(-40, 40, wrapped));
}

}  // namespace
}  // namespace acceld::compiler

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/support/source_path.h"
#include "tests/unit/compiler/test_support.h"

// Plans with attention compute what their programs say.
namespace acceld::compiler {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string all = text.str();
  return all.substr(0, all.find("// expect"));
}

int CountAttention(const kernels::Plan& plan) {
  int count = 0;
  for (const kernels::Step& step : plan.entry().steps) {
    count += std::holds_alternative<kernels::AttentionStep>(step.value);
  }
  return count;
}

TEST(AttentionPlanTest, ProgramsOfThePassKeepTheirMeaning) {
  const CublasLtPlanGenerator target;
  int with_attention = 0;
  const std::string folder = testing::SourcePath("tests/programs/passes/fuse-attention");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().filename().string());
    const std::string text = ReadFile(entry.path());
    ExpectPlanMatchesInterpreter(text, {}, target);
    const absl::StatusOr<kernels::Plan> plan = PlanOf(Parse(text), {}, target);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const bool is_left = absl::EndsWith(entry.path().stem().string(), "_left");
    EXPECT_EQ(CountAttention(*plan) == 0, is_left);
    with_attention += CountAttention(*plan);
  }
  EXPECT_GE(with_attention, 5);
}

TEST(AttentionPlanTest, OperandsAndMasksAreReadWhereTheyAre) {
  const CublasLtPlanGenerator target;
  const std::string softmax = R"(
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%s init: %ninf) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x6x10xf32>, tensor<f32>) -> tensor<2x4x6xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<2x4x6xf32>) -> tensor<2x4x6x10xf32>
  %d = stablehlo.subtract %s, %mb : tensor<2x4x6x10xf32>
  %e = stablehlo.exponential %d : tensor<2x4x6x10xf32>
  %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4x6x10xf32>, tensor<f32>) -> tensor<2x4x6xf32>
  %zb = stablehlo.broadcast_in_dim %z, dims = [0, 1, 2] : (tensor<2x4x6xf32>) -> tensor<2x4x6x10xf32>
  %p = stablehlo.divide %e, %zb : tensor<2x4x6x10xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x6x10xf32>, tensor<2x4x10x8xf32>) -> tensor<2x4x6x8xf32>
  return %o : tensor<2x4x6x8xf32>
})";
  const std::string product = R"(
  %s0 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x6x8xf32>, tensor<2x4x10x8xf32>) -> tensor<2x4x6x10xf32>)";
  const std::string fill = R"(
  %fill = stablehlo.constant dense<-1.0e9> : tensor<2x4x6x10xf32>)";
  const std::string head =
      "func.func @main(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x10x8xf32>, "
      "%v: tensor<2x4x10x8xf32>";
  const std::string result = ") -> tensor<2x4x6x8xf32> {";
  const std::string programs[] = {
      // Slices of one product, heads from reshapes and transposes.
      R"(func.func @main(%x: tensor<2x10x96xf32>) -> tensor<2x4x6x8xf32> {
  %q0 = stablehlo.slice %x [0:2, 2:8, 0:32] : (tensor<2x10x96xf32>) -> tensor<2x6x32xf32>
  %q1 = stablehlo.reshape %q0 : (tensor<2x6x32xf32>) -> tensor<2x6x4x8xf32>
  %q = stablehlo.transpose %q1, dims = [0, 2, 1, 3] : (tensor<2x6x4x8xf32>) -> tensor<2x4x6x8xf32>
  %k0 = stablehlo.slice %x [0:2, 0:10, 32:64] : (tensor<2x10x96xf32>) -> tensor<2x10x32xf32>
  %k1 = stablehlo.reshape %k0 : (tensor<2x10x32xf32>) -> tensor<2x10x4x8xf32>
  %k = stablehlo.transpose %k1, dims = [0, 2, 1, 3] : (tensor<2x10x4x8xf32>) -> tensor<2x4x10x8xf32>
  %v0 = stablehlo.slice %x [0:2, 0:10, 64:96] : (tensor<2x10x96xf32>) -> tensor<2x10x32xf32>
  %v1 = stablehlo.reshape %v0 : (tensor<2x10x32xf32>) -> tensor<2x10x4x8xf32>
  %v = stablehlo.transpose %v1, dims = [0, 2, 1, 3] : (tensor<2x10x4x8xf32>) -> tensor<2x4x10x8xf32>)" +
          product + R"(
  %s = stablehlo.reshape %s0 : (tensor<2x4x6x10xf32>) -> tensor<2x4x6x10xf32>)" +
          softmax,
      // Keys and values that two heads share, repeated.
      R"(func.func @main(%q: tensor<2x4x6x8xf32>, %x: tensor<2x10x2x8xf32>) -> tensor<2x4x6x8xf32> {
  %x0 = stablehlo.broadcast_in_dim %x, dims = [0, 1, 2, 4] : (tensor<2x10x2x8xf32>) -> tensor<2x10x2x2x8xf32>
  %x1 = stablehlo.reshape %x0 : (tensor<2x10x2x2x8xf32>) -> tensor<2x10x4x8xf32>
  %k = stablehlo.transpose %x1, dims = [0, 2, 1, 3] : (tensor<2x10x4x8xf32>) -> tensor<2x4x10x8xf32>
  %v = stablehlo.transpose %x1, dims = [0, 2, 1, 3] : (tensor<2x10x4x8xf32>) -> tensor<2x4x10x8xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x6x8xf32>, tensor<2x4x10x8xf32>) -> tensor<2x4x6x10xf32>)" +
          softmax,
      // A window, and a mask of keys, in one conjunction.
      head + ", %mask: tensor<2x10xi1>" + result + product + fill + R"(
  %i0 = stablehlo.iota dim = 0 : tensor<6x10xi32>
  %two = stablehlo.constant dense<2> : tensor<6x10xi32>
  %i = stablehlo.add %i0, %two : tensor<6x10xi32>
  %j = stablehlo.iota dim = 1 : tensor<6x10xi32>
  %last = stablehlo.compare GE, %i, %j, SIGNED : (tensor<6x10xi32>, tensor<6x10xi32>) -> tensor<6x10xi1>
  %first = stablehlo.compare LT, %i0, %j, SIGNED : (tensor<6x10xi32>, tensor<6x10xi32>) -> tensor<6x10xi1>
  %window = stablehlo.and %last, %first : tensor<6x10xi1>
  %w = stablehlo.broadcast_in_dim %window, dims = [2, 3] : (tensor<6x10xi1>) -> tensor<2x4x6x10xi1>
  %m0 = stablehlo.broadcast_in_dim %mask, dims = [0, 3] : (tensor<2x10xi1>) -> tensor<2x4x6x10xi1>
  %keeps = stablehlo.and %w, %m0 : tensor<2x4x6x10xi1>
  %s = stablehlo.select %keeps, %s0, %fill : tensor<2x4x6x10xi1>, tensor<2x4x6x10xf32>)" +
          softmax,
      // What is masked is said the other way round, by a number.
      head + result + product + fill + R"(
  %one = stablehlo.constant dense<1.0> : tensor<6x10xf32>
  %none = stablehlo.constant dense<0.0> : tensor<6x10xf32>
  %i = stablehlo.iota dim = 0 : tensor<6x10xi32>
  %j = stablehlo.iota dim = 1 : tensor<6x10xi32>
  %lower = stablehlo.compare GE, %i, %j, SIGNED : (tensor<6x10xi32>, tensor<6x10xi32>) -> tensor<6x10xi1>
  %tril = stablehlo.select %lower, %one, %none : tensor<6x10xi1>, tensor<6x10xf32>
  %out = stablehlo.compare EQ, %tril, %none, FLOAT : (tensor<6x10xf32>, tensor<6x10xf32>) -> tensor<6x10xi1>
  %drops = stablehlo.broadcast_in_dim %out, dims = [2, 3] : (tensor<6x10xi1>) -> tensor<2x4x6x10xi1>
  %s = stablehlo.select %drops, %fill, %s0 : tensor<2x4x6x10xi1>, tensor<2x4x6x10xf32>)" +
          softmax,
  };
  for (const std::string& program : programs) {
    SCOPED_TRACE(program);
    ExpectPlanMatchesInterpreter(program, {}, target);
    const absl::StatusOr<kernels::Plan> plan = PlanOf(Parse(program), {}, target);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(CountAttention(*plan), 1) << ToString(*plan);
    EXPECT_EQ(plan->entry().steps.size(), 1u) << ToString(*plan);
  }
}

}  // namespace
}  // namespace acceld::compiler

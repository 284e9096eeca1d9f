#include "server/compiler/compiler.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/compiler/warm_up.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

using ir::DType;

constexpr char kDynamic[] = R"(module {
  func.func private @unused() -> tensor<f32> {
    %0 = stablehlo.constant dense<1.0> : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
    %0 = stablehlo.add %x, %x : tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func public @go(%x: tensor<?xf32>, %y: tensor<3xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %0 = call @twice(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %1 = call @twice(%0) : (tensor<?xf32>) -> tensor<?xf32>
    return %0, %1 : tensor<?xf32>, tensor<?xf32>
  }
})";

TEST(CompilerTest, WarmsUpGeneratorsAndSaysWhatTheyRefuse) {
  struct Refusing : PlanOnlyGenerator {
    absl::StatusOr<std::string> Generate(const kernels::Plan&, std::vector<Dump>*,
                                         const StopFlag*) const override {
      return absl::UnavailableError("no compiler here");
    }
  };
  EXPECT_EQ(WarmUp(PlanOnlyGenerator()), absl::OkStatus());
  EXPECT_EQ(WarmUp(CublasLtPlanGenerator()), absl::OkStatus());
  EXPECT_EQ(WarmUp(Refusing()).code(), absl::StatusCode::kUnavailable);
}

TEST(CompilerTest, StopsBetweenTwoPasses) {
  // Stopped by others while a pass asks about the target.
  struct Stopping : PlanOnlyGenerator {
    int64_t parallel_units() const override {
      flag.Stop();
      return PlanOnlyGenerator::parallel_units();
    }
    absl::StatusOr<std::string> Generate(const kernels::Plan&, std::vector<Dump>*,
                                         const StopFlag*) const override {
      ADD_FAILURE() << "it went on";
      return std::string();
    }
    mutable StopFlag flag;
  };
  const Stopping generator;
  const std::vector<ir::TensorType> types = {{DType::kF32, {5}}, {DType::kF32, {3}}};
  std::vector<CompileStep> steps;
  const absl::Status stopped =
      Compile(Parse(kDynamic), "go", types, generator, {}, &steps, &generator.flag).status();
  EXPECT_EQ(stopped.code(), absl::StatusCode::kCancelled) << stopped;
  ASSERT_FALSE(steps.empty());
  EXPECT_THAT(std::string(steps.back().name), ::testing::StartsWith("split-"));

  steps.clear();
  EXPECT_TRUE(absl::IsCancelled(
      Compile(Parse(kDynamic), "go", types, PlanOnlyGenerator(), {}, &steps, &generator.flag)
          .status()));
  EXPECT_TRUE(steps.empty());  // It has not begun.
  EXPECT_TRUE(
      Compile(Parse(kDynamic), "go", types, PlanOnlyGenerator(), {}, nullptr, nullptr).ok());
}

TEST(CompilerTest, CompilesToAnExecutableThatSurvivesTheDisk) {
  const auto executable = Compile(Parse(kDynamic), "go", {{DType::kF32, {5}}, {DType::kF32, {3}}},
                                  PlanOnlyGenerator(), {});
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ(executable->Signature(),
            "(tensor<5xf32>, tensor<3xf32>) -> (tensor<5xf32>, tensor<5xf32>)");
  EXPECT_EQ(executable->build_id, BuildId());
  const std::string bytes = hal::Serialize(*executable);
  const auto again = hal::Deserialize(bytes);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->Signature(), executable->Signature());
  EXPECT_EQ(again->code, executable->code);
  EXPECT_TRUE(again->steady);
  for (size_t size = 0; size < bytes.size(); ++size) {
    // A cut message is refused or lacks its tail; it never crashes.
    const auto cut = hal::Deserialize(bytes.substr(0, size));
    EXPECT_TRUE(cut.ok() || cut.status().code() == absl::StatusCode::kDataLoss) << size;
  }
}

TEST(CompilerTest, LoopsAndLibraryCallsAreNotSteady) {
  constexpr char kLoop[] = R"(
    func.func @main(%n: tensor<i32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0 = stablehlo.while(%i = %zero) : tensor<i32>
       cond {
        %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %1 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %1 : tensor<i32>
      }
      return %0 : tensor<i32>
    })";
  constexpr char kProduct[] = R"(
    func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
        : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    })";
  constexpr char kFactor[] = R"(
    func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %0 = stablehlo.cholesky %x, lower = true : tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    })";
  const auto loop = Compile(Parse(kLoop), "main", {{DType::kI32, {}}}, PlanOnlyGenerator(), {});
  ASSERT_TRUE(loop.ok()) << loop.status();
  EXPECT_FALSE(loop->steady);
  const auto product =
      Compile(Parse(kProduct), "main", {{DType::kF32, {4, 4}}}, PlanOnlyGenerator(), {});
  ASSERT_TRUE(product.ok()) << product.status();
  EXPECT_TRUE(product->steady);
  const auto factor =
      Compile(Parse(kFactor), "main", {{DType::kF32, {4, 4}}}, PlanOnlyGenerator(), {});
  ASSERT_TRUE(factor.ok()) << factor.status();
  EXPECT_FALSE(factor->steady);
}

TEST(CompilerTest, AnExecutableSaysWhetherItsRunsExchangeValues) {
  constexpr char kMean[] = R"(
    module attributes {mhlo.num_partitions = 2 : i32} {
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %1 = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %1 : tensor<f32>
        }) : (tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    })";
  const auto mean = Compile(Parse(kMean), "main", {{DType::kF32, {4}}, {DType::kUI32, {}}},
                            PlanOnlyGenerator(), {});
  ASSERT_TRUE(mean.ok()) << mean.status();
  const auto again = hal::Deserialize(hal::Serialize(*mean));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->has_collectives);
  EXPECT_TRUE(again->steady);
  const auto alone = Compile(Parse(kDynamic), "go", {{DType::kF32, {5}}, {DType::kF32, {3}}},
                             PlanOnlyGenerator(), {});
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_FALSE(alone->has_collectives);
}

TEST(CompilerTest, RefusesToDisableAPassThatDoesNotExist) {
  CompileOptions options;
  options.disabled_passes = {"no-such-pass"};
  const auto executable = Compile(Parse(kDynamic), "go", {{DType::kF32, {5}}, {DType::kF32, {3}}},
                                  PlanOnlyGenerator(), options);
  EXPECT_EQ(executable.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(CompilerTest, KeysTellCodeApart) {
  EXPECT_EQ(KeyOf({}), "");
  EXPECT_EQ(KeyOf({.dump_dir = "/tmp"}), "");
  const std::string without_fusion = KeyOf({.disabled_passes = {"fuse"}});
  EXPECT_NE(without_fusion, "");
  EXPECT_NE(without_fusion, KeyOf({.disabled_passes = {"cse"}}));
  EXPECT_NE(without_fusion, KeyOf({.disabled_passes = {"fuse", "cse"}}));
  EXPECT_EQ(KeyOf({.disabled_passes = {"fuse", "cse"}}),
            KeyOf({.disabled_passes = {"cse", "fuse", "cse"}}));
}

}  // namespace
}  // namespace acceld::compiler

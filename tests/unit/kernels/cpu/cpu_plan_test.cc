// Steps of plans: control flow, calls, copies, routines, cancellation; and the loader.

#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/cpu/cpu_compiler.h"
#include "kernels/cpu/emit/plan_split.h"
#include "kernels/cpu/object_set.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

using Space = Slice::Space;

const ir::TensorType kI32Scalar{DType::kI32, {}};
const ir::TensorType kI1Scalar{DType::kI1, {}};

Kernel AddConstant(const std::string& name, int64_t amount) {
  return MapKernel(name, DType::kI32, DType::kI32, 1, [=](KernelBuilder& b, Var x) {
    return b.Apply(ScalarOp::kAdd, {x, b.ConstantInt(DType::kI32, amount)});
  });
}

// while (x < limit) x += 1, in place in the result, starting from the argument.
Plan CountingPlan(int64_t limit) {
  Plan plan;
  plan.kernels.push_back(AddConstant("increment", 1));
  plan.kernels.push_back(
      MapKernel("is_less", DType::kI32, DType::kI1, 1, [=](KernelBuilder& b, Var x) {
        return b.Apply(ScalarOp::kLt, {x, b.ConstantInt(DType::kI32, limit)});
      }));
  PlanFunction main{"main", {kI32Scalar}, {kI32Scalar}, kBufferAlignment, {}};
  const Slice x = SliceOf(Space::kResult, 0, kI32Scalar);
  const Slice predicate{Space::kArena, 0, 0, 1};
  WhileStep loop;
  loop.condition = {{LaunchStep{1, {x, predicate}}, ""}};
  loop.predicate = predicate;
  loop.body = {{LaunchStep{0, {x, x}}, ""}};
  main.steps = {{CopyStep{SliceOf(Space::kArgument, 0, kI32Scalar), x}, ""}, {loop, "while"}};
  plan.functions.push_back(main);
  return plan;
}

int32_t RunI32(const Plan& plan, const std::vector<std::string>& arguments) {
  const auto results = RunPlan(plan, arguments);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? ValuesOf<int32_t>((*results)[0])[0] : -1;
}

std::string I32(int32_t value) { return BytesOf(std::vector<int32_t>{value}); }

TEST(CpuPlanTest, WhileRunsUntilItsPredicateIsFalse) {
  const Plan plan = CountingPlan(10'000);
  EXPECT_EQ(RunI32(plan, {I32(3)}), 10'000);
  EXPECT_EQ(RunI32(plan, {I32(20'000)}), 20'000);
}

TEST(CpuPlanTest, WhileStopsWhenCancelled) {
  const Plan plan = CountingPlan(0x7FFFFFFF);
  const auto module = CompileAndLoad(plan);
  ASSERT_TRUE(module.ok()) << module.status();
  const bool cancelled = true;
  const auto results = RunModule(**module, plan, {I32(0)}, 1, &cancelled);
  EXPECT_EQ(results.status().code(), absl::StatusCode::kCancelled);
}

TEST(CpuPlanTest, LoopsInsideKernelsRunUntilTheirConditionFails) {
  std::vector<int32_t> x(10'000), halvings(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<int32_t>(i * i);
    for (int32_t rest = x[i]; rest != 0; rest /= 2) ++halvings[i];
  }
  const auto results =
      RunPlan(PlanOf(HalvingsKernel(static_cast<int64_t>(x.size()), 0)), {BytesOf(x)}, 2);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0], BytesOf(halvings));
}

TEST(CpuPlanTest, LoopsInsideKernelsStopWhenCancelled) {
  for (const int64_t size : {1, 10'000}) {  // by itself and on several threads
    const auto module = CompileAndLoad(PlanOf(HalvingsKernel(size, -1)));
    ASSERT_TRUE(module.ok()) << module.status();
    std::atomic<bool> cancelled = false;
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      cancelled = true;
    });
    const auto results = RunModule(**module, PlanOf(HalvingsKernel(size, -1)),
                                   {BytesOf(std::vector<int32_t>(size, 8))}, 2,
                                   reinterpret_cast<const volatile bool*>(&cancelled));
    EXPECT_EQ(results.status().code(), absl::StatusCode::kCancelled);
    canceller.join();
  }
}

TEST(CpuPlanTest, ParallelLoopStopsWhenCancelled) {
  const Plan plan = PlanOf(SeluKernel(1 << 20));
  const auto module = CompileAndLoad(plan);
  ASSERT_TRUE(module.ok()) << module.status();
  const bool cancelled = true;
  for (int threads : {1, 2}) {
    const auto results =
        RunModule(**module, plan, {std::string(4 << 20, '\0')}, threads, &cancelled);
    EXPECT_EQ(results.status().code(), absl::StatusCode::kCancelled);
  }
}

// Adds 10, 20 or 30 to the second argument as the first one says.
Plan SwitchPlan(bool by_predicate) {
  Plan plan;
  const ir::TensorType& index = by_predicate ? kI1Scalar : kI32Scalar;
  PlanFunction main{"main", {index, kI32Scalar}, {kI32Scalar}, 0, {}};
  SwitchStep choice;
  choice.index = SliceOf(Space::kArgument, 0, index);
  choice.index_is_predicate = by_predicate;
  for (uint32_t i = 0; i < (by_predicate ? 2u : 3u); ++i) {
    plan.kernels.push_back(AddConstant("add" + std::to_string(i), 10 * (i + 1)));
    choice.branches.push_back({{LaunchStep{i,
                                           {SliceOf(Space::kArgument, 1, kI32Scalar),
                                            SliceOf(Space::kResult, 0, kI32Scalar)}},
                                ""}});
  }
  main.steps = {{choice, "case"}};
  plan.functions.push_back(main);
  return plan;
}

TEST(CpuPlanTest, SwitchTakesTheIndexedBranchAndTheLastOneOutOfRange) {
  const Plan plan = SwitchPlan(false);
  EXPECT_EQ(RunI32(plan, {I32(0), I32(5)}), 15);
  EXPECT_EQ(RunI32(plan, {I32(1), I32(5)}), 25);
  EXPECT_EQ(RunI32(plan, {I32(2), I32(5)}), 35);
  EXPECT_EQ(RunI32(plan, {I32(3), I32(5)}), 35);
  EXPECT_EQ(RunI32(plan, {I32(-1), I32(5)}), 35);
}

TEST(CpuPlanTest, PredicateTrueTakesTheFirstBranch) {
  const Plan plan = SwitchPlan(true);
  EXPECT_EQ(RunI32(plan, {std::string(1, '\1'), I32(5)}), 15);
  EXPECT_EQ(RunI32(plan, {std::string(1, '\0'), I32(5)}), 25);
}

// A function that adds 1 with its own arena, called `depth` times, each call on the last result.
Plan CallingPlan(int calls) {
  Plan plan;
  plan.kernels.push_back(AddConstant("increment", 1));
  const Slice argument = SliceOf(Space::kArgument, 0, kI32Scalar);
  const Slice result = SliceOf(Space::kResult, 0, kI32Scalar);
  const Slice arena{Space::kArena, 0, 0, kBufferAlignment};
  const Slice callee_arena{Space::kArena, 0, kBufferAlignment, kBufferAlignment};
  PlanFunction main{"main", {kI32Scalar}, {kI32Scalar}, 2 * kBufferAlignment, {}};
  Slice state = arena;
  state.size_bytes = 4;
  main.steps.push_back({CopyStep{argument, state}, ""});
  for (int i = 0; i < calls; ++i) {
    main.steps.push_back({CallStep{1, {state}, {result}, callee_arena}, ""});
    main.steps.push_back({CopyStep{result, state}, ""});
  }
  PlanFunction callee{"callee", {kI32Scalar}, {kI32Scalar}, kBufferAlignment, {}};
  Slice temporary = arena;
  temporary.size_bytes = 4;
  callee.steps = {{LaunchStep{0, {argument, temporary}}, ""}, {CopyStep{temporary, result}, ""}};
  plan.functions = {main, callee};
  return plan;
}

TEST(CpuPlanTest, CallsUseTheSlicesTheyAreGiven) {
  EXPECT_EQ(RunI32(CallingPlan(100), {I32(7)}), 107);
}

TEST(CpuPlanTest, TheFirstFunctionIsNotToBeCalled) {
  Plan plan = CallingPlan(1);
  std::get<CallStep>(plan.functions[0].steps[1].value).function = 0;
  const auto code = CompileForHost(plan);
  ASSERT_FALSE(code.ok());
  EXPECT_THAT(std::string(code.status().message()),
              testing::HasSubstr("a call of the first function"));
}

// Kernels that add 1, 2, ... `count` in turn, enough of them for several parts.
Plan AddingPlan(int count) {
  Plan plan;
  const Slice result = SliceOf(Space::kResult, 0, kI32Scalar);
  PlanFunction main{"main", {kI32Scalar}, {kI32Scalar}, 0, {}};
  main.steps = {{CopyStep{SliceOf(Space::kArgument, 0, kI32Scalar), result}, ""}};
  for (int i = 0; i < count; ++i) {
    plan.kernels.push_back(AddConstant(absl::StrCat("add", i + 1), i + 1));
    main.steps.push_back({LaunchStep{static_cast<uint32_t>(i), {result, result}}, ""});
  }
  plan.functions.push_back(main);
  return plan;
}

TEST(CpuPlanTest, KernelsOfOtherPartsAreCalled) {
  const Plan plan = AddingPlan(100);
  ASSERT_GT(SplitPlan(plan).num_parts, 2u);
  EXPECT_EQ(RunI32(plan, {I32(7)}), 7 + 100 * 101 / 2);
}

// Rows of 64 numbers are copied through scratch; those that begin with a negative one get three
// halves of it added, and their number, as often as their second one says.
Plan PlanWithRareBranch(int64_t rows) {
  KernelBuilder b("rows");
  constexpr int64_t kColumns = 64;
  const uint32_t in = b.AddBuffer({"x", DType::kF32, rows * kColumns, Access::kRead});
  const uint32_t out = b.AddBuffer({"y", DType::kF32, rows * kColumns, Access::kWrite});
  const uint32_t scratch = b.AddScratch({"row", DType::kF32, kColumns, Access::kReadWrite});
  b.For(ForStatement::Kind::kParallel, rows, [&](Var row) {
    const auto at = [&](Var column) { return b.Linearize({row, column}, {kColumns, 1}); };
    b.For(ForStatement::Kind::kSequential, kColumns,
          [&](Var column) { b.Store(scratch, column, b.Load(in, at(column))); });
    const Var first = b.Load(in, at(b.Index(0)));
    const Var times = b.Load(in, at(b.Index(1)));
    const Var zero = b.ConstantFloat(DType::kF32, 0);
    const Var one = b.ConstantFloat(DType::kF32, 1);
    b.RareIf(
        b.Apply(ScalarOp::kLt, {first, zero}),
        [&]() -> std::vector<Var> {
          b.While(
              {times},
              [&](absl::Span<const Var> left) { return b.Apply(ScalarOp::kGt, {left[0], zero}); },
              [&](absl::Span<const Var> left) -> std::vector<Var> {
                for (int64_t column = 0; column < kColumns; ++column) {
                  const Var half =
                      b.Apply(ScalarOp::kMultiply, {first, b.ConstantFloat(DType::kF32, 1.5)});
                  const Var more = b.Apply(ScalarOp::kAdd, {half, b.Convert(DType::kF32, row)});
                  const Var index = b.Index(column);
                  b.Store(scratch, index, b.Apply(ScalarOp::kAdd, {b.Load(scratch, index), more}));
                }
                return {b.Apply(ScalarOp::kSubtract, {left[0], one})};
              });
          return {};
        },
        [] { return std::vector<Var>{}; });
    b.For(ForStatement::Kind::kParallel, kColumns,
          [&](Var column) { b.Store(out, at(column), b.Load(scratch, column)); });
  });
  return PlanOf(b.Finish());
}

TEST(CpuPlanTest, RareBranchesOfOtherPartsDoWhatTheyWouldInPlace) {
  constexpr int64_t kRows = 5000;
  const Plan plan = PlanWithRareBranch(kRows);
  ASSERT_EQ(SplitPlan(plan).num_parts, 2u);
  std::vector<float> x(kRows * 64), y;
  for (int64_t i = 0; i < kRows * 64; ++i) x[i] = static_cast<float>(i % 61);
  for (int64_t row = 0; row < kRows; row += 7) {
    x[row * 64] = -2;
    x[row * 64 + 1] = static_cast<float>(row % 3);
  }
  for (int64_t i = 0; i < kRows * 64; ++i) {
    const int64_t row = i / 64;
    y.push_back(x[i]);
    if (x[row * 64] >= 0) continue;
    for (int turn = 0; turn < x[row * 64 + 1]; ++turn) y[i] += -3 + static_cast<float>(row);
  }
  for (const int threads : {1, 2}) {
    const auto results = RunPlan(plan, {BytesOf(x)}, threads);
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ(ValuesOf<float>((*results)[0]), y);
  }
}

TEST(CpuPlanTest, RareBranchesOfOtherPartsStopWhenCancelled) {
  const Plan plan = PlanWithRareBranch(1);
  const auto module = CompileAndLoad(plan);
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<float> x(64, -1);
  const bool cancelled = true;
  EXPECT_TRUE(RunModule(**module, plan, {BytesOf(std::vector<float>(64, 1))}, 1, &cancelled).ok());
  EXPECT_EQ(RunModule(**module, plan, {BytesOf(x)}, 1, &cancelled).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(CpuPlanTest, WhatOneThreadLoadsRunsWhileOthersLoad) {
  const Plan plan = AddingPlan(100);
  const auto code = CompileForHost(plan);
  ASSERT_TRUE(code.ok()) << code.status();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const auto module = CpuModule::Load(*code);
        ASSERT_TRUE(module.ok()) << module.status();
        const auto results = RunModule(**module, plan, {I32(t)});
        ASSERT_TRUE(results.ok()) << results.status();
        EXPECT_EQ((*results)[0], I32(t + 100 * 101 / 2));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(CpuPlanTest, TheLoaderRefusesASetWhoseObjectsDefineTheSame) {
  const auto code = CompileForHost(CountingPlan(3));
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(CpuModule::Load(PackObjects({*code, *code})).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(CpuPlanTest, TheLoaderRefusesASetWithoutOneOfItsObjects) {
  const auto code = CompileForHost(AddingPlan(100));
  ASSERT_TRUE(code.ok()) << code.status();
  const auto objects = UnpackObjects(*code);
  ASSERT_TRUE(objects.ok() && objects->size() > 2);
  std::vector<std::string> rest(objects->begin(), objects->end());
  EXPECT_TRUE(CpuModule::Load(PackObjects(rest)).ok());
  rest.erase(rest.begin() + 1);
  EXPECT_EQ(CpuModule::Load(PackObjects(rest)).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(CpuPlanTest, ConstantsComeFromTheConstantBlock) {
  Plan plan;
  plan.constants = std::string(kBufferAlignment, '\0') + I32(42);
  PlanFunction main{"main", {}, {kI32Scalar}, 0, {}};
  main.steps = {{CopyStep{Slice{Space::kConstant, 0, kBufferAlignment, 4},
                          SliceOf(Space::kResult, 0, kI32Scalar)},
                 ""}};
  plan.functions.push_back(main);
  EXPECT_EQ(RunI32(plan, {}), 42);
}

TEST(CpuPlanTest, MalformedPlansAreRefused) {
  Plan recursive = CallingPlan(1);
  recursive.functions[1].steps.push_back(recursive.functions[0].steps[1]);
  EXPECT_EQ(CompileForHost(recursive).status().code(), absl::StatusCode::kInternal);
  Plan outside = CountingPlan(3);
  std::get<CopyStep>(outside.functions[0].steps[0].value).from.offset_bytes = 64;
  EXPECT_EQ(CompileForHost(outside).status().code(), absl::StatusCode::kInternal);
}

const ir::TensorType kSquare{DType::kF64, {2, 2}};

Plan CholeskyPlan() {
  Plan plan;
  PlanFunction main{"main", {kSquare}, {kSquare}, 0, {}};
  main.steps = {{RoutineStep{{Routine::kCholesky, {1}, {kSquare}, {kSquare}},
                             {SliceOf(Space::kArgument, 0, kSquare)},
                             {SliceOf(Space::kResult, 0, kSquare)}},
                 "cholesky"}};
  plan.functions.push_back(main);
  return plan;
}

TEST(CpuPlanTest, RoutinesRunOnWholeBuffers) {
  const auto results = RunPlan(CholeskyPlan(), {BytesOf(std::vector<double>{4, 2, 2, 5})});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(ValuesOf<double>((*results)[0]), (std::vector<double>{2, 0, 1, 2}));
}

TEST(CpuPlanTest, MalformedRoutinesAreRefused) {
  Plan wrong_size = CholeskyPlan();
  std::get<RoutineStep>(wrong_size.functions[0].steps[0].value).results[0].size_bytes = 8;
  EXPECT_EQ(CompileForHost(wrong_size).status().code(), absl::StatusCode::kInternal);
  Plan wrong_call = CholeskyPlan();
  std::get<RoutineStep>(wrong_call.functions[0].steps[0].value).call.parameters = {7};
  EXPECT_EQ(CompileForHost(wrong_call).status().code(), absl::StatusCode::kInternal);
}

TEST(CpuModuleTest, GarbageDoesNotLoad) {
  EXPECT_FALSE(CpuModule::Load("").ok());
  EXPECT_FALSE(CpuModule::Load("garbage").ok());
  EXPECT_FALSE(CpuModule::Load(std::string(1000, '\x7f')).ok());
  const auto object = CompileForHost(CountingPlan(3));
  ASSERT_TRUE(object.ok());
  for (size_t size = 0; size < object->size(); size += 97) {
    EXPECT_FALSE(CpuModule::Load(object->substr(0, size)).ok()) << size;
  }
}

TEST(CpuModuleTest, ObjectsAreTheSameWhateverWasTranslatedBefore) {
  std::vector<std::string> objects;
  for (int turn = 0; turn < 3; ++turn) {
    for (const Plan& plan : {CallingPlan(3), AddingPlan(100), CountingPlan(3)}) {
      const auto object = CompileForHost(plan);
      ASSERT_TRUE(object.ok()) << object.status();
      objects.push_back(*object);
    }
  }
  for (size_t i = 3; i < objects.size(); ++i) EXPECT_EQ(objects[i], objects[i % 3]) << i;
}

}  // namespace
}  // namespace acceld::kernels::cpu

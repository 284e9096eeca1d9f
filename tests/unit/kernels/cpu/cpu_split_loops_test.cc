// Loops that are divided where a condition on the induction variable changes.

#include <random>

#include "gtest/gtest.h"
#include "kernels/cpu/emit/nests/split_at_conditions.h"
#include "kernels/ir/analysis/verify_kernel.h"
#include "kernels/ir/build/loop_nests.h"
#include "kernels/ir/interpreter/run_kernel.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

using Kind = ForStatement::Kind;

std::vector<int64_t> ExtentsOf(const Block& block) {
  std::vector<int64_t> extents;
  for (const Statement& statement : block) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      extents.push_back(loop->extent);
    }
  }
  return extents;
}

int CountBranches(const Block& block) {
  int branches = 0;
  for (const Statement& statement : block) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      branches += CountBranches(loop->body);
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      branches += 1 + CountBranches(branch->then_body) + CountBranches(branch->else_body);
    }
  }
  return branches;
}

// y[i] = the sum of the neighbours of x[i] on a ring.
Kernel RingKernel(int64_t n) {
  KernelBuilder b("ring");
  const uint32_t x = b.AddBuffer({"x", DType::kI32, n, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kI32, n, Access::kWrite});
  b.For(Kind::kParallel, n, [&](Var i) {
    const auto Neighbour = [&](Var is_inside, int64_t step, int64_t outside) {
      return b.If(
          is_inside,
          [&] { return std::vector<Var>{b.Load(x, b.Apply(ScalarOp::kAdd, {i, b.Index(step)}))}; },
          [&] { return std::vector<Var>{b.Load(x, b.Index(outside))}; })[0];
    };
    const Var before = Neighbour(b.Apply(ScalarOp::kGe, {i, b.Index(1)}), -1, n - 1);
    const Var after = Neighbour(b.Apply(ScalarOp::kLt, {i, b.Index(n - 1)}), 1, 0);
    b.Store(y, i, b.Apply(ScalarOp::kAdd, {before, after}));
  });
  return b.Finish();
}

// y[row, c] = x[row, c] where `op(c, bound)`, else 0.
Kernel MaskedRowsKernel(int64_t rows, int64_t columns, ScalarOp op, int64_t bound) {
  KernelBuilder b("masked");
  const uint32_t x = b.AddBuffer({"x", DType::kI32, rows * columns, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kI32, rows * columns, Access::kWrite});
  const int64_t extents[] = {rows, columns};
  b.ForEach(Kind::kParallel, extents, [&](absl::Span<const Var> at) {
    const Var element = b.Linearize(at, {columns, 1});
    const Var column = b.Convert(DType::kI32, at[1]);
    const Var chosen = b.Apply(op, {column, b.ConstantInt(DType::kI32, bound)});
    const Var zero = b.ConstantInt(DType::kI32, 0);
    b.Store(y, element, b.Select(chosen, b.Load(x, element), zero));
  });
  return b.Finish();
}

std::string Iota(int64_t n) {
  std::vector<int32_t> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<int32_t>(i * i % 1009 + 1);
  return BytesOf(values);
}

// Expects that the divided kernel, interpreted and compiled, computes what `kernel` does.
void ExpectSameResults(const Kernel& kernel) {
  const Kernel divided = SplitAtConditions(kernel);
  ASSERT_TRUE(VerifyKernel(divided).ok()) << VerifyKernel(divided) << ToString(divided);
  std::string x = Iota(kernel.buffers[0].num_elements);
  std::string expected(kernel.buffers[1].num_elements * sizeof(int32_t), '\xAB');
  std::string interpreted = expected;
  ASSERT_TRUE(RunKernel(kernel, {&x, &expected}).ok());
  const absl::Status status = RunKernel(divided, {&x, &interpreted});
  ASSERT_TRUE(status.ok()) << status << ToString(divided);
  EXPECT_EQ(interpreted, expected) << ToString(kernel) << ToString(divided);
  const auto compiled = RunPlan(PlanOf(kernel), {x}, 2);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_EQ((*compiled)[0], expected) << ToString(kernel);
}

TEST(SplitAtConditions, LeavesNoBranchInARing) {
  const Kernel divided = SplitAtConditions(RingKernel(1000));
  EXPECT_EQ(ExtentsOf(divided.body), (std::vector<int64_t>{1, 998, 1})) << ToString(divided);
  EXPECT_EQ(CountBranches(divided.body), 0) << ToString(divided);
  ExpectSameResults(RingKernel(1000));
}

TEST(SplitAtConditions, CutsOnBothSidesOfAnEquality) {
  const Kernel equal = MaskedRowsKernel(100, 300, ScalarOp::kEq, 7);
  const Kernel divided = SplitAtConditions(equal);
  const auto* rows = std::get_if<ForStatement>(&divided.body.back().value);
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(ExtentsOf(rows->body), (std::vector<int64_t>{7, 1, 292})) << ToString(divided);
  ExpectSameResults(equal);
  ExpectSameResults(MaskedRowsKernel(100, 300, ScalarOp::kNe, 0));
  ExpectSameResults(MaskedRowsKernel(100, 300, ScalarOp::kLe, 299));
  ExpectSameResults(MaskedRowsKernel(100, 300, ScalarOp::kGt, -5));
}

TEST(SplitAtConditions, LeavesShortLoopsAndTheLoopsThatThreadsShare) {
  for (const Kernel& kernel : {RingKernel(100), MaskedRowsKernel(1000, 100, ScalarOp::kLt, 10),
                               // The threads need the inner loop, too, to have enough tiles.
                               MaskedRowsKernel(4, 100'000, ScalarOp::kLt, 10)}) {
    EXPECT_EQ(ToString(SplitAtConditions(kernel)), ToString(kernel));
  }
}

// Appends random conditions on linear functions of the induction variable, and branches on them.
class RandomBody {
 public:
  RandomBody(KernelBuilder& b, uint32_t x, Var i, int64_t extent, std::mt19937& random)
      : b_(b), x_(x), i_(i), extent_(extent), random_(random) {}

  Var Value(int depth) {
    const int kind = depth == 0 ? 0 : Number(0, 4);
    if (kind <= 1) {
      // In bounds for each iteration, whatever branch it is in.
      return b_.Load(x_, b_.Apply(ScalarOp::kAdd, {i_, b_.Index(Number(0, 7))}));
    }
    const Var condition = Condition(2);
    if (kind == 2) return b_.Select(condition, Value(depth - 1), Value(depth - 1));
    return b_.If(
        condition, [&] { return std::vector<Var>{Value(depth - 1)}; },
        [&] {
          return std::vector<Var>{
              b_.Apply(ScalarOp::kAdd, {Value(depth - 1), b_.ConstantInt(DType::kI32, 1)})};
        })[0];
  }

 private:
  int64_t Number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  Var Condition(int depth) {
    const int kind = depth == 0 ? 0 : Number(0, 5);
    if (kind == 1) return b_.Apply(ScalarOp::kNot, {Condition(depth - 1)});
    if (kind == 2) return b_.Apply(ScalarOp::kAnd, {Condition(depth - 1), Condition(depth - 1)});
    if (kind == 3) return b_.Apply(ScalarOp::kOr, {Condition(depth - 1), Condition(depth - 1)});
    if (kind == 4) {  // depends on data
      const Var loaded = b_.Load(x_, i_);
      return b_.Apply(ScalarOp::kLt, {loaded, b_.ConstantInt(DType::kI32, 500)});
    }
    constexpr ScalarOp kComparisons[] = {ScalarOp::kEq, ScalarOp::kNe, ScalarOp::kLt,
                                         ScalarOp::kLe, ScalarOp::kGt, ScalarOp::kGe};
    constexpr DType kTypes[] = {DType::kI64, DType::kI32,  DType::kI16,
                                DType::kI8,  DType::kUI32, DType::kUI8};
    const DType dtype = kTypes[Number(0, 5)];
    const int64_t scale = Number(-3, 3);
    // Products in narrow types wrap around, which the pass must notice.
    const Var product =
        b_.Apply(ScalarOp::kMultiply, {b_.Convert(dtype, i_), b_.ConstantInt(dtype, scale)});
    const Var sum = b_.Apply(ScalarOp::kAdd, {product, b_.ConstantInt(dtype, Number(-100, 100))});
    const Var bound = b_.ConstantInt(dtype, Number(-2 * extent_, 2 * extent_));
    return b_.Apply(kComparisons[Number(0, 5)], {sum, bound});
  }

  KernelBuilder& b_;
  const uint32_t x_;
  const Var i_;
  const int64_t extent_;
  std::mt19937& random_;
};

TEST(SplitAtConditions, ComputesTheSameForRandomConditions) {
  std::mt19937 random(5);
  int divided = 0;
  for (int round = 0; round < 3000; ++round) {
    const int64_t extent = std::uniform_int_distribution<int64_t>(256, 700)(random);
    KernelBuilder b("random");
    const uint32_t x = b.AddBuffer({"x", DType::kI32, extent + 7, Access::kRead});
    const uint32_t y = b.AddBuffer({"y", DType::kI32, extent, Access::kWrite});
    b.For(Kind::kParallel, extent,
          [&](Var i) { b.Store(y, i, RandomBody(b, x, i, extent, random).Value(3)); });
    const Kernel kernel = b.Finish();
    const Kernel after = SplitAtConditions(kernel);
    divided += ExtentsOf(after.body).size() > 1;
    ASSERT_TRUE(VerifyKernel(after).ok()) << VerifyKernel(after) << ToString(after);
    std::string argument = Iota(extent + 7);
    std::string expected(extent * sizeof(int32_t), '\xAB'), actual = expected;
    ASSERT_TRUE(RunKernel(kernel, {&argument, &expected}).ok());
    const absl::Status status = RunKernel(after, {&argument, &actual});
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_EQ(actual, expected) << ToString(kernel) << ToString(after);
    if (round % 100 == 0) ExpectSameResults(kernel);
  }
  EXPECT_GT(divided, 500);
}

}  // namespace
}  // namespace acceld::kernels::cpu

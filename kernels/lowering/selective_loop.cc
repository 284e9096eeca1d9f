#include "kernels/lowering/selective_loop.h"

#include <algorithm>

#include "common/ceil_divide.h"

namespace acceld::kernels {
namespace {

using Kind = ForStatement::Kind;

// Iterations in a block. A large block makes the test cheap for each iteration; a small block
// leaves few iterations to execute one by one when the test finds a change.
constexpr int64_t kBlock = 32;

}  // namespace

bool SelectiveLoop::Pays(int64_t count) { return count >= 4 * kBlock; }

std::vector<Var> SelectiveLoop::Build(KernelBuilder& b, int64_t count, Values initial) const {
  // The first block begins before the first iteration if they don't divide evenly: a loop for a
  // rest would be another copy of the step.
  const int64_t blocks = CeilDivide(count, kBlock), missing = blocks * kBlock - count;
  const auto Add = [&](Var x, Var y) { return b.Apply(ScalarOp::kAdd, {x, y}); };
  const Var zero = b.Index(0);
  const auto Take = [&](Var first, Values carried) {
    return b.For(Kind::kSequential, kBlock, carried, [&](Var offset, Values values) {
      const Var i = Add(first, offset);
      if (missing == 0) return step(i, values);
      return b.If(
          b.Apply(ScalarOp::kGe, {i, zero}), [&] { return step(i, values); },
          [&] { return std::vector<Var>(values.begin(), values.end()); });
    });
  };
  const auto AnyChanges = [&](Var first, Values carried) -> std::vector<Var> {
    return b.For(Kind::kReduction, kBlock, {b.ConstantInt(DType::kI1, 0)},
                 [&](Var offset, Values so_far) -> std::vector<Var> {
                   const Var found = changes(Add(first, offset), carried);
                   return {b.Apply(ScalarOp::kOr, {so_far[0], found})};
                 });
  };
  const int64_t first_selected_block = std::max<int64_t>(first_selected, missing > 0 ? 1 : 0);
  return b.For(Kind::kSequential, blocks, initial, [&](Var block, Values carried) {
    const Var first =
        Add(b.Apply(ScalarOp::kMultiply, {block, b.Index(kBlock)}), b.Index(-missing));
    const std::vector<Var> any =
        first_selected_block == 0
            ? AnyChanges(first, carried)
            : b.If(
                  b.Apply(ScalarOp::kLt, {first, b.Index(first_selected_block)}),
                  [&] { return std::vector<Var>{b.ConstantInt(DType::kI1, 1)}; },
                  [&] { return AnyChanges(first, carried); });
    return b.RareIf(
        any[0], [&] { return Take(first, carried); },
        [&] { return std::vector<Var>(carried.begin(), carried.end()); });
  });
}

}  // namespace acceld::kernels

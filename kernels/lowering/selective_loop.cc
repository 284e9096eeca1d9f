#include "kernels/lowering/selective_loop.h"

namespace acceld::kernels {
namespace {

using Kind = ForStatement::Kind;

// Blocks within blocks: a large one costs little for each element, a small one leaves few elements
// that are taken in turn.
constexpr int64_t kBlocks[] = {64, 16};

class Builder {
 public:
  Builder(KernelBuilder& b, const SelectiveLoop& loop) : b_(b), loop_(loop) {}

  std::vector<Var> Build(Var first, int64_t count, SelectiveLoop::Values initial, size_t level) {
    if (level == std::size(kBlocks)) return Take(first, count, initial);
    const int64_t size = kBlocks[level];
    const std::vector<Var> carried = b_.For(
        Kind::kSequential, count / size, initial, [&](Var block, SelectiveLoop::Values values) {
          const Var start = At(first, b_.Apply(ScalarOp::kMultiply, {block, b_.Index(size)}));
          return b_.If(
              AnyChanges(start, size, values),
              [&] { return Build(start, size, values, level + 1); },
              [&] { return std::vector<Var>(values.begin(), values.end()); });
        });
    // Few elements at the end: another copy of the step for each kind of block would cost more.
    const int64_t done = count / size * size;
    return Take(At(first, b_.Index(done)), count - done, carried);
  }

 private:
  Var At(Var first, Var i) { return b_.Apply(ScalarOp::kAdd, {first, i}); }

  std::vector<Var> Take(Var first, int64_t count, SelectiveLoop::Values initial) {
    return b_.For(Kind::kSequential, count, initial, [&](Var i, SelectiveLoop::Values carried) {
      return loop_.step(At(first, i), carried);
    });
  }

  Var AnyChanges(Var first, int64_t count, SelectiveLoop::Values carried) {
    const std::vector<Var> any = b_.For(
        Kind::kReduction, count, {b_.ConstantInt(DType::kI1, 0)},
        [&](Var i, SelectiveLoop::Values so_far) -> std::vector<Var> {
          return {b_.Apply(ScalarOp::kOr, {so_far[0], loop_.changes(At(first, i), carried)})};
        });
    return any[0];
  }

  KernelBuilder& b_;
  const SelectiveLoop& loop_;
};

}  // namespace

bool SelectiveLoop::Pays(int64_t count) { return count >= 2 * kBlocks[0]; }

int64_t SelectiveLoop::Rest(int64_t count) {
  constexpr int64_t kManyBlocks = 32;
  return count < kManyBlocks * kBlocks[0] ? 0 : count % kBlocks[0];
}

std::vector<Var> SelectiveLoop::Build(KernelBuilder& b, Var first, int64_t count,
                                      Values initial) const {
  return Builder(b, *this).Build(first, count, initial, 0);
}

}  // namespace acceld::kernels

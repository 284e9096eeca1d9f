#include "kernels/ir/build/digit_sort.h"

#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "kernels/lowering/op_kernel.h"

namespace acceld::kernels {
namespace {

using Kind = ForStatement::Kind;

constexpr int kDigitBits = 8;
constexpr int64_t kDigits = int64_t{1} << kDigitBits;

// Builds one kernel of a digit sort.
class Builder {
 public:
  Builder(const Computation& computation, const DigitSort& sort, absl::string_view suffix)
      : sort_(sort),
        key_(computation.function.TensorOf(computation.op.operands[0]).dtype),
        kernel_(computation, absl::StrCat(computation.name, suffix),
                BufferParameter::Access::kReadWrite),
        b_(kernel_.builder()),
        starts_(kernel_.result_buffer(sort.has_values ? 2 : 1)) {}

  Kernel Build() {
    if (sort_.part == DigitSort::Part::kCount) Count();
    if (sort_.part == DigitSort::Part::kSum) Sum();
    if (sort_.part == DigitSort::Part::kMove) Move();
    Kernel kernel = kernel_.Finish();
    kernel.digit_sort = sort_;
    return kernel;
  }

 private:
  Var Add(Var x, Var y) { return b_.Apply(ScalarOp::kAdd, {x, y}); }
  Var Start(Var row, Var digit, Var tile) {
    const int64_t columns = sort_.tiles() + 1;
    const Var indices[] = {row, digit, tile};
    const int64_t strides[] = {kDigits * columns, columns, 1};
    return b_.Linearize(indices, strides);
  }
  uint32_t AddCounters() {
    return b_.AddScratch({"counters", DType::kUI32, kDigits, BufferParameter::Access::kReadWrite});
  }
  Var ConstantCount(int64_t value) { return b_.ConstantInt(DType::kUI32, value); }

  void ForEachTile(const std::function<void(Var row, Var tile)>& body) {
    const int64_t extents[] = {sort_.rows, sort_.tiles()};
    b_.ForEach(Kind::kParallel, extents,
               [&](absl::Span<const Var> vars) { body(vars[0], vars[1]); });
  }

  // Emits a loop over the elements of a tile in order. `body` gets an element's index in the
  // buffers, its key and its digit.
  void ForEachElement(Var row, Var tile,
                      const std::function<void(Var at, Var key, Var digit)>& body) {
    const Var first = b_.Apply(ScalarOp::kMultiply, {tile, b_.Index(sort_.tile)});
    const Var start = b_.Apply(ScalarOp::kMultiply, {row, b_.Index(sort_.length)});
    b_.For(Kind::kSequential, std::min(sort_.tile, sort_.length), [&](Var i) {
      const Var position = Add(first, i);
      b_.If(b_.Apply(ScalarOp::kLt, {position, b_.Index(sort_.length)}), [&] {
        const Var at = Add(start, position);
        const Var key = b_.Load(kernel_.operand_buffer(0), at);
        const Var digit = b_.Apply(ScalarOp::kAnd, {key, b_.ConstantInt(key_, kDigits - 1)});
        body(at, key, b_.Convert(DType::kI64, digit));
      });
    });
  }

  Var Rotated(Var key) {
    const int bits = ir::BitsOf(key_);
    if (bits == kDigitBits) return key;
    const auto shifted = [&](ScalarOp op, int by) {
      return b_.Apply(op, {key, b_.ConstantInt(key_, by)});
    };
    return b_.Apply(ScalarOp::kOr, {shifted(ScalarOp::kShiftRightLogical, kDigitBits),
                                    shifted(ScalarOp::kShiftLeft, bits - kDigitBits)});
  }

  void Count() {
    const uint32_t counters = AddCounters();
    ForEachTile([&](Var row, Var tile) {
      b_.For(Kind::kSequential, kDigits,
             [&](Var digit) { b_.Store(counters, digit, ConstantCount(0)); });
      ForEachElement(row, tile, [&](Var, Var, Var digit) {
        b_.Store(counters, digit, Add(b_.Load(counters, digit), ConstantCount(1)));
      });
      const bool is_sum = sort_.tiles() == 1;
      b_.For(Kind::kSequential, kDigits, [&](Var digit) {
        if (is_sum) b_.Store(starts_, Start(row, digit, tile), ConstantCount(0));
        const Var column = is_sum ? b_.Index(1) : tile;
        b_.Store(starts_, Start(row, digit, column), b_.Load(counters, digit));
      });
    });
  }

  void Sum() {
    const int64_t extents[] = {sort_.rows, kDigits};
    b_.ForEach(Kind::kParallel, extents, [&](absl::Span<const Var> vars) {
      const std::vector<Var> all = b_.For(Kind::kSequential, sort_.tiles(), {ConstantCount(0)},
                                          [&](Var tile, absl::Span<const Var> sum) {
                                            const Var at = Start(vars[0], vars[1], tile);
                                            const Var count = b_.Load(starts_, at);
                                            b_.Store(starts_, at, sum[0]);
                                            return std::vector<Var>{Add(sum[0], count)};
                                          });
      b_.Store(starts_, Start(vars[0], vars[1], b_.Index(sort_.tiles())), all[0]);
    });
  }

  void Move() {
    const uint32_t counters = AddCounters();
    ForEachTile([&](Var row, Var tile) {
      // counters[digit] becomes the position in the sorted row of the tile's next key with the
      // digit.
      b_.For(Kind::kSequential, kDigits, {ConstantCount(0)},
             [&](Var digit, absl::Span<const Var> lower) {
               const Var before = b_.Load(starts_, Start(row, digit, tile));
               b_.Store(counters, digit, Add(lower[0], before));
               const Var all = b_.Load(starts_, Start(row, digit, b_.Index(sort_.tiles())));
               return std::vector<Var>{Add(lower[0], all)};
             });
      const Var start = b_.Apply(ScalarOp::kMultiply, {row, b_.Index(sort_.length)});
      ForEachElement(row, tile, [&](Var at, Var key, Var digit) {
        const Var rank = b_.Load(counters, digit);
        b_.Store(counters, digit, Add(rank, ConstantCount(1)));
        const Var to = Add(start, b_.Convert(DType::kI64, rank));
        b_.Store(kernel_.result_buffer(0), to, Rotated(key));
        if (!sort_.has_values) return;
        b_.Store(kernel_.result_buffer(1), to, b_.Load(kernel_.operand_buffer(1), at));
      });
    });
  }

  const DigitSort sort_;
  const DType key_;
  OpKernel kernel_;
  KernelBuilder& b_;
  const uint32_t starts_;
};

}  // namespace

absl::StatusOr<LoweredOp> LowerDigitSort(const Computation& computation) {
  const auto& attributes = computation.op.As<ir::DigitSortAttributes>();
  const ir::Dims& dims = computation.function.TensorOf(computation.op.operands[0]).dims;
  DigitSort sort{.rows = dims[0],
                 .length = dims[1],
                 .tile = attributes.tile,
                 .has_values = computation.op.operands.size() > 1};
  LoweredOp lowered;
  const auto add = [&](DigitSort::Part part, absl::string_view suffix) {
    sort.part = part;
    lowered.kernels.push_back(Builder(computation, sort, suffix).Build());
  };
  add(DigitSort::Part::kCount, "_count");
  if (sort.tiles() > 1) add(DigitSort::Part::kSum, "_sum");
  add(DigitSort::Part::kMove, "_move");
  return lowered;
}

}  // namespace acceld::kernels

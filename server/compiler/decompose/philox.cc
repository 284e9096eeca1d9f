#include <algorithm>

#include "common/ceil_divide.h"
#include "server/compiler/decompose/random_bits.h"

namespace acceld::compiler {
namespace {

using ir::DType;
using ir::ValueId;

constexpr uint64_t kMultipliers[2] = {0xD2511F53, 0xCD9E8D57};
constexpr uint64_t kKeySteps[2] = {0x9E3779B9, 0xBB67AE85};
constexpr int kRounds = 10;

struct Product {
  ValueId high, low;
};

Product Multiply(ir::Emitter& e, ValueId x, uint64_t factor) {
  const ValueId wide = e.Convert(x, DType::kUI64);
  const ValueId product = e.Mul(wide, e.ConstantLike(wide, factor));
  return {e.Convert(e.ShiftRight(product, 32), DType::kUI32), e.Convert(product, DType::kUI32)};
}

struct Counter {
  ValueId low, high;  // ui64
};

// 128-bit addition.
Counter Plus(ir::Emitter& e, Counter counter, ValueId amount) {
  const ValueId low = e.Add(counter.low, amount);
  const ValueId carried = e.Add(counter.high, e.ConstantLike(counter.high, 1));
  return {low, e.Select(e.Less(low, counter.low), carried, counter.high)};
}

}  // namespace

RandomBits Philox(ir::Emitter& e, ValueId key, ValueId counter_low, ValueId counter_high,
                  const ir::TensorType& type) {
  const int64_t words_per_block = type.dtype == DType::kUI64 ? 2 : 4;
  const int64_t blocks = CeilDivide(type.num_elements(), words_per_block);
  const ir::Dims dims = {blocks};
  const Counter start = {counter_low, counter_high};
  const Counter counters =
      Plus(e, {e.Broadcast(start.low, dims), e.Broadcast(start.high, dims)}, e.LinearIndex(dims));
  const auto low = [&](ValueId x) { return e.Convert(x, DType::kUI32); };
  const auto high = [&](ValueId x) { return e.Convert(e.ShiftRight(x, 32), DType::kUI32); };
  ValueId x[4] = {low(counters.low), high(counters.low), low(counters.high), high(counters.high)};
  ValueId keys[2] = {low(key), high(key)};
  for (int round = 0; round < kRounds; ++round) {
    const Product first = Multiply(e, x[0], kMultipliers[0]);
    const Product second = Multiply(e, x[2], kMultipliers[1]);
    const ValueId next[4] = {e.Xor(e.Xor(second.high, x[1]), e.Broadcast(keys[0], dims)),
                             second.low, e.Xor(e.Xor(first.high, x[3]), e.Broadcast(keys[1], dims)),
                             first.low};
    std::copy(std::begin(next), std::end(next), std::begin(x));
    for (int i = 0; i < 2; ++i) keys[i] = e.Add(keys[i], e.ConstantLike(keys[i], kKeySteps[i]));
  }
  const auto joined = [&](ValueId a, ValueId b) {
    const ValueId word =
        e.Or(e.Convert(a, DType::kUI64), e.ShiftLeft(e.Convert(b, DType::kUI64), 32));
    return e.Reshape(word, {blocks, 1});
  };
  ValueId words = e.Concatenate({joined(x[0], x[1]), joined(x[2], x[3])}, 1);
  if (type.dtype == DType::kUI32) words = e.BitcastToParts(words, DType::kUI32);
  words = e.SliceTo(e.Reshape(words, {blocks * words_per_block}), {type.num_elements()});
  const Counter end = Plus(e, start, e.ConstantLike(counter_low, blocks));
  return {e.Reshape(words, type.dims), end.low, end.high};
}

}  // namespace acceld::compiler

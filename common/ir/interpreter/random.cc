#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

#include "common/ceil_divide.h"
#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/tensor.h"

// Source: StableHLO specification, "rng" and "rng_bit_generator"; J. Salmon, M. Moraes, R. Dror and
// D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. The specification does not say
// which element gets which bits; this code assigns them as XLA does on the CPU.
namespace acceld::ir::interpreter {
namespace {

uint32_t RotateLeft(uint32_t x, int bits) { return x << bits | x >> (32 - bits); }

// Threefry-2x32, 20 rounds.
std::array<uint32_t, 2> ThreeFryBlock(uint64_t key, uint64_t counter) {
  static constexpr int kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  const uint32_t k[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDAu};
  uint32_t x = static_cast<uint32_t>(counter) + k[0];
  uint32_t y = static_cast<uint32_t>(counter >> 32) + k[1];
  for (uint32_t round = 0; round < 20; ++round) {
    x += y;
    y = RotateLeft(y, kRotations[round % 8]) ^ x;
    if (round % 4 != 3) continue;
    const uint32_t injection = round / 4 + 1;
    x += k[injection % 3];
    y += k[(injection + 1) % 3] + injection;
  }
  return {x, y};
}

// Philox-4x32, 10 rounds. `low` and `high` are the counter.
std::array<uint32_t, 4> PhiloxBlock(uint64_t key, uint64_t low, uint64_t high) {
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  std::array<uint32_t, 4> x = {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                               static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * x[0], b = uint64_t{0xCD9E8D57} * x[2];
    x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ k0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ x[3] ^ k1, static_cast<uint32_t>(a)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return x;
}

uint64_t Join(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

// The words of all elements, of 64 or 32 bits, and the number of blocks that were generated for
// them.
struct Words {
  std::vector<uint64_t> values;
  uint64_t blocks = 0;
};

Words ThreeFryWords(uint64_t key, uint64_t counter, const Dims& dims, bool wide) {
  Words words;
  const int64_t n = NumElements(dims);
  words.values.resize(n);
  if (wide || dims.empty()) {
    for (int64_t i = 0; i < n; ++i) {
      const auto block = ThreeFryBlock(key, counter + i);
      words.values[i] = wide ? Join(block[0], block[1]) : block[0];
    }
    words.blocks = n;
    return words;
  }
  // Neighbours along one dimension share a block. It is the first dimension of even size, or else
  // the first one of the largest size.
  size_t paired = 0;
  while (paired < dims.size() && dims[paired] % 2 != 0) ++paired;
  if (paired == dims.size()) {
    paired = std::max_element(dims.begin(), dims.end()) - dims.begin();
  }
  Dims half = dims;
  half[paired] = (dims[paired] + 1) / 2;
  const Dims strides = RowMajorStrides(half);
  Dims index(dims.size(), 0);
  for (int64_t i = 0; i < n; ++i, NextIndex(dims, index)) {
    Dims block_index = index;
    block_index[paired] /= 2;
    const auto block = ThreeFryBlock(key, counter + LinearIndex(strides, block_index));
    words.values[i] = block[index[paired] % 2];
  }
  words.blocks = NumElements(half);
  return words;
}

Words PhiloxWords(uint64_t key, uint64_t low, uint64_t high, int64_t n, bool wide) {
  Words words;
  words.values.resize(n);
  const int64_t per_block = wide ? 2 : 4;
  words.blocks = CeilDivide(n, per_block);
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t number = i / per_block;
    const uint64_t carry = low + number < low ? 1 : 0;
    const auto block = PhiloxBlock(key, low + number, high + carry);
    const int64_t word = i % per_block;
    words.values[i] = wide ? Join(block[2 * word], block[2 * word + 1]) : block[word];
  }
  return words;
}

// Returns a number uniform in [0, 1), with 53 random bits.
double Unit(std::mt19937_64& engine) {
  return std::ldexp(static_cast<double>(engine() >> 11), -53);
}

Scalar UniformInteger(std::mt19937_64& engine, DType dtype, int64_t a, int64_t b) {
  const auto low = static_cast<uint64_t>(a), range = static_cast<uint64_t>(b) - low;
  const uint64_t value = low + (range == 0 ? 0 : engine() % range);
  return Rounded(dtype, OfInteger(static_cast<int64_t>(value)));
}

}  // namespace

// The specification does not say which numbers to draw. An op draws the same ones each time it
// runs, and different ops of a function draw different ones.
EvalResult EvalRng(EvalContext& c) {
  const DType dtype = c.result().dtype;
  const Scalar a = TensorView(c.operand(0)).At(0), b = TensorView(c.operand(1)).At(0);
  const bool is_normal = c.As<RngAttributes>().rng_distribution == RngDistribution::kNormal;
  std::mt19937_64 engine(c.op.results[0]);
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(c.result().num_elements()));
  TensorBuilder result(c.result());
  for (int64_t i = 0; i < c.result().num_elements(); ++i) {
    if (is_normal) {
      const double radius = std::sqrt(-2 * std::log(1 - Unit(engine)));
      const double standard = radius * std::cos(2 * std::numbers::pi * Unit(engine));
      result.Set(i, Rounded(dtype, OfReal(a.real() + b.real() * standard)));
    } else if (IsFloat(dtype)) {
      const double u = Unit(engine);
      const Scalar x = Rounded(dtype, OfReal(a.real() * (1 - u) + b.real() * u));
      result.Set(i, x.real() < b.real() ? x : a);
    } else if (dtype == DType::kI1) {
      result.Set(i, OfInteger(static_cast<int64_t>(engine() >> 63)));
    } else {
      result.Set(i, UniformInteger(engine, dtype, a.integer, b.integer));
    }
  }
  return OneResult(result.Finish());
}

EvalResult EvalRngBitGenerator(EvalContext& c) {
  const TensorView state(c.operand(0));
  const int64_t size = c.operand(0).type().num_elements();
  const auto word_of = [&](int64_t i) { return static_cast<uint64_t>(state.At(i).integer); };
  const TensorType& type = c.result(1);
  const bool wide = BitsOf(type.dtype) == 64;
  const int64_t n = type.num_elements();
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(n));
  const uint64_t key = word_of(0), low = word_of(1);
  // With a state of two words, Philox uses the key also as the upper half of the counter.
  uint64_t high = size == 3 ? word_of(2) : key;
  const bool is_threefry =
      c.As<RngBitGeneratorAttributes>().rng_algorithm == RngAlgorithm::kThreeFry;
  const Words words =
      is_threefry ? ThreeFryWords(key, low, type.dims, wide) : PhiloxWords(key, low, high, n, wide);
  if (low + words.blocks < low) ++high;

  TensorBuilder next(c.result(0));
  next.Set(0, OfInteger(static_cast<int64_t>(key)));
  next.Set(1, OfInteger(static_cast<int64_t>(low + words.blocks)));
  if (size == 3) next.Set(2, OfInteger(static_cast<int64_t>(high)));
  // Elements narrower than a word take its low bits.
  TensorBuilder bits(type);
  const uint64_t mask = wide ? ~uint64_t{0} : (uint64_t{1} << BitsOf(type.dtype)) - 1;
  for (int64_t i = 0; i < n; ++i) {
    if (IsInteger(type.dtype)) {
      bits.Set(i, Rounded(type.dtype, OfInteger(static_cast<int64_t>(words.values[i] & mask))));
    } else {
      std::memcpy(bits.BytesAt(i), &words.values[i], StorageBytesOf(type.dtype));
    }
  }
  std::vector<Value> results;
  results.push_back(next.Finish());
  results.push_back(bits.Finish());
  return results;
}

}  // namespace acceld::ir::interpreter

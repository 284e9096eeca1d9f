#include "server/hal/cpu/block_combiner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "common/ir/types/element.h"
#include "common/ir/types/float_formats.h"

namespace acceld::hal::cpu {
namespace {

using ir::DType;
using kernels::CanCombine;
using Combiner = kernels::Collective::Combiner;

constexpr int64_t kCount = 131;
constexpr Combiner kCombiners[] = {Combiner::kAdd,     Combiner::kMultiply, Combiner::kMinimum,
                                   Combiner::kMaximum, Combiner::kAnd,      Combiner::kOr,
                                   Combiner::kXor};

std::vector<DType> AllTypes() {
  return {
#define ACCELD_DTYPE(Enum, text, Class, bits, storage_bytes) DType::k##Enum,
#include "common/ir/types/dtypes.def"
  };
}

double CombineReals(Combiner combiner, double a, double b) {
  const auto is_less = [](double x, double y) {
    return x < y || (x == y && std::signbit(x) && !std::signbit(y));
  };
  if (combiner == Combiner::kAdd) return a + b;
  if (combiner == Combiner::kMultiply) return a * b;
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (combiner == Combiner::kMinimum) return is_less(b, a) ? b : a;
  return is_less(a, b) ? b : a;
}

// The result is wrapped when it is written.
int64_t CombineIntegers(DType dtype, Combiner combiner, int64_t a, int64_t b) {
  const bool is_bool = dtype == DType::kI1;
  const auto unsigned_a = static_cast<uint64_t>(a), unsigned_b = static_cast<uint64_t>(b);
  const bool is_less = ir::IsSigned(dtype) ? a < b : unsigned_a < unsigned_b;
  switch (combiner) {
    case Combiner::kAdd:
      return is_bool ? a | b : static_cast<int64_t>(unsigned_a + unsigned_b);
    case Combiner::kMultiply:
      return is_bool ? a & b : static_cast<int64_t>(unsigned_a * unsigned_b);
    case Combiner::kMinimum:
      return is_less ? a : b;
    case Combiner::kMaximum:
      return is_less ? b : a;
    case Combiner::kAnd:
      return a & b;
    case Combiner::kOr:
      return a | b;
    case Combiner::kXor:
      return a ^ b;
  }
  return 0;
}

// Combines `operands` element by element with the functions of the interpreter's elements.
std::string Expected(DType dtype, Combiner combiner, const std::vector<std::string>& operands) {
  const bool is_wide = dtype == DType::kF16 || dtype == DType::kBF16;
  std::string result = operands[0];
  for (int64_t i = 0; i < kCount; ++i) {
    float wide = is_wide ? static_cast<float>(ir::ReadFloat(dtype, result.data(), i)) : 0;
    for (size_t k = 1; k < operands.size(); ++k) {
      const char* const operand = operands[k].data();
      if (is_wide) {
        wide = static_cast<float>(CombineReals(combiner, wide, ir::ReadFloat(dtype, operand, i)));
      } else if (ir::IsFloat(dtype)) {
        ir::WriteFloat(dtype, result.data(), i,
                       CombineReals(combiner, ir::ReadFloat(dtype, result.data(), i),
                                    ir::ReadFloat(dtype, operand, i)));
      } else if (ir::IsComplex(dtype)) {
        ir::WriteComplex(
            dtype, result.data(), i,
            ir::ReadComplex(dtype, result.data(), i) + ir::ReadComplex(dtype, operand, i));
      } else {
        ir::WriteInt(dtype, result.data(), i,
                     CombineIntegers(dtype, combiner, ir::ReadInt(dtype, result.data(), i),
                                     ir::ReadInt(dtype, operand, i)));
      }
    }
    if (is_wide) ir::WriteFloat(dtype, result.data(), i, wide);
  }
  return result;
}

std::string Combine(DType dtype, Combiner combiner, const std::vector<std::string>& operands) {
  const BlockCombiner block = BlockCombinerOf(dtype, combiner);
  EXPECT_EQ(block.element_bytes, StorageBytesOf(dtype));
  std::string result(operands[0].size(), '\x55');
  BlockCombiner::Accumulator accumulator;
  block.load(operands[0].data(), kCount, accumulator);
  for (size_t k = 1; k < operands.size(); ++k) {
    block.combine(operands[k].data(), kCount, accumulator);
  }
  block.store(accumulator, kCount, result.data());
  return result;
}

// Numbers of all sizes, among them zeros of both signs, infinities and NaN; for integers all bits.
std::string Random(DType dtype, std::mt19937& random) {
  std::string bytes(static_cast<size_t>(kCount * StorageBytesOf(dtype)), '\0');
  const auto real = [&] {
    const double specials[] = {0.0,
                               -0.0,
                               1.0,
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()};
    if (random() % 6 == 0) return specials[random() % std::size(specials)];
    const double mantissa = static_cast<double>(random()) / 0x1p31 - 1;
    return std::ldexp(mantissa, static_cast<int>(random() % 40) - 20);
  };
  for (int64_t i = 0; i < kCount; ++i) {
    if (ir::IsFloat(dtype)) {
      ir::WriteFloat(dtype, bytes.data(), i, real());
    } else if (ir::IsComplex(dtype)) {
      ir::WriteComplex(dtype, bytes.data(), i, {real(), real()});
    } else {
      const uint64_t low = random(), high = random();
      ir::WriteInt(dtype, bytes.data(), i, static_cast<int64_t>(high << 32 | low));
    }
  }
  return bytes;
}

// Makes all NaNs of a type the same one, as their bits are not specified.
void UnifyNans(DType dtype, std::string& bytes) {
  const DType part = RealPartOf(dtype);
  if (!ir::IsFloat(part)) return;
  const auto count = static_cast<int64_t>(bytes.size()) / StorageBytesOf(part);
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isnan(ir::ReadFloat(part, bytes.data(), i))) continue;
    ir::WriteFloat(part, bytes.data(), i, std::numeric_limits<double>::quiet_NaN());
  }
}

TEST(BlockCombinerTest, AllTypesAndCombinersAgreeWithElementwiseOps) {
  std::mt19937 random(1);
  for (const DType dtype : AllTypes()) {
    for (const Combiner combiner : kCombiners) {
      if (!CanCombine(combiner, dtype)) continue;
      for (int round = 0; round < 8; ++round) {
        std::vector<std::string> operands;
        for (int k = 0; k < 2 + round % 3; ++k) operands.push_back(Random(dtype, random));
        std::string actual = Combine(dtype, combiner, operands);
        std::string expected = Expected(dtype, combiner, operands);
        UnifyNans(dtype, actual);
        UnifyNans(dtype, expected);
        ASSERT_EQ(actual, expected) << ir::DTypeName(dtype) << " " << static_cast<int>(combiner);
      }
    }
  }
}

// Every value is stored as the conversions of common/ir do, also those that need no rounding.
TEST(BlockCombinerTest, NarrowFloatsConvertToF32AndBack) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    const BlockCombiner block = BlockCombinerOf(dtype, Combiner::kAdd);
    BlockCombiner::Accumulator accumulator;
    for (int first = 0; first < 1 << 16; first += BlockCombiner::kMaxElements) {
      std::vector<uint16_t> from, to(BlockCombiner::kMaxElements);
      for (int i = 0; i < BlockCombiner::kMaxElements; ++i) {
        from.push_back(static_cast<uint16_t>(first + i));
      }
      block.load(from.data(), BlockCombiner::kMaxElements, accumulator);
      const auto* const wide = reinterpret_cast<const float*>(accumulator.bytes);
      block.store(accumulator, BlockCombiner::kMaxElements, to.data());
      for (size_t i = 0; i < from.size(); ++i) {
        const double value = ir::DecodeFloat(dtype, from[i]);
        if (std::isnan(value)) {
          EXPECT_TRUE(std::isnan(wide[i]));
          EXPECT_TRUE(std::isnan(ir::DecodeFloat(dtype, to[i])));
        } else {
          EXPECT_EQ(static_cast<double>(wide[i]), value);
          EXPECT_EQ(to[i], from[i]);
        }
      }
    }
  }
}

TEST(BlockCombinerTest, F32RoundsToF16AndBf16ToNearestEven) {
  std::mt19937 random(2);
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    const BlockCombiner block = BlockCombinerOf(dtype, Combiner::kAdd);
    BlockCombiner::Accumulator accumulator;
    auto* const wide = reinterpret_cast<float*>(accumulator.bytes);
    for (int round = 0; round < 200; ++round) {
      for (int i = 0; i < BlockCombiner::kMaxElements; ++i) {
        // From below the subnormals of f16 to beyond its largest number, many of them ties.
        const double mantissa = 1 + static_cast<double>(random() % (1 << 12)) / (1 << 12);
        wide[i] = static_cast<float>(
            std::ldexp(random() % 2 ? mantissa : -mantissa, static_cast<int>(random() % 44) - 27));
      }
      std::vector<uint16_t> to(BlockCombiner::kMaxElements);
      block.store(accumulator, BlockCombiner::kMaxElements, to.data());
      for (size_t i = 0; i < to.size(); ++i) {
        ASSERT_EQ(to[i], ir::EncodeFloat(dtype, wide[i])) << wide[i];
      }
    }
  }
}

TEST(BlockCombinerTest, SumsOfNarrowFloatsAreRoundedOnce) {
  for (const auto& [dtype, large] :
       {std::pair(DType::kBF16, 256.0), std::pair(DType::kF16, 2048.0)}) {
    // Neither 1 would change the first operand, if each sum were rounded.
    std::vector<std::string> operands(3, std::string(static_cast<size_t>(kCount) * 2, '\0'));
    for (int64_t i = 0; i < kCount; ++i) {
      ir::WriteFloat(dtype, operands[0].data(), i, large);
      ir::WriteFloat(dtype, operands[1].data(), i, 1);
      ir::WriteFloat(dtype, operands[2].data(), i, 1);
    }
    const std::string sum = Combine(dtype, Combiner::kAdd, operands);
    for (int64_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(ir::ReadFloat(dtype, sum.data(), i), large + 2);
    }
  }
}

}  // namespace
}  // namespace acceld::hal::cpu

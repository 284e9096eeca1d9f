#include "server/hal/cpu/block_combiner.h"

#include <bit>
#include <complex>
#include <type_traits>

#include "common/ir/types/float_formats.h"

namespace acceld::hal::cpu {
namespace {

using ir::DType;
using Combiner = kernels::Collective::Combiner;

// The structs below describe types of elements: how an element is stored, how it is held in an
// accumulator, and how two of them are combined.

// i1: a byte that is 0 or 1.
struct BoolElement {
  using Stored = uint8_t;
  using Held = uint8_t;

  static Held Load(Stored value) { return value; }
  static Stored Store(Held value) { return value; }
  template <Combiner kCombiner>
  static Held Combine(Held a, Held b) {
    switch (kCombiner) {
      case Combiner::kAdd:
      case Combiner::kMaximum:
      case Combiner::kOr:
        return a | b;
      case Combiner::kMultiply:
      case Combiner::kMinimum:
      case Combiner::kAnd:
        return a & b;
      case Combiner::kXor:
        return a ^ b;
    }
    return a;
  }
};

// An integer of `kBits` bits in a T, to which it is extended.
template <typename T, int kBits = 8 * sizeof(T)>
struct IntegerElement {
  using Stored = T;
  using Held = T;
  // Unsigned, so that overflow is defined, and not narrower than int, to which it would be
  // promoted.
  using Wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

  static Held Load(Stored value) { return value; }
  static Stored Store(Held value) { return value; }
  template <Combiner kCombiner>
  static constexpr Held Combine(Held a, Held b) {
    switch (kCombiner) {
      case Combiner::kAdd:
        return Wrap(static_cast<Wide>(a) + static_cast<Wide>(b));
      case Combiner::kMultiply:
        return Wrap(static_cast<Wide>(a) * static_cast<Wide>(b));
      case Combiner::kMinimum:
        return b < a ? b : a;
      case Combiner::kMaximum:
        return a < b ? b : a;
      case Combiner::kAnd:
        return static_cast<T>(a & b);
      case Combiner::kOr:
        return static_cast<T>(a | b);
      case Combiner::kXor:
        return static_cast<T>(a ^ b);
    }
    return a;
  }

 private:
  static constexpr T Wrap(Wide value) {
    constexpr int kUnused = 8 * sizeof(T) - kBits;
    if constexpr (kUnused == 0) return static_cast<T>(value);
    return static_cast<T>(static_cast<T>(value << kUnused) >> kUnused);
  }
};

template <typename T>
using BitsOfFloat = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

// The result is NaN if an operand is NaN; -0 is less than +0. Without branches, so that loops
// become vectors: equal numbers differ in the sign bit at most.
template <typename T>
T Maximum(T a, T b) {
  using Bits = BitsOfFloat<T>;
  const T equal = std::bit_cast<T>(std::bit_cast<Bits>(a) & std::bit_cast<Bits>(b));
  const T larger = a > b ? a : b;
  const T number = a == b ? equal : larger;
  return a != a ? a : number;
}

template <typename T>
T Minimum(T a, T b) {
  using Bits = BitsOfFloat<T>;
  const T equal = std::bit_cast<T>(std::bit_cast<Bits>(a) | std::bit_cast<Bits>(b));
  const T smaller = a < b ? a : b;
  const T number = a == b ? equal : smaller;
  return a != a ? a : number;
}

template <Combiner kCombiner, typename T>
T CombineFloats(T a, T b) {
  if constexpr (kCombiner == Combiner::kAdd) return a + b;
  if constexpr (kCombiner == Combiner::kMultiply) return a * b;
  if constexpr (kCombiner == Combiner::kMinimum) return Minimum(a, b);
  return Maximum(a, b);
}

// f32 and f64.
template <typename T>
struct FloatElement {
  using Stored = T;
  using Held = T;

  static Held Load(Stored value) { return value; }
  static Stored Store(Held value) { return value; }
  template <Combiner kCombiner>
  static Held Combine(Held a, Held b) {
    return CombineFloats<kCombiner>(a, b);
  }
};

// bf16, accumulated in f32.
struct Bf16Element {
  using Stored = uint16_t;
  using Held = float;

  static Held Load(Stored value) {
    return std::bit_cast<float>(static_cast<uint32_t>(value) << 16);
  }
  static Stored Store(Held value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
    const uint32_t nan = (bits & 0x80000000) | 0x7FC00000;
    const uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
    return static_cast<uint16_t>((is_nan ? nan : rounded) >> 16);
  }
  template <Combiner kCombiner>
  static Held Combine(Held a, Held b) {
    return CombineFloats<kCombiner>(a, b);
  }
};

// f16, accumulated in f32. Conversions are written with integers, so that loops become vectors
// without instructions that not all processors have.
struct F16Element {
  using Stored = uint16_t;
  using Held = float;

  // Exponent and mantissa are moved to their positions in an f32, then scaled by a power of two,
  // which also handles subnormal numbers.
  static Held Load(Stored value) {
    const uint32_t magnitude = (value & uint32_t{0x7FFF}) << 13;
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
    // The exponents of infinity and NaN have all bits set.
    const uint32_t exponent = magnitude >= 0x0F800000 ? 0x7F800000 : 0;
    const uint32_t sign = (value & uint32_t{0x8000}) << 16;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | exponent | sign);
  }
  // Rounds to nearest even.
  static Stored Store(Held value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    const uint32_t magnitude = bits & 0x7FFFFFFF;
    // In numbers from 0.5 to 1 a unit in the last place is 2^-24, as in subnormals of f16.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    const uint32_t subnormal = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f);
    // The exponent's bias is 112 less; a mantissa that is rounded up carries into the exponent.
    const uint32_t normal =
        (magnitude + 0xFFF + (magnitude >> 13 & 1) - (uint32_t{112} << 23)) >> 13;
    uint32_t result = Select(magnitude < 0x38800000, subnormal, normal);  // below 2^-14
    result = Select(magnitude >= 0x477FF000, 0x7C00, result);  // 65520 and more: infinity
    result = Select(magnitude > 0x7F800000, 0x7E00, result);
    return static_cast<uint16_t>(result | (bits >> 16 & 0x8000));
  }
  template <Combiner kCombiner>
  static Held Combine(Held a, Held b) {
    return CombineFloats<kCombiner>(a, b);
  }

 private:
  // Without a branch, which the compiler would not remove from a loop.
  static uint32_t Select(bool condition, uint32_t a, uint32_t b) {
    const uint32_t mask = 0 - static_cast<uint32_t>(condition);
    return (a & mask) | (b & ~mask);
  }
};

// Floats of at most 8 bits. Sums and products of two are exact in f64, so each step rounds once.
template <DType kType>
struct NarrowFloatElement {
  using Stored = uint8_t;
  using Held = uint8_t;

  static Held Load(Stored value) { return value; }
  static Stored Store(Held value) { return value; }
  template <Combiner kCombiner>
  static Held Combine(Held a, Held b) {
    const double result =
        CombineFloats<kCombiner>(ir::DecodeFloat(kType, a), ir::DecodeFloat(kType, b));
    return static_cast<uint8_t>(ir::EncodeFloat(kType, result));
  }
};

// Complex numbers are only added.
template <typename T>
struct ComplexElement {
  using Stored = std::complex<T>;
  using Held = std::complex<T>;

  static Held Load(Stored value) { return value; }
  static Stored Store(Held value) { return value; }
  template <Combiner kCombiner>
  static Held Combine(Held a, Held b) {
    return a + b;
  }
};

template <typename Element>
void LoadBlock(const void* from, int64_t count, BlockCombiner::Accumulator& accumulator) {
  const auto* __restrict const stored = static_cast<const typename Element::Stored*>(from);
  auto* __restrict const held = reinterpret_cast<typename Element::Held*>(accumulator.bytes);
  for (int64_t i = 0; i < count; ++i) held[i] = Element::Load(stored[i]);
}

template <typename Element, Combiner kCombiner>
void CombineBlock(const void* from, int64_t count, BlockCombiner::Accumulator& accumulator) {
  const auto* __restrict const stored = static_cast<const typename Element::Stored*>(from);
  auto* __restrict const held = reinterpret_cast<typename Element::Held*>(accumulator.bytes);
  for (int64_t i = 0; i < count; ++i) {
    held[i] = Element::template Combine<kCombiner>(held[i], Element::Load(stored[i]));
  }
}

template <typename Element>
void ScaleBlock(double factor, int64_t count, BlockCombiner::Accumulator& accumulator) {
  using Held = typename Element::Held;
  auto* __restrict const held = reinterpret_cast<Held*>(accumulator.bytes);
  const auto exact = static_cast<Held>(factor);
  for (int64_t i = 0; i < count; ++i) held[i] = Element::Load(Element::Store(held[i])) * exact;
}

template <typename Element>
void StoreBlock(const BlockCombiner::Accumulator& accumulator, int64_t count, void* to) {
  const auto* __restrict const held =
      reinterpret_cast<const typename Element::Held*>(accumulator.bytes);
  auto* __restrict const stored = static_cast<typename Element::Stored*>(to);
  for (int64_t i = 0; i < count; ++i) stored[i] = Element::Store(held[i]);
}

template <typename Element, Combiner kCombiner>
BlockCombiner Make() {
  return {.element_bytes = sizeof(typename Element::Stored),
          .load = LoadBlock<Element>,
          .combine = CombineBlock<Element, kCombiner>,
          .store = StoreBlock<Element>};
}

// For the combiners of all real numbers.
template <typename Element>
BlockCombiner ArithmeticOf(Combiner combiner) {
  switch (combiner) {
    case Combiner::kAdd:
      return Make<Element, Combiner::kAdd>();
    case Combiner::kMultiply:
      return Make<Element, Combiner::kMultiply>();
    case Combiner::kMinimum:
      return Make<Element, Combiner::kMinimum>();
    case Combiner::kMaximum:
      return Make<Element, Combiner::kMaximum>();
    case Combiner::kAnd:
    case Combiner::kOr:
    case Combiner::kXor:
      break;
  }
  return {};
}

// For floats that have a factor.
template <typename Element>
BlockCombiner ScalableOf(Combiner combiner) {
  BlockCombiner scalable = ArithmeticOf<Element>(combiner);
  scalable.scale = ScaleBlock<Element>;
  return scalable;
}

// For i1 and integers.
template <typename Element>
BlockCombiner AnyOf(Combiner combiner) {
  if (combiner == Combiner::kAnd) return Make<Element, Combiner::kAnd>();
  if (combiner == Combiner::kOr) return Make<Element, Combiner::kOr>();
  if (combiner == Combiner::kXor) return Make<Element, Combiner::kXor>();
  return ArithmeticOf<Element>(combiner);
}

template <typename Element>
BlockCombiner SumOf(Combiner combiner) {
  return combiner == Combiner::kAdd ? Make<Element, Combiner::kAdd>() : BlockCombiner();
}

}  // namespace

BlockCombiner BlockCombinerOf(DType dtype, Combiner combiner) {
  switch (dtype) {
    case DType::kI1:
      return AnyOf<BoolElement>(combiner);
    case DType::kI2:
      return AnyOf<IntegerElement<int8_t, 2>>(combiner);
    case DType::kI4:
      return AnyOf<IntegerElement<int8_t, 4>>(combiner);
    case DType::kI8:
      return AnyOf<IntegerElement<int8_t>>(combiner);
    case DType::kI16:
      return AnyOf<IntegerElement<int16_t>>(combiner);
    case DType::kI32:
      return AnyOf<IntegerElement<int32_t>>(combiner);
    case DType::kI64:
      return AnyOf<IntegerElement<int64_t>>(combiner);
    case DType::kUI2:
      return AnyOf<IntegerElement<uint8_t, 2>>(combiner);
    case DType::kUI4:
      return AnyOf<IntegerElement<uint8_t, 4>>(combiner);
    case DType::kUI8:
      return AnyOf<IntegerElement<uint8_t>>(combiner);
    case DType::kUI16:
      return AnyOf<IntegerElement<uint16_t>>(combiner);
    case DType::kUI32:
      return AnyOf<IntegerElement<uint32_t>>(combiner);
    case DType::kUI64:
      return AnyOf<IntegerElement<uint64_t>>(combiner);
    case DType::kF4E2M1FN:
      return ArithmeticOf<NarrowFloatElement<DType::kF4E2M1FN>>(combiner);
    case DType::kF6E2M3FN:
      return ArithmeticOf<NarrowFloatElement<DType::kF6E2M3FN>>(combiner);
    case DType::kF6E3M2FN:
      return ArithmeticOf<NarrowFloatElement<DType::kF6E3M2FN>>(combiner);
    case DType::kF8E3M4:
      return ArithmeticOf<NarrowFloatElement<DType::kF8E3M4>>(combiner);
    case DType::kF8E4M3:
      return ArithmeticOf<NarrowFloatElement<DType::kF8E4M3>>(combiner);
    case DType::kF8E4M3FN:
      return ArithmeticOf<NarrowFloatElement<DType::kF8E4M3FN>>(combiner);
    case DType::kF8E4M3FNUZ:
      return ArithmeticOf<NarrowFloatElement<DType::kF8E4M3FNUZ>>(combiner);
    case DType::kF8E4M3B11FNUZ:
      return ArithmeticOf<NarrowFloatElement<DType::kF8E4M3B11FNUZ>>(combiner);
    case DType::kF8E5M2:
      return ArithmeticOf<NarrowFloatElement<DType::kF8E5M2>>(combiner);
    case DType::kF8E5M2FNUZ:
      return ArithmeticOf<NarrowFloatElement<DType::kF8E5M2FNUZ>>(combiner);
    case DType::kF8E8M0FNU:
      return ArithmeticOf<NarrowFloatElement<DType::kF8E8M0FNU>>(combiner);
    case DType::kF16:
      return ScalableOf<F16Element>(combiner);
    case DType::kBF16:
      return ScalableOf<Bf16Element>(combiner);
    case DType::kF32:
      return ScalableOf<FloatElement<float>>(combiner);
    case DType::kF64:
      return ScalableOf<FloatElement<double>>(combiner);
    case DType::kC64:
      return SumOf<ComplexElement<float>>(combiner);
    case DType::kC128:
      return SumOf<ComplexElement<double>>(combiner);
  }
  return {};
}

}  // namespace acceld::hal::cpu

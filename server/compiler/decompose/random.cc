#include <cmath>
#include <numbers>

#include "server/compiler/decompose/decomposition.h"
#include "server/compiler/decompose/random_bits.h"

// Source: StableHLO specification, "rng" and "rng_bit_generator". The bits of rng_bit_generator are
// those that XLA generates on the CPU, where DEFAULT means Philox.
namespace acceld::compiler {
namespace {

using ir::DType;
using ir::ValueId;

// Draws the random numbers of one `rng` op. Each call draws further bits of the op's stream.
class Draw {
 public:
  Draw(ir::Emitter& e, ValueId key, ir::Dims dims)
      : e_(e), key_(key), counter_(e.ConstantLike(key, 0)), dims_(std::move(dims)) {}

  ValueId Bits(DType dtype) {
    const RandomBits drawn = ThreeFry(e_, key_, counter_, {dtype, dims_});
    counter_ = drawn.count;
    return drawn.bits;
  }
  // Uniform within [0, 1), as f32 or f64 with all bits of the mantissa random.
  ValueId Unit(DType dtype) {
    const bool wide = dtype == DType::kF64;
    const int mantissa = wide ? 53 : 24;
    const ValueId bits = Bits(wide ? DType::kUI64 : DType::kUI32);
    const ValueId number = e_.Convert(e_.ShiftRight(bits, (wide ? 64 : 32) - mantissa), dtype);
    return e_.Mul(number, e_.Constant({dtype, dims_}, std::ldexp(1.0, -mantissa)));
  }
  // Uniform within (0, 1], for the argument of a logarithm. The least value is 2^-32 for f32 and
  // 2^-64 for f64.
  ValueId Positive(DType dtype) {
    const bool wide = dtype == DType::kF64;
    const ValueId number = e_.Convert(Bits(wide ? DType::kUI64 : DType::kUI32), dtype);
    return e_.Mul(e_.Add(number, e_.Constant({dtype, dims_}, 1)),
                  e_.Constant({dtype, dims_}, std::ldexp(1.0, wide ? -64 : -32)));
  }

 private:
  ir::Emitter& e_;
  ValueId key_, counter_;
  ir::Dims dims_;
};

// Computes a (1 - u) + b u for u uniform in [0, 1), a form that does not overflow for any finite
// bounds. A number that rounding takes to b or above is replaced by a.
ValueId UniformFloat(ir::Emitter& e, Draw& draw, ValueId a, ValueId b, DType compute) {
  const ValueId u = draw.Unit(compute);
  const ir::TensorType type = e.TypeOf(u);
  const DType dtype = e.TypeOf(a).dtype;
  const auto spread = [&](ValueId x) { return e.Broadcast(e.Convert(x, compute), type.dims); };
  const ValueId mixed = e.Add(e.Mul(spread(a), e.Sub(e.Constant(type, 1), u)), e.Mul(spread(b), u));
  const ValueId number = e.Convert(mixed, dtype);
  return e.Select(e.Less(number, e.Broadcast(b, type.dims)), number, e.Broadcast(a, type.dims));
}

// Computes a + bits modulo (b - a) in 64 bits.
ValueId UniformInteger(ir::Emitter& e, Draw& draw, ValueId a, ValueId b) {
  const DType dtype = e.TypeOf(a).dtype;
  const auto widened = [&](ValueId x) {
    return ir::IsSigned(dtype) ? e.Bitcast(e.Convert(x, DType::kI64), DType::kUI64)
                               : e.Convert(x, DType::kUI64);
  };
  const ValueId low = widened(a);
  const ValueId range =
      e.Op(ir::OpKind::kMaximum, {e.Sub(widened(b), low), e.ConstantLike(low, 1)});
  const ValueId bits = draw.Bits(DType::kUI64);
  const ir::Dims dims = e.TypeOf(bits).dims;
  const ValueId offset = e.Op(ir::OpKind::kRemainder, {bits, e.Broadcast(range, dims)});
  const ValueId sum = e.Add(e.Broadcast(low, dims), offset);
  return ir::IsSigned(dtype) ? e.Convert(e.Bitcast(sum, DType::kI64), dtype)
                             : e.Convert(sum, dtype);
}

// G. Box and M. Muller, "A note on the generation of random normal deviates", 1958.
ValueId Normal(ir::Emitter& e, Draw& draw, ValueId mean, ValueId deviation, DType compute) {
  const ValueId first = draw.Positive(compute), second = draw.Unit(compute);
  const ir::TensorType type = e.TypeOf(first);
  const ValueId radius = e.Sqrt(e.Mul(e.Constant(type, -2), e.Op(ir::OpKind::kLog, {first})));
  const ValueId angle = e.Mul(e.Constant(type, 2 * std::numbers::pi), second);
  const ValueId standard = e.Mul(radius, e.Op(ir::OpKind::kCosine, {angle}));
  const auto spread = [&](ValueId x) { return e.Broadcast(e.Convert(x, compute), type.dims); };
  return e.Convert(e.Add(spread(mean), e.Mul(spread(deviation), standard)), e.TypeOf(mean).dtype);
}

}  // namespace

// The fourth operand is the key of the op's stream (random_streams.h).
DecompositionResult DecomposeRng(Decomposition& d) {
  ir::Emitter e = d.Emit();
  const ir::TensorType& type = d.ResultType(0);
  const DType compute = type.dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  const ValueId a = d.operand(0), b = d.operand(1);
  Draw draw(e, d.operand(3), type.dims);
  if (d.As<ir::RngAttributes>().rng_distribution == ir::RngDistribution::kNormal) {
    return e.Results({Normal(e, draw, a, b, compute)});
  }
  if (ir::IsFloat(type.dtype)) return e.Results({UniformFloat(e, draw, a, b, compute)});
  // For i1, each of the two values is drawn with probability 1/2, whatever the bounds.
  if (type.dtype == DType::kI1) {
    const ValueId bits = draw.Bits(DType::kUI32);
    return e.Results({e.Less(bits, e.ConstantLike(bits, uint64_t{1} << 31))});
  }
  return e.Results({UniformInteger(e, draw, a, b)});
}

DecompositionResult DecomposeRngBitGenerator(Decomposition& d) {
  ir::Emitter e = d.Emit();
  const ir::TensorType& type = d.ResultType(1);
  const ir::TensorType words{ir::BitsOf(type.dtype) == 64 ? DType::kUI64 : DType::kUI32, type.dims};
  const ValueId key = e.ElementOf(d.operand(0), 0), counter = e.ElementOf(d.operand(0), 1);
  const bool has_high = d.OperandType(0).dims[0] == 3;
  std::vector<ValueId> state = {key};
  RandomBits drawn{};
  switch (d.As<ir::RngBitGeneratorAttributes>().rng_algorithm) {
    case ir::RngAlgorithm::kThreeFry:
      drawn = ThreeFry(e, key, counter, words);
      state.push_back(drawn.count);
      break;
    case ir::RngAlgorithm::kDefault:
    case ir::RngAlgorithm::kPhilox:
      // With a state of two words, the key also serves as the upper half of the counter.
      drawn = Philox(e, key, counter, has_high ? e.ElementOf(d.operand(0), 2) : key, words);
      state.push_back(drawn.count);
      if (has_high) state.push_back(drawn.next_counter_high);
      break;
  }
  for (ValueId& word : state) word = e.Reshape(word, {1});
  // An element narrower than a word takes the low bits of one word.
  const ValueId bits = e.Convert(drawn.bits, ir::UnsignedOfWidth(ir::BitsOf(type.dtype)));
  return e.Results({e.Concatenate(std::move(state), 0), e.Bitcast(bits, type.dtype)});
}

}  // namespace acceld::compiler

// Numbers of distributions that follow from uniform and normal ones by formulas.

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/contractions.h"
#include "client/tracing/ops/linalg.h"
#include "client/tracing/ops/random/parameters.h"
#include "client/tracing/ops/shapes.h"

namespace acceld::client::random {
namespace {

using ir::DType;

// The integers without sign that have the bits of floats.
DType BitsOfFloat(DType dtype) {
  switch (ir::BitsOf(dtype)) {
    case 8:
      return DType::kUI8;
    case 16:
      return DType::kUI16;
    case 64:
      return DType::kUI64;
    default:
      return DType::kUI32;
  }
}

}  // namespace

Tensor Uniform(const Operand& key, const ir::Dims& shape, DType dtype, const Operand& lowest,
               const Operand& highest) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr || !IsKey(*tracer, "Uniform", key)) return key;
  const std::optional<FloatFormat> format = NeedFloat("Uniform", dtype);
  if (!format.has_value()) return key;
  // Random mantissas of numbers from 1 to 2. bf16 takes one byte for its 7 bits.
  const DType integers = BitsOfFloat(dtype);
  const int num_bits = format->mantissa < 8 ? 8 : static_cast<int>(ir::BitsOf(dtype));
  const Tensor bits = Convert(Bits(key, shape, num_bits == 8 ? DType::kUI8 : integers), integers);
  const Tensor mantissas = ShiftRightLogical(bits, num_bits - format->mantissa) | format->one_bits;
  const Tensor floats = BitcastConvert(mantissas, dtype) - 1;
  const Tensor from = Convert(lowest, dtype), to = Convert(highest, dtype);
  return Maximum(from, floats * (to - from) + from);
}

Tensor Randint(const Operand& key, const ir::Dims& shape, const Operand& lowest,
               const Operand& highest, DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr || !IsKey(*tracer, "Randint", key)) return key;
  if (!ir::IsInteger(dtype) || ir::BitsOf(dtype) < 8) {
    return tracer->Fail("Randint", absl::StrCat("the element type is ", ir::DTypeName(dtype),
                                                "; expected integers of at least 8 bits"));
  }
  const std::vector<Tensor> keys = SplitKeys(key);
  const int64_t width = ir::BitsOf(dtype);
  const DType integers = width == 8    ? DType::kUI8
                         : width == 16 ? DType::kUI16
                         : width == 32 ? DType::kUI32
                                       : DType::kUI64;
  const Tensor high = Bits(keys[0], shape, integers), low = Bits(keys[1], shape, integers);
  const Tensor from = Convert(lowest, dtype), to = Convert(highest, dtype);
  // A number of twice the width, modulo the span, so that no remainder is much likelier.
  const Tensor span = Where(to > from, Convert(to - from, integers), 1);
  const Tensor root =
      Remainder(Full({}, std::ldexp(1.0, static_cast<int>(width / 2)), integers), span);
  const Tensor factor = Remainder(root * root, span);
  const Tensor offset = Remainder(Remainder(high, span) * factor + Remainder(low, span), span);
  return from + Convert(offset, dtype);
}

Tensor Normal(const Operand& key, const ir::Dims& shape, DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr || !IsKey(*tracer, "Normal", key)) return key;
  const std::optional<FloatFormat> format = NeedFloat("Normal", dtype);
  if (!format.has_value()) return key;
  return std::numbers::sqrt2 * ErfInv(Uniform(key, shape, dtype, -1 + format->below, 1));
}

Tensor TruncatedNormal(const Operand& key, const Operand& lowest, const Operand& highest,
                       const ir::Dims& shape, DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr || !IsKey(*tracer, "TruncatedNormal", key)) return key;
  if (!NeedFloat("TruncatedNormal", dtype).has_value()) return key;
  const Tensor from = Convert(lowest, dtype), to = Convert(highest, dtype);
  const Tensor numbers =
      std::numbers::sqrt2 * ErfInv(Uniform(key, shape, dtype, Erf(from / std::numbers::sqrt2),
                                           Erf(to / std::numbers::sqrt2)));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return Clip(numbers, NextAfter(from, FullLike(from, kInfinity)),
              NextAfter(to, FullLike(to, -kInfinity)));
}

Tensor Bernoulli(const Operand& key, const Operand& p, const ir::Dims& shape) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key, p);
  if (tracer == nullptr) return Tracer::BadNumber();
  const Tensor probability = tracer->InTrace(p);
  return Uniform(key, shape, probability.dtype()) < probability;
}

Tensor Rademacher(const Operand& key, const ir::Dims& shape, DType dtype) {
  return 2 * Convert(Bernoulli(key, 0.5, shape), dtype) - 1;
}

Tensor Exponential(const Operand& key, const ir::Dims& shape, DType dtype) {
  return -Log1p(-Uniform(key, shape, dtype));
}

Tensor Gumbel(const Operand& key, const ir::Dims& shape, DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr) return Tracer::BadNumber();
  const std::optional<FloatFormat> format = NeedFloat("Gumbel", dtype);
  if (!format.has_value()) return key;
  return -Log(-Log(Uniform(key, shape, dtype, format->tiny, 1)));
}

Tensor Laplace(const Operand& key, const ir::Dims& shape, DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr) return Tracer::BadNumber();
  const std::optional<FloatFormat> format = NeedFloat("Laplace", dtype);
  if (!format.has_value()) return key;
  const Tensor u = Uniform(key, shape, dtype, -1 + format->below, 1);
  return Sign(u) * Log1p(-Abs(u));
}

Tensor Logistic(const Operand& key, const ir::Dims& shape, DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr) return Tracer::BadNumber();
  const std::optional<FloatFormat> format = NeedFloat("Logistic", dtype);
  if (!format.has_value()) return key;
  const Tensor u = Uniform(key, shape, dtype, format->tiny, 1);
  return Log(u / (1 - u));
}

Tensor Cauchy(const Operand& key, const ir::Dims& shape, DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr) return Tracer::BadNumber();
  const std::optional<FloatFormat> format = NeedFloat("Cauchy", dtype);
  if (!format.has_value()) return key;
  return Tan(std::numbers::pi * (Uniform(key, shape, dtype, format->above, 1) - 0.5));
}

Tensor LogNormal(const Operand& key, const Operand& sigma) {
  const std::optional<Tensor> scale = Parameter("LogNormal", key, sigma);
  if (!scale.has_value()) return key;
  return Exp(Normal(key, scale->shape(), scale->dtype()) * *scale);
}

Tensor MultivariateNormal(const Operand& key, const Operand& mean, const Operand& covariance) {
  const std::optional<Tensor> center = Parameter("MultivariateNormal", key, mean);
  if (!center.has_value()) return key;
  const int64_t n = center->size();
  if (center->rank() != 1 || covariance.type() != ir::TensorType{center->dtype(), {n, n}}) {
    return Tracer::Current()->Fail(
        "MultivariateNormal",
        absl::StrCat("the mean is ", center->type().ToString(), ", and the covariances ",
                     covariance.type().ToString(), "; expected a vector and a square matrix"));
  }
  const Tensor normal = Normal(key, center->shape(), center->dtype());
  return *center + MatMul(linalg::Cholesky(covariance), normal);
}

Tensor Pareto(const Operand& key, const Operand& b) {
  const std::optional<Tensor> shape = Parameter("Pareto", key, b);
  if (!shape.has_value()) return key;
  return Exp(Exponential(key, shape->shape(), shape->dtype()) / *shape);
}

Tensor Rayleigh(const Operand& key, const Operand& scale) {
  const std::optional<Tensor> factor = Parameter("Rayleigh", key, scale);
  if (!factor.has_value()) return key;
  return *factor * Sqrt(Log(Uniform(key, factor->shape(), factor->dtype())) * -2);
}

Tensor WeibullMin(const Operand& key, const Operand& scale, const Operand& concentration) {
  const std::optional<Tensor> power = Parameter("WeibullMin", key, concentration);
  if (!power.has_value()) return key;
  const Tensor u = Uniform(key, power->shape(), power->dtype());
  return Power(-Log1p(-u), 1 / *power) * scale;
}

Tensor Maxwell(const Operand& key, const ir::Dims& shape, DType dtype) {
  ir::Dims vectors = shape;
  vectors.push_back(3);
  return linalg::Norm(Normal(key, vectors, dtype), {-1});
}

}  // namespace acceld::client::random

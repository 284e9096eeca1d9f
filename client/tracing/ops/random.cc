#include "client/tracing/ops/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/tracing/function.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/contractions.h"
#include "client/tracing/ops/indexing.h"
#include "client/tracing/ops/linalg.h"
#include "client/tracing/ops/nn.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/ops/sorting.h"
#include "client/tracing/tracer.h"
#include "client/tracing/transforms/control_flow.h"
#include "client/tracing/transforms/transforms.h"

namespace acceld::client::random {
namespace {

using ir::DType;

using Words = std::pair<Tensor, Tensor>;

Tensor RotateLeft(const Tensor& x, int bits) {
  return ShiftLeft(x, bits) | ShiftRightLogical(x, 32 - bits);
}

// The block cipher threefry2x32 with 20 rounds, of each pair of elements.
Words Encrypt(const Tensor& key0, const Tensor& key1, const Tensor& counts0,
              const Tensor& counts1) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const Tensor keys[3] = {key0, key1, key0 ^ key1 ^ 0x1BD11BDA};
  Tensor x = counts0 + keys[0], y = counts1 + keys[1];
  for (int group = 0; group < 5; ++group) {
    for (const int bits : kRotations[group % 2]) {
      x = x + y;
      y = RotateLeft(y, bits) ^ x;
    }
    x = x + keys[(group + 1) % 3];
    y = y + (keys[(group + 2) % 3] + (group + 1));
  }
  return {x, y};
}

// The cipher is a function of its own in the program: it has a hundred operations.
Words EncryptByCall(const Tensor& key, const Tensor& counts0, const Tensor& counts1) {
  static const auto* const kFunction =
      new auto(Jit([](const Tensor& k, const Tensor& x,
                      const Tensor& y) { return Encrypt(At(k, {0}), At(k, {1}), x, y); },
                   {.name = "threefry2x32"}));
  return (*kFunction)(key, counts0, counts1);
}

// The numbers 0, 1, 2, ... as pairs of the upper and the lower half.
Words Counts(const ir::Dims& shape) {
  const int64_t size = ir::TensorType{DType::kUI32, shape}.num_elements();
  if (size <= int64_t{std::numeric_limits<uint32_t>::max()}) {
    const Tensor low = Reshape(Arange(size, DType::kUI32), shape);
    return {ZerosLike(low), low};
  }
  const Tensor number = Reshape(Arange(size, DType::kUI64), shape);
  return {Convert(ShiftRightLogical(number, 32), DType::kUI32), Convert(number, DType::kUI32)};
}

bool IsKey(Tracer& tracer, absl::string_view operation, const Tensor& key) {
  if (key.type() == ir::TensorType{DType::kUI32, {2}}) return true;
  tracer.Fail(operation, absl::StrCat("the key is ", key.type().ToString(),
                                      "; expected tensor<2xui32>, as Key and Split give it"));
  return false;
}

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

// The number of bits of a mantissa, and the bits of 1, the smallest positive number and the
// distance of 1 to its neighbours below and above.
struct FloatFormat {
  int mantissa;
  double one_bits, tiny, below, above;
};
std::optional<FloatFormat> FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return FloatFormat{52, 0x3FF0000000000000p0, 0x1p-1022, 0x1p-53, 0x1p-52};
    case DType::kF32:
      return FloatFormat{23, 0x3F800000p0, 0x1p-126, 0x1p-24, 0x1p-23};
    case DType::kF16:
      return FloatFormat{10, 0x3C00p0, 0x1p-14, 0x1p-11, 0x1p-10};
    case DType::kBF16:
      return FloatFormat{7, 0x3F80p0, 0x1p-126, 0x1p-8, 0x1p-7};
    default:
      return std::nullopt;
  }
}

// What a distribution needs of its element type; nullopt, and an error, if that is no float.
std::optional<FloatFormat> NeedFloat(absl::string_view operation, DType dtype) {
  const std::optional<FloatFormat> format = FormatOf(dtype);
  if (!format.has_value()) {
    Tracer::Current()->Fail(operation, absl::StrCat("the element type is ", ir::DTypeName(dtype),
                                                    "; expected f64, f32, f16 or bf16"));
  }
  return format;
}

// Sorts by random keys until the order is as good as random.
Tensor Shuffled(Tensor key, Tensor a) {
  const double size = static_cast<double>(std::max<int64_t>(a.size(), 1));
  const int rounds = static_cast<int>(
      std::ceil(3 * std::log(size) / std::log(std::numeric_limits<uint32_t>::max())));
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Tensor> keys = SplitKeys(key);
    key = keys[0];
    a = SortTogether({Bits(keys[1], a.shape()), a}, 0)[1];
  }
  return a;
}

// One number of the distribution gamma, or its logarithm. Source: Marsaglia and Tsang, "A Simple
// Method for Generating Gamma Variables" (2000).
template <bool kLogarithm>
Tensor GammaOfOne(const Tensor& key, const Tensor& alpha) {
  const DType dtype = alpha.dtype();
  const auto number = [&](double value) { return Full({}, value, dtype); };
  // Below 1 that of alpha + 1 is taken, times a power of a uniform number.
  const Tensor is_large = alpha >= 1;
  const Tensor boosted = Where(is_large, alpha, alpha + 1);
  const Tensor d = boosted - 1.0 / 3, c = (1.0 / 3) / Sqrt(d);
  using State = std::tuple<Tensor, Tensor, Tensor, Tensor>;  // key, x^2, v^3, u
  const auto is_rejected = [&](const State& state) {
    const auto& [k, x, v, u] = state;
    return u >= 1 - 0.0331 * (x * x) && Log(u) >= x * 0.5 + d * ((1 - v) + Log(v));
  };
  const auto draw = [&](const State& state) -> State {
    const std::vector<Tensor> keys = SplitKeys(std::get<0>(state), 3);
    using Inner = std::tuple<Tensor, Tensor, Tensor>;  // key, x, v
    const auto next = [&](const Inner& inner) -> Inner {
      const std::vector<Tensor> inner_keys = SplitKeys(std::get<0>(inner));
      const Tensor x = Normal(inner_keys[1], {}, dtype);
      return {inner_keys[0], x, 1 + x * c};
    };
    const Inner found = WhileLoop([](const Inner& inner) { return std::get<2>(inner) <= 0; }, next,
                                  Inner{keys[1], number(0), number(-1)});
    const Tensor x = std::get<1>(found), v = std::get<2>(found);
    return {keys[0], x * x, v * v * v, Uniform(keys[2], {}, dtype)};
  };
  const std::vector<Tensor> keys = SplitKeys(key);
  const State last = WhileLoop(is_rejected, draw, State{keys[0], number(0), number(1), number(2)});
  const Tensor v = std::get<2>(last);
  if (kLogarithm) {
    const Tensor log_sample = -Exponential(keys[1], {}, dtype);
    const Tensor boost = Where(is_large || log_sample == 0, number(0), log_sample * (1 / alpha));
    return Log(d) + Log(v) + boost;
  }
  const Tensor sample = 1 - Uniform(keys[1], {}, dtype);
  return d * v * Where(is_large, number(1), Power(sample, 1 / alpha));
}

// A number for each element of `alpha`.
Tensor GammaOf(absl::string_view operation, Tensor (*one)(const Tensor&, const Tensor&),
               const Operand& key, const Operand& alpha) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key, alpha);
  if (tracer == nullptr || !IsKey(*tracer, operation, key)) return key;
  const Tensor alphas = tracer->InTrace(alpha);
  if (!NeedFloat(operation, alphas.dtype()).has_value()) return key;
  const Tensor numbers = Vmap(one)(random::Split(key, alphas.size()), Ravel(alphas));
  return Reshape(numbers, alphas.shape());
}

bool MayChoose(Tracer& tracer, int64_t size, int64_t count, bool replace) {
  if (size > 0 && count >= 0 && (replace || count <= size)) return true;
  tracer.Fail("Choice", absl::StrCat(count, " of ", size, " numbers cannot be chosen",
                                     replace ? "" : ", each at most once"));
  return false;
}

// A parameter of a distribution, as a tensor; nullopt, and an error, if it is not one of floats.
std::optional<Tensor> Parameter(absl::string_view operation, const Operand& key,
                                const Operand& parameter) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key, parameter);
  if (tracer == nullptr || !IsKey(*tracer, operation, key)) return std::nullopt;
  const Tensor value = tracer->InTrace(parameter);
  if (!NeedFloat(operation, value.dtype()).has_value()) return std::nullopt;
  return value;
}

}  // namespace

Tensor Key(uint64_t seed, std::source_location location) {
  const uint32_t words[] = {static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed)};
  return Constant(ir::Literal::FromValues<uint32_t>({DType::kUI32, {2}}, words), location);
}

Tensor Key(const Operand& seed) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(seed);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (Tracer::IsNumber(seed)) return Key(static_cast<uint64_t>(Tracer::Number(seed)));
  if (seed.rank() != 0 || !ir::IsInteger(seed.dtype())) {
    return tracer->Fail("Key", absl::StrCat("the seed is ", seed.type().ToString(),
                                            "; expected a scalar of integers"));
  }
  const Tensor low = Convert(seed, DType::kUI32);
  const Tensor high = ir::BitsOf(seed.dtype()) == 64
                          ? Convert(ShiftRightLogical(seed, 32), DType::kUI32)
                          : ZerosLike(low);
  return Stack({high, low});
}

Tensor Split(const Operand& key, int64_t count) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr || !IsKey(*tracer, "Split", key)) return key;
  if (count < 0) return tracer->Fail("Split", absl::StrCat(count, " keys"));
  const auto [counts0, counts1] = Counts({count});
  const auto [high, low] = EncryptByCall(key, counts0, counts1);
  return Stack({high, low}, -1);
}

std::vector<Tensor> SplitKeys(const Operand& key, int64_t count) {
  const Tensor keys = random::Split(key, count);
  std::vector<Tensor> list;
  for (int64_t i = 0; i < count; ++i) {
    list.push_back(keys.rank() == 2 ? At(keys, {i}) : keys);
  }
  return list;
}

Tensor FoldIn(const Operand& key, const Operand& data) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key, data);
  if (tracer == nullptr || !IsKey(*tracer, "FoldIn", key)) return key;
  const Tensor low = Convert(tracer->InTrace(data, DType::kUI32), DType::kUI32);
  if (low.rank() != 0) {
    return tracer->Fail(
        "FoldIn", absl::StrCat("the data is ", data.type().ToString(), "; expected a scalar"));
  }
  const auto [high, rest] = EncryptByCall(key, ZerosLike(low), low);
  return Stack({high, rest});
}

Tensor Bits(const Operand& key, const ir::Dims& shape, DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr || !IsKey(*tracer, "Bits", key)) return key;
  if (!ir::IsInteger(dtype) || ir::IsSigned(dtype) || ir::BitsOf(dtype) < 8) {
    return tracer->Fail("Bits", absl::StrCat("the element type is ", ir::DTypeName(dtype),
                                             "; expected ui8, ui16, ui32 or ui64"));
  }
  const auto [counts0, counts1] = Counts(shape);
  const auto [high, low] = EncryptByCall(key, counts0, counts1);
  if (dtype != DType::kUI64) return Convert(high ^ low, dtype);
  return ShiftLeft(Convert(high, dtype), 32) | Convert(low, dtype);
}

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

Tensor Gamma(const Operand& key, const Operand& alpha) {
  return GammaOf("Gamma", GammaOfOne<false>, key, alpha);
}
Tensor LogGamma(const Operand& key, const Operand& alpha) {
  return GammaOf("LogGamma", GammaOfOne<true>, key, alpha);
}

Tensor Beta(const Operand& key, const Operand& a, const Operand& b) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({&key, &a, &b});
  if (tracer == nullptr || !IsKey(*tracer, "Beta", key)) return key;
  const auto [left, right] = tracer->BroadcastTogether("Beta", a, b);
  const std::vector<Tensor> keys = SplitKeys(key);
  const Tensor log_a = LogGamma(keys[0], left), log_b = LogGamma(keys[1], right);
  // The share of the first, whose numbers may be too small for anything but their logarithms.
  const Tensor largest = Maximum(log_a, log_b);
  const Tensor share_a = Exp(log_a - largest), share_b = Exp(log_b - largest);
  return share_a / (share_a + share_b);
}

Tensor ChiSquare(const Operand& key, const Operand& df) { return Exp(LogGamma(key, df / 2)) * 2; }

Tensor StudentT(const Operand& key, const Operand& df) {
  const std::optional<Tensor> freedom = Parameter("StudentT", key, df);
  if (!freedom.has_value()) return key;
  const std::vector<Tensor> keys = SplitKeys(key);
  const Tensor normal = Normal(keys[0], freedom->shape(), freedom->dtype());
  const Tensor half = *freedom / 2;
  return normal * Sqrt(half / Gamma(keys[1], half));
}

Tensor Dirichlet(const Operand& key, const Operand& alpha) {
  const std::optional<Tensor> shares = Parameter("Dirichlet", key, alpha);
  if (!shares.has_value()) return key;
  if (shares->rank() == 0) return Tracer::Current()->Fail("Dirichlet", "alpha is a scalar");
  return nn::Softmax(LogGamma(key, *shares), -1);
}

Tensor Categorical(const Operand& key, const Operand& logits, int64_t axis) {
  return ArgMax(Gumbel(key, logits.shape(), logits.dtype()) + logits, axis);
}

Tensor Choice(const Operand& key, int64_t size, int64_t count, bool replace) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr || !IsKey(*tracer, "Choice", key)) return key;
  if (!MayChoose(*tracer, size, count, replace)) return key;
  if (replace) return Randint(key, {count}, 0, size);
  return SliceInDim(Permutation(key, size), 0, count);
}

Tensor Choice(const Operand& key, const Operand& weights, int64_t count, bool replace) {
  const std::optional<Tensor> p = Parameter("Choice", key, weights);
  if (!p.has_value()) return key;
  Tracer& tracer = *Tracer::Current();
  if (p->rank() != 1) {
    return tracer.Fail(
        "Choice", absl::StrCat("the weights are ", p->type().ToString(), "; expected a vector"));
  }
  if (!MayChoose(tracer, p->size(), count, replace)) return key;
  if (!replace) {
    // The largest of independent numbers of Gumbel, moved by logarithms of the weights.
    return TopK(Gumbel(key, p->shape(), p->dtype()) + Log(*p), count).second;
  }
  const Tensor sums = CumSum(*p);
  return SearchSorted(sums, At(sums, {-1}) * (1 - Uniform(key, {count}, p->dtype())));
}

Tensor Permutation(const Operand& key, const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key, a);
  if (tracer == nullptr || !IsKey(*tracer, "Permutation", key)) return key;
  if (a.rank() == 0) return tracer->Fail("Permutation", "the tensor is a scalar");
  if (a.rank() == 1) return Shuffled(key, a);
  return Take(a, Permutation(key, a.shape()[0]), 0);
}

Tensor Permutation(const Operand& key, int64_t count) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr || !IsKey(*tracer, "Permutation", key)) return key;
  return Shuffled(key, Arange(count));
}

}  // namespace acceld::client::random

// The distribution gamma, and those that are made of it.

#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/nn.h"
#include "client/tracing/ops/random/gamma_derivative.h"
#include "client/tracing/ops/random/parameters.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/transforms/control_flow.h"
#include "client/tracing/transforms/custom_rules.h"
#include "client/tracing/transforms/transforms.h"

namespace acceld::client::random {
namespace {

using ir::DType;

// One number, or its logarithm. Source: Marsaglia and Tsang, "A Simple Method for Generating Gamma
// Variables" (2000).
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

// A number for each element of the vector `alpha`, or its logarithm.
template <bool kLogarithm>
Tensor Draw(const Tensor& key, const Tensor& alpha) {
  return Vmap(GammaOfOne<kLogarithm>)(random::Split(key, alpha.size()), alpha);
}

// The same numbers with a derivative. They are functions of `alpha` for a given key, but not smooth
// ones, as the draw rejects some: the derivative is that of a number with the same probability of
// smaller ones.
template <bool kLogarithm>
Tensor SmoothDraw(const Tensor& key, const Tensor& alpha) {
  return CustomJvp([](const Tensor& k, const Tensor& a) { return Draw<kLogarithm>(k, a); },
                   [](const Tensor& k, const Tensor& a, const Tensor&, const Tensor& tangent) {
                     const Tensor numbers = SmoothDraw<kLogarithm>(k, a);
                     if (!kLogarithm)
                       return std::pair(numbers, tangent * GammaDerivative(a, numbers));
                     // A logarithm may be that of a number that is too small.
                     const double tiny = NeedFloat("LogGamma", a.dtype())->tiny;
                     const Tensor x = Maximum(Exp(numbers), tiny);
                     return std::pair(numbers, tangent * (GammaDerivative(a, x) / x));
                   })(key, alpha);
}

template <bool kLogarithm>
Tensor GammaOf(absl::string_view operation, const Operand& key, const Operand& alpha) {
  const std::optional<Tensor> alphas = Parameter(operation, key, alpha);
  if (!alphas.has_value()) return key;
  return Reshape(SmoothDraw<kLogarithm>(key, Ravel(*alphas)), alphas->shape());
}

}  // namespace

Tensor Gamma(const Operand& key, const Operand& alpha) {
  return GammaOf<false>("Gamma", key, alpha);
}
Tensor LogGamma(const Operand& key, const Operand& alpha) {
  return GammaOf<true>("LogGamma", key, alpha);
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

}  // namespace acceld::client::random

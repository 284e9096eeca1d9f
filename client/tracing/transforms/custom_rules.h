#pragma once

#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "client/tracing/tensor.h"
#include "client/tracing/tree.h"
#include "client/tracing/tree_function.h"

// Functions whose derivatives are not those of their operations.
namespace acceld::client {

namespace internal {

std::vector<Tensor> StopGradientOf(const std::vector<Tensor>& tensors);
std::vector<Tensor> CheckpointOf(const TracedFunction& function,
                                 const std::vector<Tensor>& arguments);
// `rule` takes the arguments, then a tangent for each, and gives the results, then a tangent for
// each.
std::vector<Tensor> CustomJvpOf(const TracedFunction& function, const TracedFunction& rule,
                                const std::vector<Tensor>& arguments);
// `forward` gives the results, then residuals; `backward` takes the residuals, then a cotangent for
// each result, and gives one for each argument.
std::vector<Tensor> CustomVjpOf(const TracedFunction& function, const TracedFunction& forward,
                                const TracedFunction& backward,
                                const std::vector<Tensor>& arguments);

}  // namespace internal

// The tree itself, whose derivative is zero.
template <Tree T>
T StopGradient(const T& tree) {
  return internal::TreeOf(tree, internal::StopGradientOf(Flatten(tree)));
}

// The same function, whose values are not kept for reverse mode: they are computed again when the
// gradient needs them (JAX's checkpoint, or remat). Only the arguments are kept.
template <typename F>
auto Checkpoint(F function) {
  return [f = std::move(function)]<typename... A>
    requires internal::CallableInTrace<F, A...>
  (const A&... arguments) {
    const auto flat = internal::MakeTreeFunction(f, arguments...);
    return flat.ResultOf(internal::CheckpointOf(flat, flat.leaves()));
  };
}

// A function with a rule for its tangents: rule(arguments..., tangents...) gives a pair, the result
// and its tangent, and is linear in the tangents. Reverse mode transposes the rule. Tangents of
// leaves without derivatives, such as integers, are zeros.
//
//   const auto log1pexp = CustomJvp(
//       [](const Tensor& x) { return Log(1 + Exp(x)); },
//       [](const Tensor& x, const Tensor& dx) {
//         return std::pair(Log(1 + Exp(x)), dx * Logistic(x));
//       });
template <typename F, typename R>
auto CustomJvp(F function, R rule) {
  return [f = std::move(function), rule = std::move(rule)]<typename... A>
    requires internal::CallableInTrace<F, A...>
  (const A&... arguments) {
    const auto flat = internal::MakeTreeFunction(f, arguments...);
    const auto flat_rule = internal::MakeTreeFunction(rule, arguments..., arguments...);
    return flat.ResultOf(internal::CustomJvpOf(flat, flat_rule, flat.leaves()));
  };
}

// A function with a rule for reverse mode: forward(arguments...) gives a pair, the result and
// residuals; backward(residuals, cotangent of the result) gives the cotangent of the argument, or a
// tuple of them if there are several. Forward mode refuses it.
template <typename F, typename Forward, typename Backward>
auto CustomVjp(F function, Forward forward, Backward backward) {
  return [f = std::move(function), forward = std::move(forward),
          backward = std::move(backward)]<typename... A>
    requires internal::CallableInTrace<F, A...>
  (const A&... arguments) {
    const auto flat = internal::MakeTreeFunction(f, arguments...);
    const auto flat_forward = internal::MakeTreeFunction(forward, arguments...);
    // The forms of the residuals and of the result are known once `forward` was traced.
    const TracedFunction flat_backward = [&](const std::vector<Tensor>& leaves) {
      const auto& [result, residuals] = flat_forward.form();
      const auto [r, cotangent] = internal::TreeOf(std::pair(residuals, result), leaves);
      return Flatten(backward(r, cotangent));
    };
    return flat.ResultOf(internal::CustomVjpOf(flat, flat_forward, flat_backward, flat.leaves()));
  };
}

}  // namespace acceld::client

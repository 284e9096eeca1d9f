#pragma once

#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
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
// each. Calls with one `key`, other than "", must have the same function and rule, which are traced
// once for each combination of types; the rule may call the function that it belongs to.
// Returns the leaves of the result, and its form; nullptr after an error.
using LeavesAndForm = std::pair<std::vector<Tensor>, Form>;
LeavesAndForm CustomJvpOf(const TracedFunction& function, const TracedFunction& rule,
                          const std::vector<Tensor>& arguments, const std::string& key,
                          const MakeForm& make_form);
// `forward` gives the results, then residuals; `backward` takes the residuals, then a cotangent for
// each result, and gives one for each argument. The rest is as above.
LeavesAndForm CustomVjpOf(const TracedFunction& function, const TracedFunction& forward,
                          const TracedFunction& backward, const std::vector<Tensor>& arguments,
                          const std::string& key, const MakeForm& make_form);

// What is equal for calls of one function with one rule: they have no state, so that their types
// say what they do, and the arguments have one form. "" for others.
template <typename... F, typename... A>
std::string KeyOf(const std::tuple<A...>& arguments) {
  if constexpr ((std::is_empty_v<F> && ...)) {
    return absl::StrCat(typeid(std::tuple<F...>).name(), ";", StructureOf(arguments));
  } else {
    return "";
  }
}

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
// leaves without derivatives, such as integers, are zeros. If neither the function nor the rule has
// captures, the rule may call the function that is made here: then that has higher derivatives.
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
    const auto [leaves, form] = internal::CustomJvpOf(
        flat, flat_rule, flat.leaves(), internal::KeyOf<F, R>(flat.arguments()),
        [&] { return internal::FormOf(flat.form()); });
    if (form == nullptr) return flat.ResultOf(leaves);
    return internal::TreeOfForm<typename decltype(flat)::Result>(form.get(), leaves);
  };
}

// A function with a rule for reverse mode: forward(arguments...) gives a pair, the result and
// residuals; backward(residuals, cotangent of the result) gives the cotangent of the argument, or a
// tuple of them if there are several. Forward mode refuses it. As above, `forward` may call the
// function that is made here.
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
    const auto [leaves, form] =
        internal::CustomVjpOf(flat, flat_forward, flat_backward, flat.leaves(),
                              internal::KeyOf<F, Forward, Backward>(flat.arguments()),
                              [&] { return internal::FormOf(flat.form()); });
    if (form == nullptr) return flat.ResultOf(leaves);
    return internal::TreeOfForm<typename decltype(flat)::Result>(form.get(), leaves);
  };
}

}  // namespace acceld::client

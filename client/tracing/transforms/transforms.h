#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "client/tracing/tensor.h"
#include "client/tracing/tree.h"
#include "client/tracing/tree_function.h"

// Functions of traced functions, as in JAX: derivatives and batches. Each takes a function of
// trees of tensors (tree.h) and gives another one, which can be called in a trace, compiled
// (jit.h), and transformed again:
//
//   const auto loss = [](const Tensor& w, const Tensor& x) { return Sum(Square(MatMul(x, w))); };
//   const auto gradient = Jit(client, Grad(loss));                       // of w
//   const auto each = Jit(client, Vmap(Grad(loss), {std::nullopt, 0}));  // for each example of x
//
// A function may use tensors of the trace around it; with respect to those it is not
// differentiated. A wrong call, such as of Grad of a function whose result is not a scalar, becomes
// the error of the trace (tensor.h); messages begin with the name of the transformation.
namespace acceld::client {

namespace internal {

// Reverse mode: the values of `function` and the gradients of the first, which must be a scalar
// float, with respect to `arguments[i]` for each i of `wanted`.
struct ValuesAndGradients {
  std::vector<Tensor> values, gradients;
};
ValuesAndGradients GradientsOf(const TracedFunction& function, const std::vector<Tensor>& arguments,
                               const std::vector<size_t>& wanted);

// The results have the examples along their first dimension. `in_axes` has an entry for each
// argument.
std::vector<Tensor> BatchOf(const TracedFunction& function, const std::vector<Tensor>& arguments,
                            const std::vector<std::optional<int64_t>>& in_axes,
                            std::optional<int64_t> axis_size);
// Moves the first dimension of each result to where `out_axes` says.
std::vector<Tensor> WithExamplesAlong(const std::vector<Tensor>& results,
                                      const std::vector<std::optional<int64_t>>& out_axes);

struct ValuesAndTangents {
  std::vector<Tensor> values, tangents;
};
ValuesAndTangents TangentsOf(const TracedFunction& function, const std::vector<Tensor>& arguments,
                             const std::vector<Tensor>& tangents);

struct ValuesAndPullback {
  std::vector<Tensor> values;
  TracedFunction pull_back;
};
ValuesAndPullback PullbackOf(const TracedFunction& function, const std::vector<Tensor>& arguments);

// The derivatives of each element of the first result by each of argument `wanted`: dimensions of
// the result, then those of the argument.
Tensor JacobianOf(const TracedFunction& function, const std::vector<Tensor>& arguments,
                  size_t wanted, bool forward);

// Grad's result: the gradient of one argument, or a tuple of those of several.
template <size_t... I, typename... A>
auto GradientTrees(const std::tuple<A...>& arguments, const std::vector<Tensor>& gradients) {
  size_t next = 0;
  const auto take = [&](const auto& argument) {
    const size_t count = NumLeaves(argument);
    std::vector<Tensor> leaves;
    for (size_t i = 0; i < count && next < gradients.size(); ++i) {
      leaves.push_back(gradients[next++]);
    }
    return TreeOf(argument, leaves);
  };
  if constexpr (sizeof...(I) == 1) {
    return take(std::get<I...>(arguments));
  } else {
    return std::tuple{take(std::get<I>(arguments))...};  // The braces keep the order.
  }
}

template <size_t... I, typename... A>
std::vector<size_t> LeavesOfArguments(const std::tuple<A...>& arguments) {
  static_assert(((I < sizeof...(A)) && ...), "there is no such argument to differentiate by");
  std::vector<size_t> wanted;
  for (const std::vector<size_t>& leaves : {LeavesOfArgument<I>(arguments)...}) {
    wanted.insert(wanted.end(), leaves.begin(), leaves.end());
  }
  return wanted;
}

template <size_t I, typename... A>
using ArgumentAt = std::tuple_element_t<I, std::tuple<ArgumentOf<A>...>>;

// The number of leaves of each part of a result to which Vmap gives an axis of its own: the
// elements of a pair, a tuple or an array, else the whole.
template <typename T>
std::vector<size_t> LeafCounts(const T& tree) {
  return {NumLeaves(tree)};
}
template <typename... E>
std::vector<size_t> LeafCounts(const std::tuple<E...>& tree) {
  return std::apply([](const E&... e) { return std::vector<size_t>{NumLeaves(e)...}; }, tree);
}
template <typename A, typename B>
std::vector<size_t> LeafCounts(const std::pair<A, B>& tree) {
  return {NumLeaves(tree.first), NumLeaves(tree.second)};
}
template <typename E, size_t N>
std::vector<size_t> LeafCounts(const std::array<E, N>& tree) {
  std::vector<size_t> counts;
  for (const E& element : tree) counts.push_back(NumLeaves(element));
  return counts;
}

// An entry for each leaf, from one for each part or one for all. Empty: all have `otherwise`.
std::vector<std::optional<int64_t>> Spread(const char* name,
                                           const std::vector<std::optional<int64_t>>& axes,
                                           const std::vector<size_t>& counts);

}  // namespace internal

// The gradient of a function whose result is a scalar float, with respect to argument I: a tree of
// its form. Grad<0, 2>(f) gives a tuple. If f returns a pair or a tuple, its first leaf is
// differentiated.
template <size_t... I, typename F>
auto Grad(F function) {
  if constexpr (sizeof...(I) == 0) {
    return Grad<0>(std::move(function));
  } else {
    return [f = std::move(function)]<typename... A>
      requires internal::CallableInTrace<F, A...>
    (const A&... arguments) {
      const auto flat = internal::MakeTreeFunction(f, arguments...);
      const std::vector<size_t> wanted = internal::LeavesOfArguments<I...>(flat.arguments());
      return internal::GradientTrees<I...>(
          flat.arguments(), internal::GradientsOf(flat, flat.leaves(), wanted).gradients);
    };
  }
}

// A pair: the result of the function, and what Grad gives.
template <size_t... I, typename F>
auto ValueAndGrad(F function) {
  if constexpr (sizeof...(I) == 0) {
    return ValueAndGrad<0>(std::move(function));
  } else {
    return [f = std::move(function)]<typename... A>
      requires internal::CallableInTrace<F, A...>
    (const A&... arguments) {
      const auto flat = internal::MakeTreeFunction(f, arguments...);
      const std::vector<size_t> wanted = internal::LeavesOfArguments<I...>(flat.arguments());
      const internal::ValuesAndGradients both = internal::GradientsOf(flat, flat.leaves(), wanted);
      return std::pair(flat.ResultOf(both.values),
                       internal::GradientTrees<I...>(flat.arguments(), both.gradients));
    };
  }
}

// Forward mode: a pair, the result of the function and its tangent, for tangents of the form of the
// arguments: Jvp(f, std::tuple(x, y), std::tuple(dx, dy)), or Jvp(f, x, dx). Leaves without
// derivatives, such as integers, have any tangent; those of results have zeros.
template <typename F, typename... A>
auto Jvp(const F& function, const std::tuple<A...>& arguments, const std::tuple<A...>& tangents) {
  const internal::TreeFunction<F, A...> flat(function, arguments);
  const internal::ValuesAndTangents both =
      internal::TangentsOf(flat, flat.leaves(), Flatten(tangents));
  return std::pair(flat.ResultOf(both.values), flat.ResultOf(both.tangents));
}
template <typename F, Tree A>
auto Jvp(const F& function, const A& argument, const A& tangent) {
  return Jvp(function, std::tuple(argument), std::tuple(tangent));
}

// Reverse mode: a pair, the result of the function, and a function from a cotangent of the result
// to that of the argument, or to a tuple of them if there are several. Leaves without derivatives
// have zeros.
template <typename F, typename... A>
auto Vjp(const F& function, const A&... arguments) {
  const auto flat = internal::MakeTreeFunction(function, arguments...);
  internal::ValuesAndPullback both = internal::PullbackOf(flat, flat.leaves());
  auto pull_back =
      [flat, pull = std::move(both.pull_back)](const typename decltype(flat)::Result& cotangent) {
        return [&]<size_t... I>(std::index_sequence<I...>) {
          return internal::GradientTrees<I...>(flat.arguments(), pull(Flatten(cotangent)));
        }(std::index_sequence_for<A...>());
      };
  return std::pair(flat.ResultOf(both.values), std::move(pull_back));
}

// Along which axis each argument, or each part of a result, has the examples; nullopt: it is the
// same for all of them. One entry may stand for all.
using BatchAxes = std::vector<std::optional<int64_t>>;

// A function for many examples at once. An argument's axis is that of all its leaves; by default
// all have axis 0. If the result is a pair, a tuple or an array, `out_axes` may have an entry for
// each element. `axis_size` is the number of examples, if no argument has any.
template <typename F>
auto Vmap(F function, BatchAxes in_axes = {0}, BatchAxes out_axes = {0},
          std::optional<int64_t> axis_size = std::nullopt) {
  return [f = std::move(function), in_axes = std::move(in_axes), out_axes = std::move(out_axes),
          axis_size]<typename... A>
    requires internal::CallableInTrace<F, A...>
  (const A&... arguments) {
    const auto flat = internal::MakeTreeFunction(f, arguments...);
    const BatchAxes axes =
        internal::Spread("in_axes", in_axes, internal::LeafCounts(flat.arguments()));
    const std::vector<Tensor> results = internal::BatchOf(flat, flat.leaves(), axes, axis_size);
    return flat.ResultOf(internal::WithExamplesAlong(
        results, internal::Spread("out_axes", out_axes, internal::LeafCounts(flat.form()))));
  };
}

namespace internal {

template <size_t I, typename F>
auto JacobianBy(F function, bool forward) {
  return [f = std::move(function), forward]<typename... A>
    requires CallableInTrace<F, A...>
  (const A&... arguments) {
    const auto flat = MakeTreeFunction(f, arguments...);
    const std::vector<size_t> leaves = LeavesOfArgument<I>(flat.arguments());
    static_assert(std::same_as<ArgumentAt<I, A...>, Tensor>,
                  "a Jacobian is that of one tensor by another");
    return JacobianOf(flat, flat.leaves(), leaves[0], forward);
  };
}

}  // namespace internal

// The derivatives of each element of a tensor, the function's result, by each element of argument
// I, a tensor: the dimensions of the result, then those of the argument. In forward mode, which is
// better for few elements of the argument, and in reverse mode, for few of the result.
template <size_t I = 0, typename F>
auto JacFwd(F function) {
  return internal::JacobianBy<I>(std::move(function), /*forward=*/true);
}
template <size_t I = 0, typename F>
auto JacRev(F function) {
  return internal::JacobianBy<I>(std::move(function), /*forward=*/false);
}
template <size_t I = 0, typename F>
auto Jacobian(F function) {
  return JacRev<I>(std::move(function));
}
// The second derivatives of a scalar by each pair of elements of argument I.
template <size_t I = 0, typename F>
auto Hessian(F function) {
  return JacFwd<I>(JacRev<I>(std::move(function)));
}

}  // namespace acceld::client

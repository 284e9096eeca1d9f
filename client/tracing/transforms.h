#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "client/tensor.h"
#include "client/tracing/traced_callable.h"

// Functions of traced functions, as in JAX: derivatives and batches. Each takes a function of
// tensors and gives another one, which can be called in a trace, given to a Function, and
// transformed again:
//
//   const auto loss = [](const Tensor& w, const Tensor& x) { return Sum(Square(MatMul(x, w))); };
//   Function gradient(client, Grad(loss));                 // of w
//   Function each(client, Vmap(Grad(loss), {std::nullopt, 0}));  // of w, for each example of x
//
// A function may use tensors of the trace around it; with respect to those it is not
// differentiated. A wrong call, such as of Grad of a function whose result is not a scalar, becomes
// the error of the trace (tensor.h); messages begin with the name of the transformation.
//
// Use what these return only inside a traced function, on the thread that runs it.
namespace acceld::client {

namespace internal {

// Reverse mode: the values of `function` and, for each result, its gradient with respect to
// `arguments[i]` for each i of `wanted`. The function's first result must be a scalar float.
struct ValuesAndGradients {
  std::vector<Tensor> values, gradients;
};
ValuesAndGradients GradientsOf(const TracedFunction& function, const std::vector<Tensor>& arguments,
                               const std::vector<size_t>& wanted);

std::vector<Tensor> BatchOf(const TracedFunction& function, const std::vector<Tensor>& arguments,
                            const std::vector<std::optional<int64_t>>& in_axes, int64_t out_axis);

}  // namespace internal

// The gradient of a function whose result is a scalar float, with respect to one argument.
template <typename F>
auto Grad(F function, size_t argument = 0) {
  return internal::Lift<F, Tensor>(
      [f = internal::Erase(std::move(function)), argument](const std::vector<Tensor>& x) {
        return internal::GradientsOf(f, x, {argument}).gradients;
      });
}

// The same with respect to several arguments: one tensor for each, in their order.
template <typename F>
auto Grad(F function, std::vector<size_t> arguments) {
  return internal::Lift<F, std::vector<Tensor>>(
      [f = internal::Erase(std::move(function)),
       arguments = std::move(arguments)](const std::vector<Tensor>& x) {
        return internal::GradientsOf(f, x, arguments).gradients;
      });
}

// The results of the function, followed by the gradients of the first one. The others come along:
// they need not be scalars.
template <typename F>
auto ValueAndGrad(F function, std::vector<size_t> arguments = {0}) {
  return internal::Lift<F, std::vector<Tensor>>(
      [f = internal::Erase(std::move(function)),
       arguments = std::move(arguments)](const std::vector<Tensor>& x) {
        internal::ValuesAndGradients both = internal::GradientsOf(f, x, arguments);
        both.values.insert(both.values.end(), both.gradients.begin(), both.gradients.end());
        return std::move(both.values);
      });
}

// Forward mode: the results of the function and their tangents, for tangents of all arguments, each
// of which has the type of its argument. Results without derivatives, such as integers, have zeros.
struct Tangents {
  std::vector<Tensor> values, tangents;
};
Tangents Jvp(const TracedFunction& function, const std::vector<Tensor>& arguments,
             const std::vector<Tensor>& tangents);

// Reverse mode: the results of the function, and a function from cotangents of all results to those
// of the arguments. Arguments without derivatives have zeros.
struct Pullback {
  std::vector<Tensor> values;
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> pull_back;
};
Pullback Vjp(const TracedFunction& function, const std::vector<Tensor>& arguments);

// A function for many examples at once. `in_axes` says along which axis each argument has them;
// nullopt: the argument is the same for all of them. An empty list means axis 0 of all arguments.
// All results have the examples along `out_axis`.
template <typename F>
auto Vmap(F function, std::vector<std::optional<int64_t>> in_axes = {}, int64_t out_axis = 0) {
  return internal::Lift<F, internal::ResultOf<F>>(
      [f = internal::Erase(std::move(function)), in_axes = std::move(in_axes), out_axis](
          const std::vector<Tensor>& x) { return internal::BatchOf(f, x, in_axes, out_axis); });
}

}  // namespace acceld::client

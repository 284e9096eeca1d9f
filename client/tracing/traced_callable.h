#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "client/tensor.h"

// C++ callables as functions of tensors: lambdas and the like that take 1 to 15 Tensors, or one
// const std::vector<Tensor>&, and return a Tensor, an array or a vector of them.
namespace acceld::client {

// The type to which every traced function is converted: from parameters to results.
using TracedFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

namespace internal {

// Converts the result of a traced function to a vector.
inline std::vector<Tensor> ToTensors(Tensor result) { return {std::move(result)}; }
inline std::vector<Tensor> ToTensors(std::vector<Tensor> results) { return results; }
template <size_t N>
std::vector<Tensor> ToTensors(std::array<Tensor, N> results) {
  return std::vector<Tensor>(results.begin(), results.end());
}

template <size_t>
using TensorAt = const Tensor&;

// Returns whether `F` can be called with as many tensors as there are numbers I.
template <typename F, size_t... I>
constexpr bool TakesTensors(std::index_sequence<I...>) {
  return std::is_invocable_v<const F&, TensorAt<I>...>;
}
// Returns how many tensors `F` takes, at least N, or -1 if it takes one vector of tensors.
template <typename F, size_t N = 1>
constexpr int Arity() {
  if constexpr (std::is_invocable_v<const F&, const std::vector<Tensor>&>) {
    return -1;
  } else if constexpr (TakesTensors<F>(std::make_index_sequence<N>())) {
    return static_cast<int>(N);
  } else {
    static_assert(N < 16, "a traced function takes 1 to 15 tensors or one std::vector<Tensor>");
    return Arity<F, N + 1>();
  }
}

// Calls `f` with the elements of `arguments` as separate arguments.
template <typename F, size_t... I>
auto Apply(const F& f, const std::vector<Tensor>& arguments, std::index_sequence<I...>) {
  return f(arguments[I]...);
}
template <typename F>
auto ApplyAll(const F& f, const std::vector<Tensor>& arguments) {
  constexpr int kArity = Arity<F>();
  if constexpr (kArity < 0) {
    return f(arguments);
  } else {
    return Apply(f, arguments, std::make_index_sequence<kArity>());
  }
}

template <typename F>
TracedFunction Erase(F callable) {
  return [callable = std::move(callable)](const std::vector<Tensor>& arguments) {
    return ToTensors(ApplyAll(callable, arguments));
  };
}

// Tensor if `F` returns one, else std::vector<Tensor>.
template <typename F>
using ResultOf = std::conditional_t<
    std::is_convertible_v<decltype(ApplyAll(std::declval<const F&>(), {})), Tensor>, Tensor,
    std::vector<Tensor>>;

// A function of as many tensors as another one: kArity of them, or one vector if that is -1.
template <int kArity, typename Result>
class Lifted {
 public:
  explicit Lifted(TracedFunction function) : function_(std::move(function)) {}

  template <typename... T>
    requires(sizeof...(T) == static_cast<size_t>(kArity) &&
             (std::convertible_to<const T&, Tensor> && ...))
  Result operator()(const T&... arguments) const {
    return ToResult(function_({Tensor(arguments)...}));
  }

 private:
  static Result ToResult(std::vector<Tensor> results) {
    if constexpr (std::is_same_v<Result, Tensor>) {
      return std::move(results.front());
    } else {
      return results;
    }
  }
  TracedFunction function_;
};

template <typename Result>
class Lifted<-1, Result> {
 public:
  explicit Lifted(TracedFunction function) : function_(std::move(function)) {}
  Result operator()(const std::vector<Tensor>& arguments) const {
    if constexpr (std::is_same_v<Result, Tensor>) {
      return std::move(function_(arguments).front());
    } else {
      return function_(arguments);
    }
  }

 private:
  TracedFunction function_;
};

template <typename F, typename Result>
auto Lift(TracedFunction function) {
  return Lifted<Arity<F>(), Result>(std::move(function));
}

}  // namespace internal

}  // namespace acceld::client

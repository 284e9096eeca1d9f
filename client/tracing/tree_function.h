#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "client/tracing/tensor.h"
#include "client/tracing/tree.h"

// Functions of trees as functions of their leaves, which is what is traced.
namespace acceld::client {

// From leaves of the arguments to leaves of the result.
using TracedFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

namespace internal {

// The tree that stands for an argument: numbers are tensors.
template <typename A>
using ArgumentOf = std::conditional_t<std::is_arithmetic_v<A>, Tensor, A>;

// What the function itself receives: the value of a Static, and everything else as it is.
template <typename A>
const A& Unwrap(const A& argument) {
  return argument;
}
template <typename T>
const T& Unwrap(const Static<T>& argument) {
  return argument.value;
}

// Whether `A` can be passed to a function inside a trace.
template <typename A>
inline constexpr bool kIsTensorArgument = [] {
  if constexpr (Tree<A>) {
    return std::is_void_v<LeafOf<A>> || std::same_as<LeafOf<A>, Tensor>;
  } else {
    return std::is_arithmetic_v<A>;
  }
}();
// Whether `F` can be called inside a trace with these arguments.
template <typename F, typename... A>
concept CallableInTrace =
    (kIsTensorArgument<A> && ...) &&
    std::invocable<const F&, decltype(Unwrap(std::declval<const ArgumentOf<A>&>()))...>;

// The tree that `F` returns for arguments that are trees.
template <typename F, typename... A>
using TreeResultOf = std::remove_cvref_t<
    std::invoke_result_t<const F&, decltype(Unwrap(std::declval<const A&>()))...>>;

// Calls `f` with the elements of a tuple.
template <typename F, typename... A>
decltype(auto) ApplyTree(const F& f, const std::tuple<A...>& arguments) {
  return std::apply([&](const A&... a) -> decltype(auto) { return f(Unwrap(a)...); }, arguments);
}

// The leaves in the form of `like`. If there are not as many, something has failed: then all leaves
// are the first of them.
template <Tree T>
T TreeOf(const T& like, const std::vector<Tensor>& leaves) {
  const size_t count = NumLeaves(like);
  if (leaves.size() == count) return Unflatten<Tensor>(like, absl::MakeConstSpan(leaves));
  const std::vector<Tensor> failed(count, leaves.empty() ? Tensor() : leaves[0]);
  return Unflatten<Tensor>(like, absl::MakeConstSpan(failed));
}

// The form of a tree of tensors, as the same tree of types; kept where the tree's type is not
// known.
using Form = std::shared_ptr<const void>;
using MakeForm = std::function<Form()>;
template <Tree T>
Form FormOf(const T& tree) {
  return std::make_shared<const Rebind<T, ir::TensorType>>(
      MapLeaves<ir::TensorType>(tree, [](const Tensor& leaf) { return leaf.type(); }));
}
// The leaves in a form that FormOf<T> gave.
template <Tree T, Leaf L>
Rebind<T, L> TreeOfForm(const void* form, const std::vector<L>& leaves) {
  return Unflatten<L>(*static_cast<const Rebind<T, ir::TensorType>*>(form),
                      absl::MakeConstSpan(leaves));
}

// A function of trees of the form of `arguments`, as one of leaves. It may be called any number of
// times; copies share what they learn of the result's form.
template <typename F, Tree... A>
class TreeFunction {
 public:
  using Result = TreeResultOf<F, A...>;
  static_assert(Tree<Result>,
                "a traced function returns a Tensor, or a tree of them (client/tracing/tree.h)");

  TreeFunction(F function, std::tuple<A...> arguments)
      : function_(std::move(function)),
        arguments_(std::move(arguments)),
        result_(std::make_shared<std::optional<Result>>()) {}

  std::vector<Tensor> operator()(const std::vector<Tensor>& leaves) const {
    *result_ = ApplyTree(function_, TreeOf(arguments_, leaves));
    return Flatten(**result_);
  }

  const std::tuple<A...>& arguments() const { return arguments_; }
  std::vector<Tensor> leaves() const { return Flatten(arguments_); }
  // The result's form. The function must have been called; if it was not, as nothing is traced on
  // this thread, it is now.
  const Result& form() const {
    if (!result_->has_value()) *result_ = ApplyTree(function_, arguments_);
    return **result_;
  }
  Result ResultOf(const std::vector<Tensor>& leaves) const { return TreeOf(form(), leaves); }

 private:
  F function_;
  std::tuple<A...> arguments_;
  std::shared_ptr<std::optional<Result>> result_;
};

template <typename F, typename... A>
auto MakeTreeFunction(const F& function, const A&... arguments) {
  return TreeFunction<F, ArgumentOf<A>...>(function, std::tuple<ArgumentOf<A>...>(arguments...));
}

// The numbers of the leaves that belong to argument `I`, of all leaves of the arguments.
template <size_t I, typename... A>
std::vector<size_t> LeavesOfArgument(const std::tuple<A...>& arguments) {
  const std::vector<size_t> counts =
      std::apply([](const A&... a) { return std::vector<size_t>{NumLeaves(a)...}; }, arguments);
  size_t first = 0;
  for (size_t i = 0; i < I; ++i) first += counts[i];
  std::vector<size_t> numbers;
  for (size_t i = 0; i < counts[I]; ++i) numbers.push_back(first + i);
  return numbers;
}

}  // namespace internal

}  // namespace acceld::client

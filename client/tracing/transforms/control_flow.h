#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "client/tracing/tensor.h"
#include "client/tracing/tree.h"
#include "client/tracing/tree_function.h"

// Loops and branches in traced functions, as in JAX's lax. The functions are traced once, as parts
// of the trace around them, whose tensors they may use. What a loop carries is a tree (tree.h),
// whose leaves keep their types.
//
// A wrong call becomes the error of the trace (tensor.h); messages begin with the name below.
namespace acceld::client {

struct ScanOptions {
  // The number of steps; needed only if there are no inputs.
  std::optional<int64_t> length = std::nullopt;
  // From the last step to the first.
  bool reverse = false;
};

namespace internal {

std::vector<Tensor> WhileLoopOf(const TracedFunction& condition, const TracedFunction& body,
                                const std::vector<Tensor>& initial);
std::vector<Tensor> ForiLoopOf(
    const Tensor& lower, const Tensor& upper,
    const std::function<std::vector<Tensor>(const Tensor&, const std::vector<Tensor>&)>& body,
    const std::vector<Tensor>& initial);
// `step` takes the carried values, then a slice of each input, and gives the carried values, then
// the outputs. The results are the last carried values, then the outputs of all steps.
std::vector<Tensor> ScanOf(const TracedFunction& step, const std::vector<Tensor>& initial,
                           const std::vector<Tensor>& inputs, const ScanOptions& options);
std::vector<Tensor> CondOf(const Tensor& predicate, const TracedFunction& if_true,
                           const TracedFunction& if_false, const std::vector<Tensor>& operands);
std::vector<Tensor> SwitchOf(const Tensor& index, const std::vector<TracedFunction>& branches,
                             const std::vector<Tensor>& operands);
std::vector<Tensor> AssociativeScanOf(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&,
                                            const std::vector<Tensor>&)>& combine,
    const std::vector<Tensor>& elements, int64_t axis, bool reverse);

}  // namespace internal

// Repeats `body`, from a value to the next one, as long as `condition` of the value, a scalar of
// type i1, is true.
template <typename C, typename B, typename T>
auto WhileLoop(const C& condition, const B& body, const T& initial) {
  const auto test = internal::MakeTreeFunction(condition, initial);
  const auto step = internal::MakeTreeFunction(body, initial);
  return internal::TreeOf(std::get<0>(step.arguments()),
                          internal::WhileLoopOf(test, step, step.leaves()));
}

// The value after body(i, value) for each i, a scalar of type i32, from `lower` to `upper`
// (exclusive). If these are numbers, the loop is differentiated in reverse mode, too.
template <typename B, typename T>
auto ForiLoop(const Operand& lower, const Operand& upper, const B& body, const T& initial) {
  const internal::ArgumentOf<T> form = initial;
  const auto flat = [&](const Tensor& i, const std::vector<Tensor>& leaves) {
    return Flatten(body(i, internal::TreeOf(form, leaves)));
  };
  return internal::TreeOf(form, internal::ForiLoopOf(lower, upper, flat, Flatten(form)));
}

// Goes through the first dimension of the leaves of `inputs`: step(carried, slice) gives a pair,
// the next carried value and an output. Returns the last carried value, and the outputs of all
// steps along a new first dimension.
template <typename F, typename T, Tree X>
auto Scan(const F& step, const T& initial, const X& inputs, const ScanOptions& options = {}) {
  const auto flat = internal::MakeTreeFunction(step, initial, inputs);
  return flat.ResultOf(
      internal::ScanOf(flat, Flatten(std::get<0>(flat.arguments())), Flatten(inputs), options));
}

// The same without inputs, for options.length steps: step(carried) gives a pair.
template <typename F, typename T>
auto Scan(const F& step, const T& initial, std::nullopt_t, const ScanOptions& options) {
  const auto flat = internal::MakeTreeFunction(step, initial);
  return flat.ResultOf(internal::ScanOf(flat, flat.leaves(), {}, options));
}

// f of each slice of the inputs along their first dimension, one after the other.
template <typename F, Tree X>
auto Map(const F& f, const X& inputs) {
  const auto step = [&](const std::tuple<>&, const X& slice) {
    return std::pair(std::tuple<>(), f(slice));
  };
  return Scan(step, std::tuple<>(), inputs).second;
}

// One of two functions of `operands`, chosen by a scalar of type i1.
template <typename T, typename F, typename... A>
auto Cond(const Operand& predicate, const T& if_true, const F& if_false, const A&... operands) {
  const auto yes = internal::MakeTreeFunction(if_true, operands...);
  const auto no = internal::MakeTreeFunction(if_false, operands...);
  return yes.ResultOf(internal::CondOf(predicate, yes, no, yes.leaves()));
}

// One of several functions of `operands`, by a scalar of type i32; an index beyond the functions is
// moved to the nearest. All of them return trees of one type: Switch(i, std::tuple(f, g, h), x).
template <typename... F, typename... A>
auto Switch(const Operand& index, const std::tuple<F...>& branches, const A&... operands) {
  static_assert(sizeof...(F) > 0, "a Switch has at least one branch");
  return std::apply(
      [&](const auto& first, const auto&... rest) {
        const auto flat = internal::MakeTreeFunction(first, operands...);
        return flat.ResultOf(internal::SwitchOf(
            index, {flat, internal::MakeTreeFunction(rest, operands...)...}, flat.leaves()));
      },
      branches);
}

// The combinations of all elements up to each one along `axis`, of a tree whose leaves have the
// same size along it. `combine`, of two trees, must be associative and work on many elements at
// once. Source: Blelloch, "Prefix Sums and Their Applications" (1990).
template <typename F, Tree T>
T AssociativeScan(const F& combine, const T& elements, int64_t axis = 0, bool reverse = false) {
  const auto flat = [&](const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    return Flatten(combine(internal::TreeOf(elements, a), internal::TreeOf(elements, b)));
  };
  return internal::TreeOf(elements,
                          internal::AssociativeScanOf(flat, Flatten(elements), axis, reverse));
}

}  // namespace acceld::client

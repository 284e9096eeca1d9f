#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "client/array.h"
#include "client/client.h"
#include "client/program.h"
#include "client/tracing/tree.h"
#include "client/tracing/tree_function.h"
#include "common/status.h"

// Functions of trees that are written once in C++ and run on the daemon, as in JAX:
//
//   const auto selu = Jit(client, [](const Tensor& x) {
//     return 1.0507 * Where(x > 0, x, 1.6733 * (Exp(x) - 1));
//   });
//   absl::StatusOr<Array> y = selu(x);
namespace acceld::client {

struct JitOptions {
  // Of the function, in messages, in the program and in the daemon's lists.
  std::string name = "main";
  // The numbers of the arguments whose arrays every call gives up (Client::Execute): the results
  // may use their memory.
  std::vector<size_t> donate = {};
};

// How a call is executed. Without `device`, on that of the first array, or else the client's.
struct CallOptions {
  std::optional<uint32_t> device = std::nullopt;
  ExecuteOptions execute = {};
};

namespace internal {

// The traces of one function: a program for each combination of argument types, static values and
// forms of trees. Thread-safe.
class JitCache : public std::enable_shared_from_this<JitCache> {
 public:
  JitCache(std::shared_ptr<Client> client, JitOptions options);
  ~JitCache();

  // A trace, and the form of its result, whose type the caller knows.
  struct Entry;
  // Returns the trace for arguments of these types, of trees with this structure. The first time it
  // traces `function`, and then calls `make_form`.
  absl::StatusOr<std::shared_ptr<const Entry>> Find(const std::string& structure,
                                                    absl::Span<const ir::TensorType> types,
                                                    const TracedFunction& function,
                                                    const MakeForm& make_form) const;
  static const void* FormOf(const Entry& entry);
  static const Program& ProgramOf(const Entry& entry);
  // Submits an execution. `counts` has the number of leaves of each argument.
  absl::StatusOr<std::vector<Array>> Execute(const Entry& entry, absl::Span<const Array> arguments,
                                             absl::Span<const size_t> counts,
                                             const CallOptions& options) const;
  // Calls the function inside a trace, as a function of its own, which is traced once for each
  // combination as above. Returns the leaves of the result, and its form.
  std::pair<std::vector<Tensor>, Form> Call(const std::string& structure,
                                            const TracedFunction& function,
                                            const MakeForm& make_form,
                                            const std::vector<Tensor>& arguments) const;
  // Returns the types of arrays, or INVALID_ARGUMENT if one is empty.
  absl::StatusOr<std::vector<ir::TensorType>> TypesOf(absl::Span<const Array> arrays) const;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

// Whether `A` is a tree with leaves of this type, or without any, as a Static is.
template <typename A, typename L>
inline constexpr bool kHasLeaves = [] {
  if constexpr (Tree<A>) {
    return std::is_void_v<LeafOf<A>> || std::same_as<LeafOf<A>, L>;
  } else {
    return false;
  }
}();

}  // namespace internal

// A function that is traced, compiled and run on the daemon of its client, which it keeps alive.
// Copies share their traces. It may be called by several threads; the C++ function itself is never
// called by two threads at once. The operations that it performs must depend only on the types of
// its arguments, on the forms of trees and on static values.
//
// Inside a trace it can be called, too. Then it is a function of the program, which is compiled
// once however often it is called.
template <typename F>
class Function {
 public:
  Function(std::shared_ptr<Client> client, F function, JitOptions options = {})
      : function_(std::move(function)),
        cache_(std::make_shared<internal::JitCache>(std::move(client), std::move(options))) {}
  Function(std::shared_ptr<Client> client, F function, std::string name)
      : Function(std::move(client), std::move(function), JitOptions{.name = std::move(name)}) {}

  // Submits an execution on trees of arrays, and returns its result, a tree of arrays, without
  // waiting for it. Runs on the device of the first array, or on the client's. Errors: those of
  // tracing for these types, and those of Client::Execute.
  template <typename... A>
    requires(internal::kHasLeaves<A, Array> && ...)
  auto operator()(const A&... arguments) const
      -> absl::StatusOr<Rebind<internal::TreeResultOf<F, Rebind<A, Tensor>...>, Array>> {
    using Result = internal::TreeResultOf<F, Rebind<A, Tensor>...>;
    const std::tuple<A...> all(arguments...);
    const std::vector<Array> leaves = LeavesOf<Array>(all);
    ACCELD_ASSIGN_OR_RETURN(const std::vector<ir::TensorType> types, cache_->TypesOf(leaves));
    ACCELD_ASSIGN_OR_RETURN(const auto entry, Find(all, types));
    const std::vector<size_t> counts = {NumLeaves(arguments)...};
    ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> results,
                            cache_->Execute(*entry, leaves, counts, options_));
    return internal::TreeOfForm<Result>(internal::JitCache::FormOf(*entry), results);
  }

  // Calls the function inside a trace.
  template <typename... A>
    requires(sizeof...(A) > 0 && internal::CallableInTrace<F, A...> &&
             !(internal::kHasLeaves<A, Array> && ...))
  auto operator()(const A&... arguments) const {
    const auto flat = internal::MakeTreeFunction(function_, arguments...);
    using Result = typename decltype(flat)::Result;
    const auto [leaves, form] = cache_->Call(
        StructureOf(flat.arguments()), flat, [&] { return internal::FormOf(flat.form()); },
        flat.leaves());
    if (form == nullptr) return flat.ResultOf(leaves);  // An error, which the trace has.
    return internal::TreeOfForm<Result>(form.get(), leaves);
  }

  // The same function, whose calls on the daemon have these options.
  Function With(CallOptions options) const {
    Function other = *this;
    other.options_ = std::move(options);
    return other;
  }

  // Traces the function for arguments of these types, trees of ir::TensorType, and returns the
  // program; Trace(...)->ToText() prints it.
  template <typename... A>
    requires(internal::kHasLeaves<A, ir::TensorType> && ...)
  absl::StatusOr<Program> Trace(const A&... types) const {
    const std::tuple<A...> all(types...);
    const std::vector<ir::TensorType> leaves = LeavesOf<ir::TensorType>(all);
    ACCELD_ASSIGN_OR_RETURN(const auto entry, Find(all, leaves));
    return internal::JitCache::ProgramOf(*entry);
  }

 private:
  template <typename L, typename T>
  static std::vector<L> LeavesOf(const T& tree) {
    std::vector<L> leaves;
    internal::TreeTraits<T>::Visit(tree, [&](const L& leaf) { leaves.push_back(leaf); });
    return leaves;
  }

  template <typename... A>
  absl::StatusOr<std::shared_ptr<const internal::JitCache::Entry>> Find(
      const std::tuple<A...>& arguments, const std::vector<ir::TensorType>& types) const {
    using Flat = internal::TreeFunction<F, Rebind<A, Tensor>...>;
    // The arguments' form, of plain numbers, is made only for a trace.
    std::optional<Flat> flat;
    const TracedFunction traced = [&](const std::vector<Tensor>& leaves) {
      flat.emplace(function_, MapLeaves<Tensor>(arguments, [](const auto&) { return Tensor(); }));
      return (*flat)(leaves);
    };
    return cache_->Find(StructureOf(arguments), types, traced,
                        [&] { return internal::FormOf(flat->form()); });
  }

  F function_;
  std::shared_ptr<const internal::JitCache> cache_;  // Shared by copies.
  CallOptions options_;
};

template <typename F>
auto Jit(std::shared_ptr<Client> client, F function, JitOptions options = {}) {
  return Function<F>(std::move(client), std::move(function), std::move(options));
}
// For calls inside traces only: the program calls the function instead of having a copy of it for
// each call.
template <typename F>
auto Jit(F function, JitOptions options = {}) {
  return Function<F>(nullptr, std::move(function), std::move(options));
}

}  // namespace acceld::client

#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "client/array.h"
#include "client/client.h"
#include "client/program.h"
#include "client/tensor.h"
#include "client/tracing/traced_callable.h"
#include "common/status.h"

// Functions that are written once in C++ and run on the daemon:
//
//   Function selu(client, [](const Tensor& x) {
//     return 1.0507 * Where(x > 0, x, 1.6733 * (Exp(x) - 1));
//   });
//   absl::StatusOr<Array> y = selu.Call(x);
//
// A Function is traced at its first call with each combination of argument types, and the trace is
// reused by later calls. The daemon compiles each trace once for all clients.
namespace acceld::client {

// Traces `function` with symbolic arguments of these types and returns the program. The first error
// of an operation in it becomes the status. Exceptions of `function` propagate. `callbacks`
// receives the callbacks that the program calls by CallHost, for ExecuteOptions::callbacks; if it
// is nullptr, a function that calls CallHost is INVALID_ARGUMENT.
absl::StatusOr<Program> Trace(const std::string& name, const TracedFunction& function,
                              absl::Span<const ir::TensorType> arguments,
                              HostCallbacks* callbacks = nullptr);

// A C++ function that is traced, compiled and run on the daemon of its client, which it keeps
// alive. Copies share their traces. Thread-safe.
class Function {
 public:
  // `callable` takes 1 to 15 Tensors, or one const std::vector<Tensor>&, and returns a Tensor, an
  // array or a vector of them. It may be called several times, but never by two threads at once.
  // The operations it performs must depend only on the types of its arguments.
  template <typename F>
  Function(std::shared_ptr<Client> client, F callable, std::string name = "main")
      : Function(std::move(client), internal::Erase(std::move(callable)), internal::Arity<F>(),
                 std::move(name)) {}

  // Submits an execution and returns its results without waiting for them. Without `device`, runs
  // on the device of the first argument. Errors: those of tracing with these argument types, and
  // those of Client::Execute.
  absl::StatusOr<std::vector<Array>> CallAll(absl::Span<const Array> arguments) const;
  absl::StatusOr<std::vector<Array>> CallAll(absl::Span<const Array> arguments,
                                             uint32_t device) const;

  // Like CallAll, for functions with exactly one result; FAILED_PRECONDITION if there are more.
  template <typename... Arrays>
  absl::StatusOr<Array> Call(const Arrays&... arguments) const {
    const std::array<Array, sizeof...(Arrays)> list{arguments...};
    return CallOne(list);
  }

  // Returns the program for these argument types, and traces the function first if necessary.
  absl::StatusOr<Program> ProgramFor(absl::Span<const ir::TensorType> arguments) const;

 private:
  struct State;
  Function(std::shared_ptr<Client> client, TracedFunction function, int arity, std::string name);
  absl::StatusOr<Array> CallOne(absl::Span<const Array> arguments) const;

  std::shared_ptr<State> state_;  // Shared by copies; holds the traces.
};

}  // namespace acceld::client

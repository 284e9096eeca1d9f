#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "client/tracing.h"
#include "client/tracing/tracer.h"
#include "common/ir/calls/call_graph.h"
#include "common/threads/mutex.h"

namespace acceld::client {

absl::StatusOr<Program> Trace(const std::string& name, const TracedFunction& function,
                              absl::Span<const ir::TensorType> arguments,
                              HostCallbacks* callbacks) {
  const std::shared_ptr<Tracer> tracer = Tracer::Open("main");
  std::vector<Tensor> parameters;
  for (const ir::TensorType& type : arguments) {
    ACCELD_RETURN_IF_ERROR(ir::ValidateType(type));
    if (!type.IsStatic()) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": argument ", parameters.size(), " is ",
                                                     type.ToString(),
                                                     "; functions are traced for static shapes"));
    }
    parameters.push_back(tracer->Parameter(type));
  }
  const std::vector<Tensor> results = function(parameters);
  absl::StatusOr<std::vector<ir::ValueId>> values = tracer->Values(results);
  ACCELD_RETURN_IF_ERROR(Annotate(tracer->status(), name));
  if (!values.ok()) return Annotate(values.status(), name);
  if (callbacks != nullptr) {
    *callbacks = tracer->callbacks();
  } else if (!tracer->callbacks().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": it calls its host, and nobody takes its callbacks"));
  }
  ir::Module module = std::move(tracer->module());
  module.name = name;
  module.functions.push_back(tracer->builder().Finish(*std::move(values)));
  ir::DropUnreachable(module, "main");
  return Program::FromModule(std::move(module), "main");
}

struct Function::State {
  std::shared_ptr<Client> client;
  TracedFunction function;
  int arity;  // -1: any number.
  std::string name;
  // The trace for one combination of argument types.
  struct Traced {
    Program program;
    HostCallbacks callbacks;
  };
  Mutex mutex;
  absl::flat_hash_map<std::vector<ir::TensorType>, Traced> traces ABSL_GUARDED_BY(mutex);

  // Returns the trace for these argument types, and makes it if necessary.
  absl::StatusOr<Traced> Find(absl::Span<const ir::TensorType> arguments);
};

Function::Function(std::shared_ptr<Client> client, TracedFunction function, int arity,
                   std::string name)
    : state_(new State{std::move(client), std::move(function), arity, std::move(name)}) {}

absl::StatusOr<Function::State::Traced> Function::State::Find(
    absl::Span<const ir::TensorType> arguments) {
  if (arity >= 0 && arguments.size() != static_cast<size_t>(arity)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " takes ", arity, " arguments and was given ", arguments.size()));
  }
  std::vector<ir::TensorType> key(arguments.begin(), arguments.end());
  MutexLock lock(mutex);
  auto found = traces.find(key);
  if (found != traces.end()) return found->second;
  HostCallbacks callbacks;
  ACCELD_ASSIGN_OR_RETURN(Program program, Trace(name, function, arguments, &callbacks));
  return traces.emplace(std::move(key), Traced{std::move(program), std::move(callbacks)})
      .first->second;
}

absl::StatusOr<Program> Function::ProgramFor(absl::Span<const ir::TensorType> arguments) const {
  ACCELD_ASSIGN_OR_RETURN(State::Traced traced, state_->Find(arguments));
  return std::move(traced.program);
}

absl::StatusOr<std::vector<Array>> Function::CallAll(absl::Span<const Array> arguments) const {
  const bool has_device = !arguments.empty() && arguments[0].valid();
  return CallAll(arguments, has_device ? arguments[0].device() : state_->client->device());
}

absl::StatusOr<std::vector<Array>> Function::CallAll(absl::Span<const Array> arguments,
                                                     uint32_t device) const {
  std::vector<ir::TensorType> types;
  types.reserve(arguments.size());
  for (const Array& argument : arguments) {
    if (!argument.valid()) {
      return absl::InvalidArgumentError(
          absl::StrCat(state_->name, ": argument ", types.size(), " is an empty Array"));
    }
    types.push_back(argument.type());
  }
  ACCELD_ASSIGN_OR_RETURN(State::Traced traced, state_->Find(types));
  ExecuteOptions options;
  options.callbacks = std::move(traced.callbacks);
  return state_->client->Execute(traced.program, arguments, device, options);
}

absl::StatusOr<Array> Function::CallOne(absl::Span<const Array> arguments) const {
  ACCELD_ASSIGN_OR_RETURN(std::vector<Array> results, CallAll(arguments));
  if (results.size() != 1) {
    return absl::FailedPreconditionError(
        absl::StrCat(state_->name, " has ", results.size(), " results; use CallAll"));
  }
  return std::move(results[0]);
}

}  // namespace acceld::client

#include "client/tracing/function.h"

#include <algorithm>
#include <thread>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "client/tracing/inner_function.h"
#include "client/tracing/trace.h"
#include "client/tracing/tracer.h"
#include "common/ir/transform/copy_function.h"
#include "common/threads/mutex.h"

namespace acceld::client::internal {

struct JitCache::Entry {
  Program program;
  HostCallbacks callbacks;
  Form form;
};

struct JitCache::State {
  std::shared_ptr<Client> client;  // nullptr: for calls inside traces only
  JitOptions options;
  // Held while the function is traced, so that no two threads call it. Acquired before `mutex`.
  Mutex tracing;
  Mutex mutex;
  // The thread that traces the function, if one does.
  std::thread::id tracer ABSL_GUARDED_BY(mutex);
  absl::flat_hash_map<std::pair<std::string, std::vector<ir::TensorType>>,
                      std::shared_ptr<const Entry>>
      entries ABSL_GUARDED_BY(mutex);
};

JitCache::JitCache(std::shared_ptr<Client> client, JitOptions options)
    : state_(new State{std::move(client), std::move(options)}) {}
JitCache::~JitCache() = default;

const void* JitCache::FormOf(const Entry& entry) { return entry.form.get(); }
const Program& JitCache::ProgramOf(const Entry& entry) { return entry.program; }

absl::StatusOr<std::vector<ir::TensorType>> JitCache::TypesOf(
    absl::Span<const Array> arrays) const {
  std::vector<ir::TensorType> types;
  types.reserve(arrays.size());
  for (const Array& array : arrays) {
    if (!array.valid()) {
      return absl::InvalidArgumentError(
          absl::StrCat(state_->options.name, ": argument ", types.size(), " is an empty Array"));
    }
    types.push_back(array.type());
  }
  return types;
}

absl::StatusOr<std::shared_ptr<const JitCache::Entry>> JitCache::Find(
    const std::string& structure, absl::Span<const ir::TensorType> types,
    const TracedFunction& function, const MakeForm& make_form) const {
  std::pair<std::string, std::vector<ir::TensorType>> key(structure, {types.begin(), types.end()});
  State& state = *state_;
  // Returns the trace if there is one, nullptr if not.
  const auto find = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(state.mutex) {
    const auto found = state.entries.find(key);
    return found == state.entries.end() ? nullptr : found->second;
  };
  {
    const MutexLock lock(state.mutex);
    if (auto entry = find(); entry != nullptr) return entry;
    if (state.tracer == std::this_thread::get_id()) {
      return absl::FailedPreconditionError(absl::StrCat(
          state.options.name, ": the function calls itself on the daemon while it is traced"));
    }
  }
  const MutexLock tracing(state.tracing);
  {
    const MutexLock lock(state.mutex);
    if (auto entry = find(); entry != nullptr) return entry;
    state.tracer = std::this_thread::get_id();
  }
  const absl::Cleanup traced = [&] {
    const MutexLock lock(state.mutex);
    state.tracer = std::thread::id();
  };
  HostCallbacks callbacks;
  ACCELD_ASSIGN_OR_RETURN(Program program, Trace(state.options.name, function, types, &callbacks));
  auto entry =
      std::make_shared<const Entry>(Entry{std::move(program), std::move(callbacks), make_form()});
  const MutexLock lock(state.mutex);
  state.entries.emplace(std::move(key), entry);
  return entry;
}

absl::StatusOr<std::vector<Array>> JitCache::Execute(const Entry& entry,
                                                     absl::Span<const Array> arguments,
                                                     absl::Span<const size_t> counts,
                                                     const CallOptions& options) const {
  const std::string& name = state_->options.name;
  if (state_->client == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, ": it has no client; Jit(client, f) makes functions of arrays"));
  }
  ExecuteOptions execute = options.execute;
  execute.callbacks = entry.callbacks;
  for (const size_t argument : state_->options.donate) {
    if (argument >= counts.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, ": argument ", argument, " is to be donated, and there are ", counts.size()));
    }
    size_t leaf = 0;
    for (size_t i = 0; i < argument; ++i) leaf += counts[i];
    for (size_t i = 0; i < counts[argument]; ++i, ++leaf) {
      execute.donated.push_back(static_cast<uint32_t>(leaf));
    }
  }
  const uint32_t device = options.device.has_value() ? *options.device
                          : arguments.empty()        ? state_->client->device()
                                                     : arguments[0].device();
  return state_->client->Execute(entry.program, arguments, device, execute);
}

std::pair<std::vector<Tensor>, Form> JitCache::Call(const std::string& structure,
                                                    const TracedFunction& function,
                                                    const MakeForm& make_form,
                                                    const std::vector<Tensor>& arguments) const {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return {function(arguments), make_form()};
  const std::string& name = state_->options.name;
  const std::vector<Tensor> given = InTrace(*tracer, arguments);
  const std::vector<ir::TensorType> types = client::TypesOf(given);
  const std::string key =
      absl::StrCat(absl::Hex(reinterpret_cast<uintptr_t>(this)), ":", structure, TypesText(types));
  auto& callees = tracer->callees();
  auto found = callees.find(key);
  std::vector<Tensor> operands = given;
  Tracer::Callee callee;
  if (found != callees.end()) {
    callee = found->second;
  } else {
    const InnerFunction inner(name, function, tracer, types);
    if (!inner.ok()) return {{inner.Fail("the function failed")}, nullptr};
    callee = {
        .name = ir::AddFunction(tracer->module(), inner.function(), name == "main" ? "jit" : name),
        .form = make_form(),
        .owner = shared_from_this()};
    operands.insert(operands.end(), inner.captures().begin(), inner.captures().end());
    // What it captures may be something else at the next call.
    if (inner.captures().empty()) callees.emplace(key, callee);
  }
  absl::StatusOr<std::vector<ir::ValueId>> values = tracer->Values(operands);
  if (!values.ok()) return {{tracer->Fail(Annotate(values.status(), name))}, nullptr};
  const std::vector<ir::Type> result_types = tracer->module().Find(callee.name)->ResultTypes();
  return {Made(*tracer, tracer->builder().AddUnchecked(ir::OpKind::kCall, *std::move(values),
                                                       ir::CallAttributes{{callee.name}}, {},
                                                       result_types, tracer->location())),
          callee.form};
}

}  // namespace acceld::client::internal

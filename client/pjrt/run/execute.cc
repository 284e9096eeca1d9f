#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "client/pjrt/compile/executable.h"
#include "client/pjrt/devices/client.h"
#include "client/pjrt/devices/fork.h"
#include "client/pjrt/event.h"
#include "client/pjrt/functions.h"
#include "client/pjrt/run/thread_options.h"
#include "client/pjrt/transfer/buffer.h"

namespace acceld::pjrt {
namespace {

using client::Array;

// Checks for mistakes of the caller. Everything else that prevents an execution becomes the value
// of its results, as failures during the execution do.
absl::Status Check(const PJRT_LoadedExecutable_Execute_Args& args) {
  const CompiledProgram& compiled = *args.executable->compiled;
  if (args.executable->deleted) {
    return absl::FailedPreconditionError(
        absl::StrCat("the executable '", compiled.name, "' has been deleted"));
  }
  if (args.num_devices != 1) {
    return absl::InvalidArgumentError(absl::StrCat("'", compiled.name, "' runs on one device; ",
                                                   args.num_devices, " were given"));
  }
  if (args.options->num_send_ops != 0 || args.options->num_recv_ops != 0) {
    return absl::UnimplementedError(
        absl::StrCat("'", compiled.name, "': acceld has no send and recv callbacks"));
  }
  for (size_t i = 0; i < args.num_args; ++i) {
    PJRT_Buffer& argument = *args.argument_lists[0][i];
    if (!argument.IsDeleted()) continue;
    return Annotate(argument.array().status(), absl::StrCat("'", compiled.name, "': argument ", i));
  }
  return absl::OkStatus();
}

// Returns the numbers of the arguments that this execution consumes.
std::vector<uint32_t> Donated(const CompiledProgram& compiled, const PJRT_ExecuteOptions& options) {
  std::vector<uint32_t> donated;
  const absl::Span<const int64_t> kept(options.non_donatable_input_indices,
                                       options.num_non_donatable_input_indices);
  for (const uint32_t parameter : compiled.donated) {
    if (std::find(kept.begin(), kept.end(), parameter) == kept.end()) donated.push_back(parameter);
  }
  return donated;
}

// An execution that was submitted to the daemon.
struct Submitted {
  std::vector<Array> results;
  // For a program with host callbacks: completes when the execution has ended, which the results
  // (there may be none) do not show. Not valid for other programs.
  acceld::Event end;
};

// Submits the execution, and deletes the buffers of the arguments that are donated.
absl::StatusOr<Submitted> Submit(const PJRT_LoadedExecutable_Execute_Args& args,
                                 const PJRT_Device& device) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  const CompiledProgram& compiled = *args.executable->compiled;
  PJRT_Buffer* const* const buffers = args.num_args == 0 ? nullptr : args.argument_lists[0];
  absl::InlinedVector<Array, 8> arguments;
  for (size_t i = 0; i < args.num_args; ++i) {
    ACCELD_ASSIGN_OR_RETURN(Array array, buffers[i]->array());
    arguments.push_back(std::move(array));
  }
  Submitted submitted;
  client::ExecuteOptions options{.timeout = CurrentThreadOptions().timeout,
                                 .priority = CurrentThreadOptions().priority,
                                 .donated = Donated(compiled, *args.options)};
  if (!compiled.program.host_callbacks().empty()) {
    auto promise = std::make_shared<Promise<Unit>>();
    submitted.end = promise->future();
    options.callbacks = args.executable->callbacks;
    options.on_end = [promise](const absl::Status& status) {
      promise->Set(status.ok() ? absl::StatusOr<Unit>(Unit{}) : absl::StatusOr<Unit>(status));
    };
  }
  ACCELD_ASSIGN_OR_RETURN(submitted.results,
                          args.executable->client->session->Execute(compiled.program, arguments,
                                                                    device.daemon_id, options));
  for (const uint32_t i : options.donated) buffers[i]->Delete();
  return submitted;
}

PJRT_Event* EndOf(const Submitted& submitted, PJRT_Client& client) {
  if (submitted.end.valid()) return new PJRT_Event{submitted.end};
  if (submitted.results.empty()) return CompletedEvent(absl::OkStatus());
  auto results = std::make_shared<std::vector<client::WeakArray>>(submitted.results.begin(),
                                                                  submitted.results.end());
  return new PJRT_Event{PJRT_Event::End{std::move(results), &client.deferred_queries}};
}

void Give(Submitted submitted, PJRT_Device* device, PJRT_LoadedExecutable_Execute_Args& args) {
  if (args.device_complete_events != nullptr) {
    args.device_complete_events[0] = EndOf(submitted, *args.executable->client);
  }
  for (size_t i = 0; i < submitted.results.size(); ++i) {
    args.output_lists[0][i] = new PJRT_Buffer(std::move(submitted.results[i]), device);
  }
}

void SetErrorResults(const absl::Status& error, PJRT_Device* device,
                     PJRT_LoadedExecutable_Execute_Args& args) {
  if (args.device_complete_events != nullptr)
    args.device_complete_events[0] = CompletedEvent(error);
  const absl::Span<const ir::TensorType> types = args.executable->compiled->program.result_types();
  for (size_t i = 0; i < types.size(); ++i) {
    args.output_lists[0][i] = new PJRT_Buffer(error, types[i], device);
  }
}

}  // namespace

absl::Status LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args& args) {
  ACCELD_RETURN_IF_ERROR(Check(args));
  PJRT_Device* const device =
      args.execute_device != nullptr ? args.execute_device : args.executable->device;
  absl::StatusOr<Submitted> submitted = Submit(args, *device);
  // An invalid argument, such as one that is donated twice, is the caller's mistake, too.
  if (absl::IsInvalidArgument(submitted.status())) return submitted.status();
  if (submitted.ok()) {
    Give(*std::move(submitted), device, args);
  } else {
    SetErrorResults(submitted.status(), device, args);
  }
  return absl::OkStatus();
}

}  // namespace acceld::pjrt

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
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

// Returns the devices of this execution, one for each list of arguments. A program for one device
// may be executed on another one than that for which it was compiled. Refers to `args`.
absl::StatusOr<absl::Span<PJRT_Device* const>> DevicesOf(
    const PJRT_LoadedExecutable_Execute_Args& args) {
  const PJRT_LoadedExecutable& executable = *args.executable;
  const std::string& name = executable.compiled->name;
  const size_t num_devices = executable.devices.size();
  if (args.execute_device != nullptr && num_devices > 1) {
    return absl::UnimplementedError(
        absl::StrCat("'", name, "' runs on ", num_devices,
                     " devices together; acceld does not execute one of its participants alone"));
  }
  if (args.num_devices != num_devices) {
    return absl::InvalidArgumentError(absl::StrCat("'", name, "' runs on ", num_devices,
                                                   num_devices == 1 ? " device; " : " devices; ",
                                                   args.num_devices, " were given"));
  }
  if (args.execute_device != nullptr) return absl::MakeConstSpan(&args.execute_device, 1);
  return absl::MakeConstSpan(executable.devices);
}

// Checks for mistakes of the caller. Everything else that prevents an execution becomes the value
// of its results, as failures during the execution do.
absl::Status Check(const PJRT_LoadedExecutable_Execute_Args& args) {
  const CompiledProgram& compiled = *args.executable->compiled;
  if (args.executable->deleted) {
    return absl::FailedPreconditionError(
        absl::StrCat("the executable '", compiled.name, "' has been deleted"));
  }
  if (args.options->num_send_ops != 0 || args.options->num_recv_ops != 0) {
    return absl::UnimplementedError(
        absl::StrCat("'", compiled.name, "': acceld has no send and recv callbacks"));
  }
  for (size_t device = 0; device < args.num_devices; ++device) {
    for (size_t i = 0; i < args.num_args; ++i) {
      PJRT_Buffer& argument = *args.argument_lists[device][i];
      if (!argument.IsDeleted()) continue;
      return Annotate(argument.array().status(),
                      absl::StrCat("'", compiled.name, "': argument ", i));
    }
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
  std::vector<std::vector<Array>> results;  // Of each device.
  // For a program with host callbacks: completes when the execution has ended, which the results
  // (there may be none) do not show. Not valid for other programs.
  acceld::Event end;
};

// The arguments of each device.
using Arguments = absl::InlinedVector<std::vector<Array>, 1>;

absl::StatusOr<Arguments> ArgumentsOf(const PJRT_LoadedExecutable_Execute_Args& args) {
  Arguments arguments(args.num_devices);
  for (size_t device = 0; device < args.num_devices; ++device) {
    arguments[device].reserve(args.num_args);
    for (size_t i = 0; i < args.num_args; ++i) {
      ACCELD_ASSIGN_OR_RETURN(Array array, args.argument_lists[device][i]->array());
      arguments[device].push_back(std::move(array));
    }
  }
  return arguments;
}

// Starts the program on one device, or on several devices together.
absl::StatusOr<std::vector<std::vector<Array>>> Start(
    client::Client& session, const client::Program& program,
    absl::Span<const std::vector<Array>> arguments, absl::Span<PJRT_Device* const> devices,
    const client::ExecuteOptions& options) {
  if (devices.size() == 1) {
    std::vector<std::vector<Array>> results(1);
    ACCELD_ASSIGN_OR_RETURN(results[0],
                            session.Execute(program, arguments[0], devices[0]->daemon_id, options));
    return results;
  }
  absl::InlinedVector<uint32_t, 8> ids;
  for (const PJRT_Device* const device : devices) ids.push_back(device->daemon_id);
  return session.ExecuteSharded(program, arguments, ids, options);
}

// Submits the execution, and deletes the buffers of the arguments that are donated.
absl::StatusOr<Submitted> Submit(const PJRT_LoadedExecutable_Execute_Args& args,
                                 absl::Span<PJRT_Device* const> devices) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  const CompiledProgram& compiled = *args.executable->compiled;
  ACCELD_ASSIGN_OR_RETURN(const Arguments arguments, ArgumentsOf(args));
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
  ACCELD_ASSIGN_OR_RETURN(submitted.results, Start(*args.executable->client->session,
                                                   compiled.program, arguments, devices, options));
  for (size_t device = 0; device < devices.size(); ++device) {
    for (const uint32_t i : options.donated) args.argument_lists[device][i]->Delete();
  }
  return submitted;
}

// Returns an event for the end of the execution on one device.
PJRT_Event* EndOf(const Submitted& submitted, absl::Span<const Array> results,
                  PJRT_Client& client) {
  if (submitted.end.valid()) return new PJRT_Event{submitted.end};
  if (results.empty()) return CompletedEvent(absl::OkStatus());
  auto weak = std::make_shared<std::vector<client::WeakArray>>(results.begin(), results.end());
  return new PJRT_Event{PJRT_Event::End{std::move(weak), &client.deferred_queries}};
}

void Give(Submitted submitted, absl::Span<PJRT_Device* const> devices,
          PJRT_LoadedExecutable_Execute_Args& args) {
  for (size_t device = 0; device < devices.size(); ++device) {
    std::vector<Array>& results = submitted.results[device];
    if (args.device_complete_events != nullptr) {
      args.device_complete_events[device] = EndOf(submitted, results, *args.executable->client);
    }
    for (size_t i = 0; i < results.size(); ++i) {
      args.output_lists[device][i] = new PJRT_Buffer(std::move(results[i]), devices[device]);
    }
  }
}

void SetErrorResults(const absl::Status& error, absl::Span<PJRT_Device* const> devices,
                     PJRT_LoadedExecutable_Execute_Args& args) {
  const std::vector<ir::TensorType>& types = args.executable->compiled->result_types;
  for (size_t device = 0; device < devices.size(); ++device) {
    if (args.device_complete_events != nullptr) {
      args.device_complete_events[device] = CompletedEvent(error);
    }
    for (size_t i = 0; i < types.size(); ++i) {
      args.output_lists[device][i] = new PJRT_Buffer(error, types[i], devices[device]);
    }
  }
}

}  // namespace

absl::Status LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args& args) {
  ACCELD_ASSIGN_OR_RETURN(const absl::Span<PJRT_Device* const> devices, DevicesOf(args));
  ACCELD_RETURN_IF_ERROR(Check(args));
  absl::StatusOr<Submitted> submitted = Submit(args, devices);
  // An invalid argument, such as one that is donated twice, is the caller's mistake, too.
  if (absl::IsInvalidArgument(submitted.status())) return submitted.status();
  if (submitted.ok()) {
    Give(*std::move(submitted), devices, args);
  } else {
    SetErrorResults(submitted.status(), devices, args);
  }
  return absl::OkStatus();
}

}  // namespace acceld::pjrt

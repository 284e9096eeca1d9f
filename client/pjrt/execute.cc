#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "client/pjrt/buffer.h"
#include "client/pjrt/client.h"
#include "client/pjrt/event.h"
#include "client/pjrt/executable.h"
#include "client/pjrt/fork.h"
#include "client/pjrt/functions.h"

namespace acceld::pjrt {
namespace {

using client::Array;

// What the caller has done wrong. Everything else that keeps a program from running becomes the
// value of its results, as failures of the run do.
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

// The arguments that this execution consumes.
absl::InlinedVector<uint32_t, 8> Donated(const CompiledProgram& compiled,
                                         const PJRT_ExecuteOptions& options) {
  absl::InlinedVector<uint32_t, 8> donated;
  const absl::Span<const int64_t> kept(options.non_donatable_input_indices,
                                       options.num_non_donatable_input_indices);
  for (const uint32_t parameter : compiled.donated) {
    if (std::find(kept.begin(), kept.end(), parameter) == kept.end()) donated.push_back(parameter);
  }
  return donated;
}

// Gives the program to the daemon, and takes away the arguments that are donated.
absl::StatusOr<std::vector<Array>> Submit(const PJRT_LoadedExecutable_Execute_Args& args,
                                          const PJRT_Device& device) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  const CompiledProgram& compiled = *args.executable->compiled;
  PJRT_Buffer* const* const buffers = args.num_args == 0 ? nullptr : args.argument_lists[0];
  absl::InlinedVector<Array, 8> arguments;
  for (size_t i = 0; i < args.num_args; ++i) {
    ACCELD_ASSIGN_OR_RETURN(Array array, buffers[i]->array());
    arguments.push_back(std::move(array));
  }
  ACCELD_ASSIGN_OR_RETURN(
      std::vector<Array> results,
      args.executable->client->session->Execute(compiled.program, arguments, device.daemon_id));
  for (const uint32_t i : Donated(compiled, *args.options)) buffers[i]->Delete();
  return results;
}

void GiveResults(std::vector<Array> results, PJRT_Device* device,
                 PJRT_LoadedExecutable_Execute_Args& args) {
  if (args.device_complete_events != nullptr) {
    args.device_complete_events[0] =
        results.empty() ? DecidedEvent(absl::OkStatus())
                        : new PJRT_Event{PJRT_Event::End{client::WeakArray(results[0]),
                                                         &args.executable->client->late_questions}};
  }
  for (size_t i = 0; i < results.size(); ++i) {
    args.output_lists[0][i] = new PJRT_Buffer(std::move(results[i]), device);
  }
}

void GiveError(const absl::Status& error, PJRT_Device* device,
               PJRT_LoadedExecutable_Execute_Args& args) {
  if (args.device_complete_events != nullptr) args.device_complete_events[0] = DecidedEvent(error);
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
  absl::StatusOr<std::vector<Array>> results = Submit(args, *device);
  if (results.ok()) {
    GiveResults(*std::move(results), device, args);
  } else {
    GiveError(results.status(), device, args);
  }
  return absl::OkStatus();
}

}  // namespace acceld::pjrt

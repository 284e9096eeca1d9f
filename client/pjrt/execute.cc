#include <algorithm>
#include <functional>
#include <memory>
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
#include "client/pjrt/thread_options.h"

namespace acceld::pjrt {
namespace {

using client::Array;

absl::Status Check(const PJRT_LoadedExecutable_Execute_Args& args) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
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
  return absl::OkStatus();
}

// The arguments that this execution consumes.
std::vector<uint32_t> Donated(const CompiledProgram& compiled, const PJRT_ExecuteOptions& options) {
  std::vector<uint32_t> donated;
  const absl::Span<const int64_t> kept(options.non_donatable_input_indices,
                                       options.num_non_donatable_input_indices);
  for (const uint32_t parameter : compiled.donated) {
    if (std::find(kept.begin(), kept.end(), parameter) == kept.end()) donated.push_back(parameter);
  }
  return donated;
}

// What sets `end` when the execution has ended: effects that nobody sees in results have an end,
// too.
std::function<void(const absl::Status&)> SetDone(acceld::Event& end) {
  auto promise = std::make_shared<Promise<Unit>>();
  end = promise->future();
  return [promise](const absl::Status& status) {
    promise->Set(status.ok() ? absl::StatusOr<Unit>(Unit{}) : absl::StatusOr<Unit>(status));
  };
}

}  // namespace

absl::Status LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args& args) {
  ACCELD_RETURN_IF_ERROR(Check(args));
  const CompiledProgram& compiled = *args.executable->compiled;
  PJRT_Device* const device =
      args.execute_device != nullptr ? args.execute_device : args.executable->device;
  PJRT_Buffer* const* const buffers = args.num_args == 0 ? nullptr : args.argument_lists[0];
  absl::InlinedVector<Array, 8> arguments;
  for (size_t i = 0; i < args.num_args; ++i) {
    absl::StatusOr<Array> array = buffers[i]->array();
    if (!array.ok()) {
      return Annotate(array.status(), absl::StrCat("'", compiled.name, "': argument ", i));
    }
    arguments.push_back(*std::move(array));
  }
  acceld::Event end;
  client::ExecuteOptions options{.timeout = CurrentThreadOptions().timeout,
                                 .donated = Donated(compiled, *args.options)};
  const bool calls_back = !compiled.program.host_callbacks().empty();
  if (calls_back) {
    options.callbacks = args.executable->callbacks;
    options.on_end = SetDone(end);
  }
  ACCELD_ASSIGN_OR_RETURN(std::vector<Array> results,
                          args.executable->client->session->Execute(compiled.program, arguments,
                                                                    device->daemon_id, options));
  for (const uint32_t i : options.donated) buffers[i]->Delete();
  if (args.device_complete_events != nullptr && calls_back) {
    args.device_complete_events[0] = new PJRT_Event{end};
  } else if (args.device_complete_events != nullptr) {
    args.device_complete_events[0] =
        results.empty() ? DecidedEvent(absl::OkStatus())
                        : new PJRT_Event{PJRT_Event::End{client::WeakArray(results[0]),
                                                         &args.executable->client->late_questions}};
  }
  for (size_t i = 0; i < results.size(); ++i) {
    args.output_lists[0][i] = new PJRT_Buffer(std::move(results[i]), device);
  }
  return absl::OkStatus();
}

}  // namespace acceld::pjrt

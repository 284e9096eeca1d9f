#include "server/runtime/dispatch/dispatcher.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "kernels/ir/analysis/input_output_aliases.h"
#include "server/runtime/device_stream.h"
#include "server/runtime/dispatch/collective_trace.h"
#include "server/runtime/gang/gang.h"
#include "server/runtime/schedule/bypass_stream.h"

// Launches and copies. Inputs are in inputs.cc.
namespace acceld::runtime {
namespace {

absl::Status InProgram(const absl::Status& status, const Execution& execution) {
  return Annotate(status, absl::StrCat("program ", *execution.program_name));
}

// The cache guarantees executables for exactly these types; a mismatch would write out of bounds.
absl::Status CheckShape(const hal::Executable& executable, size_t inputs, size_t outputs) {
  if (executable.arguments.size() == inputs && executable.results.size() == outputs) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat("the executable ", executable.Signature(), " was given ",
                                          inputs, " arguments and ", outputs, " results"));
}

std::vector<std::unique_ptr<hal::Stream>> NewBypassStreams(hal::Device& device) {
  std::vector<std::unique_ptr<hal::Stream>> streams;
  for (int i = 0; i < Dispatcher::kBypassStreams; ++i) {
    streams.push_back(device.CreateStream("express", hal::StreamPriority::kHigh));
  }
  return streams;
}

}  // namespace

Dispatcher::Dispatcher(hal::Device& device, int index, WorkInFlight& work,
                       observability::ExecutionInstruments& instruments, const Options& options)
    : index_(index),
      instruments_(instruments),
      trace_(options.trace),
      bypass_(NewBypassStreams(device)),
      upload_(device.CreateStream("up")),
      download_(device.CreateStream("down")),
      upload_trace_(options.trace, SpanKind::kUpload, index),
      download_trace_(options.trace, SpanKind::kDownload, index),
      memory_(device, index, *download_, work, options.memory) {}

Dispatcher::~Dispatcher() {
  // The callbacks of copies use the memory broker, which is destroyed after them.
  upload_.reset();
  download_.reset();
}

hal::Stream& Dispatcher::StreamOf(const Task& execution) const {
  return execution.bypass_ != nullptr ? *bypass_[static_cast<size_t>(execution.bypass_->index)]
                                      : *DeviceStreamOf(execution.stream_)->stream;
}

absl::StatusOr<Event> Dispatcher::Dispatch(const std::shared_ptr<Task>& task,
                                           std::shared_ptr<hal::HostCalls> host_calls) {
  Execution* const execution = task->execution();
  return execution != nullptr ? DispatchExecution(task, *execution, std::move(host_calls))
                              : DispatchUpload(*task, *task->upload());
}

absl::StatusOr<Event> Dispatcher::DispatchExecution(const std::shared_ptr<Task>& task,
                                                    Execution& execution,
                                                    std::shared_ptr<hal::HostCalls> host_calls) {
  // Holds the inputs' memory that is on the device, so that freeing memory for the rest does not
  // evict it.
  absl::InlinedVector<std::shared_ptr<hal::Buffer>, 4> buffers;
  for (const auto& input : execution.inputs) {
    Array::View view = input->view();
    if (view.state == Array::State::kFailed) return view.error;
    buffers.push_back(std::move(view.buffer));
  }
  if (execution.executable == nullptr) return InProgram(execution.executable_error, execution);
  const hal::LoadedExecutable& loaded = *execution.executable;
  ACCELD_RETURN_IF_ERROR(
      CheckShape(*loaded.executable, execution.inputs.size(), task->outputs.size()));
  // All or nothing: an input brought in vain would occupy memory that others could use.
  if (!memory_.MayDispatch(*task)) return MemoryBroker::AwaitLease(*task);

  hal::Launch launch{.module = loaded.module,
                     .control = std::shared_ptr<hal::RunControl>(task, &task->control_),
                     .may_run_inline = task->may_run_inline_,
                     .device_ns = std::shared_ptr<std::atomic<int64_t>>(task, &task->device_ns_)};
  if (execution.gang != nullptr) {
    launch.gang = execution.gang->participants();
    launch.participant = execution.participant;
    launch.waited_ns = std::shared_ptr<std::atomic<int64_t>>(task, &task->waited_ns_);
    launch.on_collective = CollectiveTraceOf(trace_, index_, *task);
  }
  task->input_copies_.clear();  // of an earlier attempt
  for (size_t i = 0; i < execution.inputs.size(); ++i) {
    absl::StatusOr<std::shared_ptr<hal::Buffer>> buffer = BringInput(*task, *execution.inputs[i]);
    if (!buffer.ok()) {
      memory_.Keep(*task, buffers, launch.arguments);
      const absl::Status error = execution.inputs[i]->error();
      return error.ok() ? InProgram(buffer.status(), execution) : error;
    }
    launch.arguments.push_back(*std::move(buffer));
  }
  OutputMemories outputs = FindDonors(*task, execution);
  if (absl::Status status =
          memory_.AllocateAll(*task, loaded.executable->arena_bytes, outputs, launch.arena);
      !status.ok()) {
    memory_.Keep(*task, buffers, launch.arguments);
    return InProgram(status, execution);
  }
  memory_.EndLease(*task);
  // From here on the launch cannot fail, and donated arrays belong to the execution.
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].donor == nullptr) continue;
    size_t input = 0;
    while (execution.inputs[input].get() != outputs[i].donor) ++input;
    TakeOver(*task->outputs[i], outputs[i], launch.arguments[input]);
  }
  execution.donated.clear();
  for (const OutputMemory& output : outputs) launch.results.push_back(output.buffer);
  // From here on only the launch holds its memory, so that the memory is free when the launch ends.
  buffers.clear();

  hal::Stream& stream = StreamOf(*task);
  if (host_calls != nullptr) {
    // Readers of the outputs do not wait on a stream, as the run may be interrupted by host calls:
    // the outputs become scheduled when it has ended.
    for (OutputMemory& output : outputs) {
      task->pending_outputs_.push_back({std::move(output.buffer), output.charged_bytes});
    }
    launch.host = std::move(host_calls);
    return stream.Run(std::move(launch));
  }
  Event event = stream.Run(std::move(launch));
  for (size_t i = 0; i < outputs.size(); ++i) {
    task->outputs[i]->Join(memory_.residents());
    task->outputs[i]->Schedule(std::move(outputs[i].buffer), &stream, outputs[i].charged_bytes);
  }
  return event;
}

OutputMemories Dispatcher::FindDonors(const Task& task, const Execution& execution) const {
  OutputMemories outputs;
  for (const auto& output : task.outputs) {
    outputs.push_back({.size_bytes = output->type()->size_bytes()});
  }
  if (execution.donated.empty()) return outputs;
  std::vector<kernels::InputOutputAlias> wished;
  for (const DonatedArgument& donated : execution.donated) {
    if (donated.result.has_value()) wished.push_back({donated.argument, *donated.result});
  }
  const auto is_given = [&](uint32_t argument) {
    const bool is_donated =
        std::any_of(execution.donated.begin(), execution.donated.end(),
                    [&](const DonatedArgument& donated) { return donated.argument == argument; });
    if (!is_donated) return false;
    const std::shared_ptr<Array>& input = execution.inputs[argument];
    return input->device() == index_ && Array::IsOnlyReader(input) && input->MayTake();
  };
  for (const kernels::InputOutputAlias& alias : kernels::ChooseInputOutputAliases(
           execution.executable->executable->may_share, wished, is_given)) {
    outputs[alias.result].donor = execution.inputs[alias.argument].get();
  }
  return outputs;
}

void Dispatcher::TakeOver(Array& output, OutputMemory& memory,
                          std::shared_ptr<hal::Buffer> buffer) {
  Array& donor = *memory.donor;
  const Array::Taken taken = donor.Take();
  memory.buffer = std::move(buffer);
  if (memory.charged_bytes == 0) {
    // Within one account the charge for the donor becomes the charge for the output.
    memory.charged_bytes = memory.size_bytes;
    output.account().ChargeAgain(memory.size_bytes - taken.charged_bytes);
  } else {
    donor.account().Refund(taken.charged_bytes);
  }
  instruments_.donated_bytes.Add(static_cast<uint64_t>(memory.size_bytes));
}

absl::StatusOr<Event> Dispatcher::DispatchUpload(Task& task, Upload& upload) {
  task.dispatched_at_ = upload_trace_.Begin();
  Array& output = *task.outputs[0];
  if (upload.buffer != nullptr) {
    ACCELD_RETURN_IF_ERROR(output.account().Charge(upload.size_bytes));
    upload.keep_alive.reset();
    output.Join(memory_.residents());
    output.Schedule(std::move(upload.buffer), upload_.get(), upload.size_bytes);
    return Event(absl::StatusOr<Unit>(Unit{}));
  }
  OutputMemories outputs = {{.size_bytes = output.type()->size_bytes()}};
  std::shared_ptr<hal::Buffer> no_arena;
  if (absl::Status status = memory_.AllocateAll(task, 0, outputs, no_arena); !status.ok()) {
    return Annotate(status, absl::StrCat("upload of ", output.type()->ToString()));
  }
  memory_.EndLease(task);
  hal::Stream& stream = task.bypass_ != nullptr ? StreamOf(task) : *upload_;
  Event event = stream.CopyFromHost(upload.data, upload.size_bytes, outputs[0].buffer, 0,
                                    std::move(upload.keep_alive));
  output.Join(memory_.residents());
  output.Schedule(std::move(outputs[0].buffer), &stream, outputs[0].charged_bytes);
  return event;
}

void Dispatcher::SchedulePending(Task& task) {
  if (task.pending_outputs_.empty()) return;
  for (size_t i = 0; i < task.outputs.size(); ++i) {
    Task::PendingOutput& output = task.pending_outputs_[i];
    task.outputs[i]->Join(memory_.residents());
    task.outputs[i]->Schedule(std::move(output.buffer), nullptr, output.charged_bytes);
  }
  task.pending_outputs_.clear();
}

void Dispatcher::Download(std::shared_ptr<const Array> array,
                          std::function<void(absl::StatusOr<SharedBytes>)> done, uint64_t session) {
  Array::View view = array->view();
  ACCELD_CHECK(view.state == Array::State::kDefined);
  array->Touch();
  if (view.spilled != nullptr) {
    const absl::string_view bytes(view.spilled->data(),
                                  static_cast<size_t>(view.spilled->size_bytes()));
    return done(SharedBytes{bytes, std::move(view.spilled)});
  }
  const auto size_bytes = static_cast<size_t>(view.buffer->size_bytes());
  const CopyTrace::TimePoint begin = download_trace_.Begin();
  if (const void* const address = view.buffer->host_address(); address != nullptr) {
    // Holds the array, too, so that its owner is charged as long as the bytes are read.
    auto owner =
        std::make_shared<std::pair<std::shared_ptr<const Array>, std::shared_ptr<hal::Buffer>>>(
            std::move(array), std::move(view.buffer));
    download_trace_.Add(session, begin, absl::OkStatus());
    return done(SharedBytes{{static_cast<const char*>(address), size_bytes}, std::move(owner)});
  }
  memory_.BeginDownload();
  const std::shared_ptr<char[]> bytes(new char[size_bytes]);
  download_->CopyToHost(std::move(view.buffer), bytes.get(), bytes)
      .OnReady([this, session, begin, bytes, size_bytes,
                done = std::move(done)](const absl::StatusOr<Unit>& copied) {
        download_trace_.Add(session, begin, copied.status());
        memory_.EndDownload();
        if (!copied.ok()) return done(copied.status());
        done(SharedBytes{{bytes.get(), size_bytes}, bytes});
      });
}

}  // namespace acceld::runtime

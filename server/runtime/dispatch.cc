#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "kernels/ir/analysis/input_output_aliases.h"
#include "server/runtime/device_executor.h"
#include "server/runtime/task_host_calls.h"

// Dispatch: memory, order between streams, launch.
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

}  // namespace

absl::Status DeviceExecutor::Launch(const std::shared_ptr<Task>& task) {
  auto* execution = std::get_if<Execution>(&task->work_);
  return execution != nullptr ? LaunchExecution(task, *execution)
                              : LaunchUpload(task, std::get<Upload>(task->work_));
}

absl::Status DeviceExecutor::LaunchExecution(const std::shared_ptr<Task>& task,
                                             Execution& execution) {
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
  if (memory_is_awaited_.load(std::memory_order_acquire) &&
      !MayTakeMemory(*task, MissingBytes(*task))) {
    return AwaitMemoryLease(*task);
  }

  hal::Launch launch{.module = loaded.module,
                     .control = std::shared_ptr<hal::RunControl>(task, &task->control_),
                     .may_run_inline = task->may_run_inline_,
                     .device_ns = std::shared_ptr<std::atomic<int64_t>>(task, &task->device_ns_)};
  task->input_copies_.clear();  // of an earlier attempt
  for (size_t i = 0; i < execution.inputs.size(); ++i) {
    absl::StatusOr<std::shared_ptr<hal::Buffer>> buffer = BringInput(*task, *execution.inputs[i]);
    if (!buffer.ok()) {
      Keep(*task, buffers, launch.arguments);
      const absl::Status error = execution.inputs[i]->error();
      return error.ok() ? InProgram(buffer.status(), execution) : error;
    }
    launch.arguments.push_back(*std::move(buffer));
  }
  absl::InlinedVector<Allocation, 2> outputs = FindDonors(*task, execution);
  if (absl::Status status =
          AllocateAll(*task, loaded.executable->arena_bytes, outputs, launch.arena);
      !status.ok()) {
    Keep(*task, buffers, launch.arguments);
    return InProgram(status, execution);
  }
  EndMemoryLease(*task);
  // From here on the launch cannot fail, and donated arrays belong to the execution.
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].donor == nullptr) continue;
    size_t input = 0;
    while (execution.inputs[input].get() != outputs[i].donor) ++input;
    TakeOver(*task->outputs[i], outputs[i], launch.arguments[input]);
  }
  execution.donated.clear();
  for (const Allocation& output : outputs) launch.results.push_back(output.buffer);
  // From here on only the launch holds its memory, so that the memory is free when the launch ends.
  buffers.clear();

  hal::Stream& stream = StreamOf(*task);
  if (MayCallHost(*task)) {
    // Readers of the outputs do not wait on a stream, as the run may be interrupted by host calls:
    // the outputs become scheduled when it has ended.
    for (Allocation& output : outputs) {
      task->pending_outputs_.push_back({std::move(output.buffer), output.charged_bytes});
    }
    launch.host = std::make_shared<TaskHostCalls>(*this, task, execution.host);
    const bool steady = loaded.executable->steady;
    const Event event = stream.Run(std::move(launch));
    if (!steady) StopIfAnInputFails(task, execution);
    Launched(task, event);
    return absl::OkStatus();
  }
  const Event event = stream.Run(std::move(launch));
  for (size_t i = 0; i < outputs.size(); ++i) {
    task->outputs[i]->Join(memory_.residents());
    task->outputs[i]->Schedule(std::move(outputs[i].buffer), &stream, outputs[i].charged_bytes);
  }
  if (!loaded.executable->steady) StopIfAnInputFails(task, execution);
  Launched(task, event);
  return absl::OkStatus();
}

absl::InlinedVector<DeviceExecutor::Allocation, 2> DeviceExecutor::FindDonors(
    const Task& task, const Execution& execution) const {
  absl::InlinedVector<Allocation, 2> outputs;
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
  for (const kernels::InputOutputAlias& place : kernels::ChooseInputOutputAliases(
           execution.executable->executable->may_share, wished, is_given)) {
    outputs[place.result].donor = execution.inputs[place.argument].get();
  }
  return outputs;
}

void DeviceExecutor::TakeOver(Array& output, Allocation& allocation,
                              std::shared_ptr<hal::Buffer> buffer) {
  Array& donor = *allocation.donor;
  const Array::Taken taken = donor.Take();
  allocation.buffer = std::move(buffer);
  if (allocation.charged_bytes == 0) {
    // Within one account the charge for the donor becomes the charge for the output.
    allocation.charged_bytes = allocation.size_bytes;
    output.account().ChargeAgain(allocation.size_bytes - taken.charged_bytes);
  } else {
    donor.account().Refund(taken.charged_bytes);
  }
  instruments_.donated_bytes.Add(static_cast<uint64_t>(allocation.size_bytes));
}

void DeviceExecutor::StopIfAnInputFails(const std::shared_ptr<Task>& task,
                                        const Execution& execution) {
  for (const auto& input : execution.inputs) {
    if (input->state() == Array::State::kDefined) continue;
    input->OnFinal([this, task](const absl::Status& status) {
      if (!status.ok()) Cancel(task, status);
    });
  }
}

absl::Status DeviceExecutor::LaunchUpload(const std::shared_ptr<Task>& task, Upload& upload) {
  if (options_.trace != nullptr) task->dispatched_at_ = std::chrono::steady_clock::now();
  if (upload.buffer != nullptr) {
    Array& output = *task->outputs[0];
    ACCELD_RETURN_IF_ERROR(output.account().Charge(upload.size_bytes));
    upload.keep_alive.reset();
    output.Join(memory_.residents());
    output.Schedule(std::move(upload.buffer), upload_.get(), upload.size_bytes);
    Launched(task, Event(absl::StatusOr<Unit>(Unit{})));
    return absl::OkStatus();
  }
  absl::InlinedVector<Allocation, 2> outputs = {
      {.size_bytes = task->outputs[0]->type()->size_bytes()}};
  std::shared_ptr<hal::Buffer> no_arena;
  if (absl::Status status = AllocateAll(*task, 0, outputs, no_arena); !status.ok()) {
    return Annotate(status, absl::StrCat("upload of ", task->outputs[0]->type()->ToString()));
  }
  EndMemoryLease(*task);
  hal::Stream& stream = task->bypass_ != nullptr ? *task->bypass_->stream : *upload_;
  const Event event = stream.CopyFromHost(upload.data, upload.size_bytes, outputs[0].buffer, 0,
                                          std::move(upload.keep_alive));
  task->outputs[0]->Join(memory_.residents());
  task->outputs[0]->Schedule(std::move(outputs[0].buffer), &stream, outputs[0].charged_bytes);
  Launched(task, event);
  return absl::OkStatus();
}

hal::Stream& DeviceExecutor::StreamOf(const Task& execution) const {
  return execution.bypass_ != nullptr ? *execution.bypass_->stream : *execution.stream_->stream;
}

absl::StatusOr<std::shared_ptr<hal::Buffer>> DeviceExecutor::BringInput(Task& task, Array& input) {
  const Array::View view = input.view();
  if (view.state == Array::State::kFailed) return view.error;
  if (input.device() != index_) return BringFromPeer(task, input, view);
  if (view.buffer == nullptr) return RestoreInput(task, input, view);
  hal::Stream& stream = StreamOf(task);
  if (view.state == Array::State::kScheduled && view.stream != &stream) stream.Wait(input.Final());
  // The stream for which the array is being restored waits for its arrival already; this one must,
  // too.
  if (view.arrival.valid()) {
    stream.Wait(view.arrival);
    task.input_copies_.push_back(view.arrival);
  }
  input.Touch();
  return view.buffer;
}

absl::StatusOr<std::shared_ptr<hal::Buffer>> DeviceExecutor::BringFromPeer(
    Task& task, Array& input, const Array::View& view) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<hal::Buffer> local,
                          Allocate(task, input.type()->size_bytes()));
  Event copied;
  if (view.spilled != nullptr) {
    copied = upload_->CopyFromHost(view.spilled->data(), view.spilled->size_bytes(), local, 0,
                                   view.spilled);
  } else {
    copied = upload_->CopyFromPeer(view.buffer, local);
  }
  StreamOf(task).Wait(copied);
  task.input_copies_.push_back(std::move(copied));
  input.Touch();
  return local;
}

absl::StatusOr<std::shared_ptr<hal::Buffer>> DeviceExecutor::RestoreInput(Task& task, Array& input,
                                                                          const Array::View& view) {
  // Takes too long for a submitting thread.
  if (task.dispatched_inline_) return absl::ResourceExhaustedError("an input is spilled");
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<hal::Buffer> buffer,
                          Allocate(task, view.spilled->size_bytes()));
  Event arrival =
      upload_->CopyFromHost(view.spilled->data(), buffer->size_bytes(), buffer, 0, view.spilled);
  StreamOf(task).Wait(arrival);
  {
    MutexLock lock(mutex_);
    ++restores_in_flight_;
  }
  input.Restore(buffer, arrival);
  memory_.CountRestore();
  arrival.OnReady([this](const absl::StatusOr<Unit>&) {
    MutexLock lock(mutex_);
    --restores_in_flight_;
    EndMove();
  });
  task.input_copies_.push_back(std::move(arrival));
  return buffer;
}

std::shared_ptr<hal::Buffer> DeviceExecutor::AllocateForHost(int64_t size_bytes) {
  // Memory that is being uploaded to cannot be spilled.
  const hal::MemoryStats memory = device_.memory();
  if (size_bytes > memory.limit_bytes / 2 - memory.used_bytes) return nullptr;
  absl::StatusOr<std::shared_ptr<hal::Buffer>> buffer = device_.Allocate(size_bytes);
  if (!buffer.ok() || (*buffer)->host_address() == nullptr) return nullptr;
  return *std::move(buffer);
}

void DeviceExecutor::Download(std::shared_ptr<const Array> array,
                              std::function<void(absl::StatusOr<SharedBytes>)> done,
                              uint64_t session) {
  Array::View view = array->view();
  ACCELD_CHECK(view.state == Array::State::kDefined);
  array->Touch();
  if (view.spilled != nullptr) {
    const absl::string_view bytes(view.spilled->data(),
                                  static_cast<size_t>(view.spilled->size_bytes()));
    return done(SharedBytes{bytes, std::move(view.spilled)});
  }
  const auto size_bytes = static_cast<size_t>(view.buffer->size_bytes());
  const TimePoint begin =
      options_.trace != nullptr ? std::chrono::steady_clock::now() : TimePoint();
  if (const void* const address = view.buffer->host_address(); address != nullptr) {
    // Holds the array, too, so that its owner is charged as long as the bytes are read.
    auto owner =
        std::make_shared<std::pair<std::shared_ptr<const Array>, std::shared_ptr<hal::Buffer>>>(
            std::move(array), std::move(view.buffer));
    TraceCopy(SpanKind::kDownload, session, begin, absl::OkStatus(), last_download_ns_);
    return done(SharedBytes{{static_cast<const char*>(address), size_bytes}, std::move(owner)});
  }
  {
    MutexLock lock(mutex_);
    ++downloads_in_flight_;
  }
  const std::shared_ptr<char[]> bytes(new char[size_bytes]);
  download_->CopyToHost(std::move(view.buffer), bytes.get(), bytes)
      .OnReady([this, session, begin, bytes, size_bytes,
                done = std::move(done)](const absl::StatusOr<Unit>& copied) {
        TraceCopy(SpanKind::kDownload, session, begin, copied.status(), last_download_ns_);
        {
          MutexLock lock(mutex_);
          --downloads_in_flight_;
          RetryMemoryWaiters();
        }
        if (!copied.ok()) return done(copied.status());
        done(SharedBytes{{bytes.get(), size_bytes}, bytes});
      });
}

}  // namespace acceld::runtime

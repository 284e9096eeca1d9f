#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "server/runtime/device_executor.h"

// What happens to a task whose turn it is: memory, order between streams, launch.
namespace acceld::runtime {
namespace {

absl::Status InProgram(const absl::Status& status, const Execution& execution) {
  return Annotate(status, absl::StrCat("program ", *execution.program_name));
}

// The cache promises executables for these very types; a mismatch would write out of bounds.
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
  absl::InlinedVector<Array::View, 4> views;
  for (const auto& input : execution.inputs) {
    views.push_back(input->view());
    if (views.back().state == Array::State::kFailed) return views.back().error;
  }
  if (execution.executable == nullptr) return InProgram(execution.executable_error, execution);
  const hal::LoadedExecutable& loaded = *execution.executable;
  ACCELD_RETURN_IF_ERROR(
      CheckShape(*loaded.executable, execution.inputs.size(), task->outputs.size()));

  hal::Launch launch{.module = loaded.module,
                     .cancelled = std::shared_ptr<std::atomic<bool>>(task, &task->cancelled_),
                     .brief = task->brief_,
                     .device_ns = std::shared_ptr<std::atomic<int64_t>>(task, &task->device_ns_)};
  for (size_t i = 0; i < views.size(); ++i) {
    absl::StatusOr<std::shared_ptr<hal::Buffer>> buffer =
        BringInput(*execution.inputs[i], views[i]);
    if (!buffer.ok()) return InProgram(buffer.status(), execution);
    launch.arguments.push_back(*std::move(buffer));
  }
  absl::InlinedVector<Allocation, 2> outputs;
  if (absl::Status status =
          AllocateAll(*task, loaded.executable->arena_bytes, outputs, launch.arena);
      !status.ok()) {
    return InProgram(status, execution);
  }
  for (const Allocation& output : outputs) launch.results.push_back(output.buffer);
  // From here on the launch alone holds its memory, so that it is free when the launch is done.
  views.clear();

  const Event event = compute_->Run(std::move(launch));
  for (size_t i = 0; i < outputs.size(); ++i) {
    task->outputs[i]->Schedule(std::move(outputs[i].buffer), compute_.get(),
                               outputs[i].charged_bytes);
  }
  Launched(task, event);
  return absl::OkStatus();
}

absl::Status DeviceExecutor::LaunchUpload(const std::shared_ptr<Task>& task, Upload& upload) {
  if (options_.trace != nullptr) task->dispatched_at_ = std::chrono::steady_clock::now();
  if (upload.buffer != nullptr) {
    Array& output = *task->outputs[0];
    ACCELD_RETURN_IF_ERROR(output.account().Charge(upload.size_bytes));
    upload.keep_alive.reset();
    output.Schedule(std::move(upload.buffer), upload_.get(), upload.size_bytes);
    Launched(task, Event(absl::StatusOr<Unit>(Unit{})));
    return absl::OkStatus();
  }
  absl::InlinedVector<Allocation, 2> outputs;
  std::shared_ptr<hal::Buffer> no_arena;
  ACCELD_RETURN_IF_ERROR(AllocateAll(*task, 0, outputs, no_arena));
  const Event event = upload_->CopyFromHost(upload.data, upload.size_bytes, outputs[0].buffer, 0,
                                            std::move(upload.keep_alive));
  task->outputs[0]->Schedule(std::move(outputs[0].buffer), upload_.get(), outputs[0].charged_bytes);
  Launched(task, event);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<hal::Buffer>> DeviceExecutor::BringInput(Array& input,
                                                                        const Array::View& view) {
  if (input.device() == index_) {
    if (view.state == Array::State::kScheduled && view.stream != compute_.get()) {
      compute_->Wait(input.Final());
    }
    return view.buffer;
  }
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<hal::Buffer> local,
                          AllocateWaiting(view.buffer->size_bytes()));
  if (view.state == Array::State::kScheduled) upload_->Wait(input.Final());
  compute_->Wait(upload_->CopyFromPeer(view.buffer, local));
  return local;
}

absl::Status DeviceExecutor::AllocateAll(Task& task, int64_t arena_bytes,
                                         absl::InlinedVector<Allocation, 2>& outputs,
                                         std::shared_ptr<hal::Buffer>& arena) {
  while (true) {
    if (task.cancelled_.load()) return ReasonFor(task);
    const uint64_t seen = completions();
    absl::Status status = TryAllocateAll(task, arena_bytes, outputs, arena);
    if (status.ok()) return status;
    for (size_t i = 0; i < outputs.size(); ++i) {
      task.outputs[i]->account().Refund(outputs[i].charged_bytes);
    }
    outputs.clear();
    arena.reset();
    if (status.code() != absl::StatusCode::kResourceExhausted || task.brief_ ||
        !WaitForCompletion(seen)) {
      return status;
    }
  }
}

absl::Status DeviceExecutor::TryAllocateAll(Task& task, int64_t arena_bytes,
                                            absl::InlinedVector<Allocation, 2>& outputs,
                                            std::shared_ptr<hal::Buffer>& arena) {
  for (const auto& output : task.outputs) {
    const int64_t size_bytes = output->type()->size_bytes();
    ACCELD_RETURN_IF_ERROR(output->account().Charge(size_bytes));
    outputs.push_back({nullptr, size_bytes});
    ACCELD_ASSIGN_OR_RETURN(outputs.back().buffer, device_.Allocate(size_bytes));
  }
  if (arena_bytes > 0) {
    arena = arena_.lock();
    if (arena == nullptr || arena->size_bytes() < arena_bytes) {
      arena.reset();
      ACCELD_ASSIGN_OR_RETURN(arena, device_.Allocate(arena_bytes));
      arena_ = arena;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<hal::Buffer>> DeviceExecutor::AllocateWaiting(int64_t size_bytes) {
  while (true) {
    const uint64_t seen = completions();
    absl::StatusOr<std::shared_ptr<hal::Buffer>> buffer = device_.Allocate(size_bytes);
    if (buffer.ok() || !WaitForCompletion(seen)) return buffer;
  }
}

uint64_t DeviceExecutor::completions() const {
  MutexLock lock(mutex_);
  return completions_;
}

bool DeviceExecutor::WaitForCompletion(uint64_t seen_completions) {
  MutexLock lock(mutex_);
  if (completions_ != seen_completions) return true;
  // One of those counted is the task that needs the memory.
  if (static_cast<int>(run_ahead_.count()) + uploads_in_flight_ <= 1) return false;
  memory_short_ = true;
  while (completions_ == seen_completions) {
    dispatcher_waits_ = true;
    work_.Wait(mutex_);
  }
  dispatcher_waits_ = false;
  memory_short_ = false;
  return true;
}

std::shared_ptr<hal::Buffer> DeviceExecutor::AllocateForHost(int64_t size_bytes) {
  absl::StatusOr<std::shared_ptr<hal::Buffer>> buffer = device_.Allocate(size_bytes);
  if (!buffer.ok() || (*buffer)->host_address() == nullptr) return nullptr;
  return *std::move(buffer);
}

void DeviceExecutor::Download(std::shared_ptr<const Array> array,
                              std::function<void(absl::StatusOr<SharedBytes>)> done) {
  const Array::View view = array->view();
  ACCELD_CHECK(view.state == Array::State::kDefined);
  const auto size_bytes = static_cast<size_t>(view.buffer->size_bytes());
  const TimePoint begin =
      options_.trace != nullptr ? std::chrono::steady_clock::now() : TimePoint();
  if (const void* const address = view.buffer->host_address(); address != nullptr) {
    // With the array, whose owner goes on paying for what is read.
    auto owner =
        std::make_shared<std::pair<std::shared_ptr<const Array>, std::shared_ptr<hal::Buffer>>>(
            std::move(array), view.buffer);
    TraceCopy(observability::SpanKind::kDownload, 0, begin, absl::OkStatus(), last_download_ns_);
    return done(SharedBytes{{static_cast<const char*>(address), size_bytes}, std::move(owner)});
  }
  const std::shared_ptr<char[]> bytes(new char[size_bytes]);
  download_->CopyToHost(view.buffer, bytes.get(), bytes)
      .OnReady([this, begin, bytes, size_bytes,
                done = std::move(done)](const absl::StatusOr<Unit>& copied) {
        TraceCopy(observability::SpanKind::kDownload, 0, begin, copied.status(), last_download_ns_);
        if (!copied.ok()) return done(copied.status());
        done(SharedBytes{{bytes.get(), size_bytes}, bytes});
      });
}

}  // namespace acceld::runtime

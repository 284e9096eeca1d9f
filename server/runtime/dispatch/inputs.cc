#include <utility>

#include "server/runtime/dispatch/dispatcher.h"

// How the inputs of an execution come to its device.
namespace acceld::runtime {

absl::StatusOr<std::shared_ptr<hal::Buffer>> Dispatcher::BringInput(Task& task, Array& input) {
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

absl::StatusOr<std::shared_ptr<hal::Buffer>> Dispatcher::BringFromPeer(Task& task, Array& input,
                                                                       const Array::View& view) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<hal::Buffer> local,
                          memory_.Allocate(task, input.type()->size_bytes()));
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

absl::StatusOr<std::shared_ptr<hal::Buffer>> Dispatcher::RestoreInput(Task& task, Array& input,
                                                                      const Array::View& view) {
  // Takes too long for a submitting thread.
  if (task.dispatched_inline_) return absl::ResourceExhaustedError("an input is spilled");
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<hal::Buffer> buffer,
                          memory_.Allocate(task, view.spilled->size_bytes()));
  Event arrival =
      upload_->CopyFromHost(view.spilled->data(), buffer->size_bytes(), buffer, 0, view.spilled);
  StreamOf(task).Wait(arrival);
  memory_.BeginRestore();
  input.Restore(buffer, arrival);
  arrival.OnReady([this](const absl::StatusOr<Unit>&) { memory_.EndRestore(); });
  task.input_copies_.push_back(std::move(arrival));
  return buffer;
}

}  // namespace acceld::runtime

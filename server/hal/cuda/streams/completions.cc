#include "server/hal/cuda/streams/completions.h"

#include <utility>

namespace acceld::hal::cuda {

void Completions::Add(Work work) {
  if (work.fence != nullptr) pending_->Add(work.done.future(), work.fence);
  works_.Enqueue(std::move(work));
}

absl::Status Completions::AwaitEnd(const Work& work) {
  if (work.fence == nullptr) return work.error;
  const std::atomic<bool>* const cancelled = work.may_be_cancelled && work.launch.control != nullptr
                                                 ? &work.launch.control->cancelled()
                                                 : nullptr;
  const absl::Status ended = Await(*context_, *work.fence, cancelled);
  if (!work.error.ok()) return work.error;
  ACCELD_RETURN_IF_ERROR(ended);
  if (work.fence->shared->cancelled != 0) return absl::CancelledError("launch: cancelled");
  if (work.launch.device_ns != nullptr) {
    float milliseconds = 0;
    ACCELD_RETURN_IF_ERROR(context_->Check(
        context_->driver().cuEventElapsedTime(&milliseconds, work.fence->begin, work.fence->end),
        "cuEventElapsedTime"));
    auto device_ns = static_cast<int64_t>(1e6 * static_cast<double>(milliseconds));
    if (work.launch.control != nullptr) device_ns -= work.launch.control->paused_time().count();
    work.launch.device_ns->store(device_ns, std::memory_order_relaxed);
  }
  return absl::OkStatus();
}

void Completions::Finish(Work& work) {
  const absl::Status status = AwaitEnd(work);
  pending_->Remove(work.done.future());
  // The references are dropped first, so that the memory is free when a waiting thread continues.
  work.launch = Launch{};
  work.host_memory.reset();
  work.workspace.reset();
  work.fence.reset();
  work.done.Set(status.ok() ? absl::StatusOr<Unit>(Unit{}) : absl::StatusOr<Unit>(status));
}

}  // namespace acceld::hal::cuda

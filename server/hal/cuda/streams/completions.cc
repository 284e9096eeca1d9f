#include "server/hal/cuda/streams/completions.h"

#include <utility>

#include "server/hal/cuda/nccl/run_collective.h"

namespace acceld::hal::cuda {

void Completions::Add(Work work) {
  if (work.fence != nullptr) pending_->Add(work.done.future(), work.fence);
  works_.Enqueue(std::move(work));
}

absl::Status Completions::AwaitEnd(const Work& work) {
  if (work.fence == nullptr) return work.error;
  const Launch& launch = work.launch;
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void()> poll;
  if (launch.gang != nullptr) {
    cancelled = &GangOf(launch)->stops_kernels();
    poll = [&launch] { PollGang(launch); };
  } else if (work.may_be_cancelled && launch.control != nullptr) {
    cancelled = &launch.control->cancelled();
  }
  const absl::Status ended = Await(*context_, *work.fence, cancelled, poll);
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
  absl::Status status = AwaitEnd(work);
  if (CudaGang* const gang = GangOf(work.launch); gang != nullptr) {
    status = gang->End(work.launch.participant, status);
  }
  pending_->Remove(work.done.future());
  // The references are dropped first, so that the memory is free when a waiting thread continues.
  work.launch = Launch{};
  work.host_memory.reset();
  work.workspace.reset();
  work.fence.reset();
  work.done.Set(status.ok() ? absl::StatusOr<Unit>(Unit{}) : absl::StatusOr<Unit>(status));
}

}  // namespace acceld::hal::cuda

#include "server/hal/cuda/streams/fence_pool.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace acceld::hal::cuda {
namespace {

// A thread that waits for an event sleeps instead of busy-waiting.
constexpr unsigned int kBlockingSync = 1;  // CU_EVENT_BLOCKING_SYNC
constexpr size_t kPageBytes = 4096;
constexpr size_t kFencesPerPage = kPageBytes / sizeof(Fence::Shared);

// How long a thread polls without sleeping: short work ends sooner than a thread falls asleep and
// wakes.
constexpr std::chrono::microseconds kSpin{50};
// The longest interval between two polls, and so the delay until a running kernel learns that it is
// cancelled. Shorter work is polled more often, at intervals of 1/kPollDivisor of the time waited
// so far, so that its end is noticed soon.
constexpr std::chrono::microseconds kMaxPollInterval{500};
constexpr int kPollDivisor = 16;

}  // namespace

absl::Status Await(Context& context, const Fence& fence, const std::atomic<bool>* cancelled,
                   const std::function<void()>& poll) {
  ACCELD_RETURN_IF_ERROR(context.Enter());
  const Driver& driver = context.driver();
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    const Driver::Result result = driver.cuEventQuery(fence.end);
    if (result != Driver::kNotReady) return context.Check(result, "cuEventQuery");
    const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - begin;
    if (waited < kSpin) continue;
    if (poll) poll();
    if (cancelled == nullptr && !poll) {
      return context.Check(driver.cuEventSynchronize(fence.end), "cuEventSynchronize");
    }
    if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) {
      std::atomic_ref<int32_t>(fence.shared->cancelled).store(1);
    }
    std::this_thread::sleep_for(
        std::min<std::chrono::nanoseconds>(waited / kPollDivisor, kMaxPollInterval));
  }
}

FencePool::~FencePool() {
  context_->EnterForRelease();
  for (const Fence& fence : fences_) {
    context_->driver().cuEventDestroy_v2(fence.begin);
    context_->driver().cuEventDestroy_v2(fence.end);
  }
  for (void* page : pages_) context_->driver().cuMemFreeHost(page);
}

absl::StatusOr<std::shared_ptr<const Fence>> FencePool::Take() {
  MutexLock lock(mutex_);
  if (free_.empty()) ACCELD_RETURN_IF_ERROR(Add());
  const Fence fence = free_.back();
  free_.pop_back();
  *fence.shared = {};
  return std::shared_ptr<const Fence>(new Fence(fence), [pool = shared_from_this()](Fence* used) {
    {
      MutexLock lock(pool->mutex_);
      pool->free_.push_back(*used);
    }
    delete used;
  });
}

absl::Status FencePool::Add() {
  const Driver& driver = context_->driver();
  if (fences_.size() % kFencesPerPage == 0) {
    void* page = nullptr;
    ACCELD_RETURN_IF_ERROR(
        context_->Check(driver.cuMemHostAlloc(&page, kPageBytes, 0), "cuMemHostAlloc"));
    pages_.push_back(page);
  }
  Fence fence{.shared =
                  static_cast<Fence::Shared*>(pages_.back()) + fences_.size() % kFencesPerPage};
  ACCELD_RETURN_IF_ERROR(
      context_->Check(driver.cuEventCreate(&fence.begin, kBlockingSync), "cuEventCreate"));
  if (absl::Status status =
          context_->Check(driver.cuEventCreate(&fence.end, kBlockingSync), "cuEventCreate");
      !status.ok()) {
    driver.cuEventDestroy_v2(fence.begin);
    return status;
  }
  fences_.push_back(fence);
  free_.push_back(fence);
  return absl::OkStatus();
}

}  // namespace acceld::hal::cuda

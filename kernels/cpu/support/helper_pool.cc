#include "kernels/cpu/support/helper_pool.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>

#include "common/threads/busy_poll.h"
#include "common/threads/core_mover.h"

namespace acceld::kernels::cpu {
namespace {

// How long threads busy-wait. Waking a thread on a halted virtual processor takes 50 us and more.
// Busy-waiting for about twice as long pays, as few steps of a plan between two parallel loops take
// longer. It costs other threads little, as the waiting thread yields the core to them.
constexpr std::chrono::microseconds kBusyWait(100);
constexpr int kMaxThreads = 256;

// The pool that this thread is a helper of, or nullptr.
thread_local HelperPool* pool_of_this_thread = nullptr;

}  // namespace

HelperPool::ScopedBlockingCall::ScopedBlockingCall() : pool_(pool_of_this_thread) {
  if (pool_ == nullptr) return;
  const MutexLock lock(pool_->mutex_);
  ++pool_->num_blocked_;
}

HelperPool::ScopedBlockingCall::~ScopedBlockingCall() {
  if (pool_ == nullptr) return;
  const MutexLock lock(pool_->mutex_);
  --pool_->num_blocked_;
}

// hardware_concurrency() reads a file, so it is called once.
HelperPool::HelperPool() : cores_(static_cast<int>(std::thread::hardware_concurrency())) {}

HelperPool::~HelperPool() {
  std::vector<std::thread> threads;
  {
    const MutexLock lock(mutex_);
    stopping_.store(true, std::memory_order_relaxed);
    threads.swap(threads_);
  }
  wake_.NotifyAll();
  for (std::thread& thread : threads) thread.join();
}

void HelperPool::StartThreads(int wanted) {
  const int limit = std::min(std::max(wanted, cores_ - 1) + num_blocked_, kMaxThreads);
  for (int missing = wanted - num_idle_; missing > 0 && static_cast<int>(threads_.size()) < limit;
       --missing) {
    try {
      threads_.emplace_back([this] { Help(); });
    } catch (const std::system_error&) {
      return;  // The system allows no more threads; the existing ones must do.
    }
    ++num_idle_;
  }
}

void HelperPool::RemoveFront() {
  jobs_.pop_front();
  num_jobs_.store(jobs_.size(), std::memory_order_relaxed);
}

void HelperPool::Run(int max_helpers, absl::FunctionRef<void()> work) {
  if (max_helpers <= 0) return work();
  bool all_asleep;
  Job job{.work = work, .wanted = max_helpers, .core = CurrentCore()};
  {
    const MutexLock lock(mutex_);
    StartThreads(max_helpers);
    all_asleep = num_asleep_ > 0 && num_asleep_ == num_idle_;
    jobs_.push_back(&job);
    num_jobs_.store(jobs_.size(), std::memory_order_relaxed);
  }
  wake_.NotifyOne();
  // If Linux wakes the helper on this core, the helper would not go to another core at once, but
  // wait for the end of this thread's time slice, which takes milliseconds.
  if (all_asleep) std::this_thread::yield();
  work();
  {
    const MutexLock lock(mutex_);
    if (job.wanted > 0) {
      jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
      num_jobs_.store(jobs_.size(), std::memory_order_relaxed);
    }
    if (job.active.load(std::memory_order_relaxed) == 0) return;
  }
  if (cores_ > 1)
    PollFor(kBusyWait, [&] { return job.active.load(std::memory_order_relaxed) == 0; });
  const MutexLock lock(mutex_);
  while (job.active.load(std::memory_order_relaxed) > 0) job.left.Wait(mutex_);
}

void HelperPool::Help() {
  pool_of_this_thread = this;
  CoreMover mover(/*patience=*/1);
  mutex_.Lock();
  while (true) {
    if (jobs_.empty() && cores_ > 1) {
      mutex_.Unlock();
      PollFor(kBusyWait, [&] {
        return num_jobs_.load(std::memory_order_relaxed) > 0 ||
               stopping_.load(std::memory_order_relaxed);
      });
      mutex_.Lock();
    }
    bool slept = false;
    for (; jobs_.empty() && !stopping_.load(std::memory_order_relaxed); slept = true) {
      ++num_asleep_;
      wake_.Wait(mutex_);
      --num_asleep_;
    }
    if (jobs_.empty()) return mutex_.Unlock();  // The pool is being destroyed.
    Job& job = *jobs_.front();
    --num_idle_;
    job.active.fetch_add(1, std::memory_order_relaxed);
    if (--job.wanted == 0) RemoveFront();
    // Each woken helper wakes the next one, so that the caller only pays for waking one.
    const bool more = !jobs_.empty();
    mutex_.Unlock();
    if (more) wake_.NotifyOne();
    if (slept) mover.MoveOffCore(job.core);
    job.work();
    mutex_.Lock();
    ++num_idle_;
    // This is done under the lock, so that the caller, whose stack holds the job, cannot return
    // before the lock is released.
    if (job.active.fetch_sub(1, std::memory_order_relaxed) == 1) job.left.NotifyOne();
  }
}

}  // namespace acceld::kernels::cpu

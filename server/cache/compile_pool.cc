#include "server/cache/compile_pool.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "common/threads/start_thread.h"

namespace acceld::cache {
namespace {

constexpr int kLowPriorityNice = 10;

}  // namespace

CompilePool::CompilePool(size_t num_threads, size_t max_queued)
    : num_threads_(num_threads), schedule_(num_threads, max_queued) {
  MutexLock lock(mutex_);
  StartThreads(num_threads);
  StartSpareThreads();
}

CompilePool::~CompilePool() { Stop(); }

void CompilePool::StartThreads(size_t max_running) {
  // A thread cannot raise its priority again, so there are threads of both kinds for all jobs that
  // run at a time.
  for (const Kind kind : {Kind::kNormalPriority, Kind::kLowPriority}) {
    std::vector<std::thread>& threads =
        kind == Kind::kNormalPriority ? normal_threads_ : low_priority_threads_;
    threads.reserve(max_running);  // so that a failure happens before a thread is started
    while (threads.size() < max_running) {
      threads.push_back(StartThread("compile", [this, kind] { RunWorker(kind); }));
    }
  }
  max_running_ = max_running;
}

void CompilePool::StartSpareThreads() {
  const size_t running = std::max(running_.size(), num_threads_);
  if (stopping_ || max_running_ > running) return;
  if (running == num_threads_ + MaxExtra(num_threads_)) return;
  try {
    StartThreads(running + 1);
  } catch (const std::system_error&) {
    // The system grants no more threads; the existing ones have to do.
  }
}

void CompilePool::Stop() {
  std::vector<std::thread> threads;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    threads.swap(normal_threads_);
    for (std::thread& thread : low_priority_threads_) threads.push_back(std::move(thread));
    low_priority_threads_.clear();
    changed_.NotifyAll();
    handed_over_.NotifyAll();
  }
  for (std::thread& thread : threads) thread.join();
}

absl::Status CompilePool::Submit(const JobPtr& job, absl::Span<const Requester> requesters) {
  MutexLock lock(mutex_);
  if (stopping_) return absl::UnavailableError("compile: stopped");
  ACCELD_RETURN_IF_ERROR(schedule_.Add(job, requesters.front()));
  for (const Requester& requester : requesters.subspan(1)) schedule_.AddRequester(job, requester);
  WakeForNext();
  return absl::OkStatus();
}

void CompilePool::AddRequester(const JobPtr& job, const Requester& requester) {
  MutexLock lock(mutex_);
  schedule_.AddRequester(job, requester);
  WakeForNext();
}

bool CompilePool::RemoveRequester(const JobPtr& job, const Requester& requester) {
  std::function<void()> work;  // declared before the lock, so that it is destroyed after the unlock
  MutexLock lock(mutex_);
  if (!schedule_.RemoveRequester(job, requester)) return false;
  work = std::exchange(job->work_, nullptr);
  ++dropped_;
  return true;
}

CompilePool::Stats CompilePool::stats() const {
  MutexLock lock(mutex_);
  return {schedule_.queued(), schedule_.running(), dropped_};
}

bool CompilePool::WantsExtra() const {
  return running_.size() >= num_threads_ && running_.size() < max_running_ && schedule_.HasIdle();
}

CompilePool::Clock::time_point CompilePool::ExtraTime() const {
  return running_[num_threads_ - 1].begin + kExtraThreadDelay;
}

void CompilePool::WakeForNext() {
  if (running_.size() < num_threads_ || WantsExtra()) changed_.NotifyOne();
}

CompilePool::JobPtr CompilePool::Begin() {
  const Clock::time_point now = Clock::now();
  JobPtr job;
  if (running_.size() < num_threads_) {
    job = schedule_.Take();
  } else if (WantsExtra() && now >= ExtraTime()) {
    job = schedule_.TakeOfIdle();
  }
  if (job == nullptr) return nullptr;
  running_.push_back({job, now});
  StartSpareThreads();
  if (WantsExtra()) changed_.NotifyOne();
  return job;
}

void CompilePool::End(const JobPtr& job, double took_ms) {
  running_.erase(std::find_if(running_.begin(), running_.end(),
                              [&](const Run& run) { return run.job == job; }));
  schedule_.End(*job, took_ms);
}

CompilePool::JobPtr CompilePool::TakeFor(Kind kind) {
  if (kind == Kind::kLowPriority) {
    if (low_priority_jobs_.empty()) return nullptr;
    JobPtr job = std::move(low_priority_jobs_.front());
    low_priority_jobs_.pop_front();
    return job;
  }
  while (JobPtr job = Begin()) {
    if (!job->is_low_priority_) return job;
    low_priority_jobs_.push_back(std::move(job));
    handed_over_.NotifyOne();
  }
  return nullptr;
}

void CompilePool::AwaitChange(Kind kind) {
  if (kind == Kind::kLowPriority) return handed_over_.Wait(mutex_);
  if (!WantsExtra()) return changed_.Wait(mutex_);
  (void)changed_.WaitUntil(mutex_, ExtraTime());
}

void CompilePool::RunWorker(Kind kind) {
  if (kind == Kind::kLowPriority) (void)nice(kLowPriorityNice);
  while (true) {
    JobPtr job;
    std::function<void()> work;
    {
      MutexLock lock(mutex_);
      while ((job = TakeFor(kind)) == nullptr) {
        // Queued jobs are run before the pool stops.
        if (stopping_ && schedule_.queued() == 0) return;
        AwaitChange(kind);
      }
      work = std::exchange(job->work_, nullptr);
    }
    const Clock::time_point begin = Clock::now();
    work();
    work = nullptr;
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    MutexLock lock(mutex_);
    End(job, took.count());
    // The end of this job may let another one begin. When the queue is empty and the pool stops,
    // all other threads wait for this notification.
    if (schedule_.queued() > 0) {
      // A usual thread need not be woken by itself: it checks the schedule next.
      if (kind == Kind::kLowPriority) WakeForNext();
    } else if (stopping_) {
      changed_.NotifyAll();
      handed_over_.NotifyAll();
    }
  }
}

}  // namespace acceld::cache

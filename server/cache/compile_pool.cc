#include "server/cache/compile_pool.h"

#include <pthread.h>

#include <chrono>
#include <utility>

namespace acceld::cache {

CompilePool::CompilePool(size_t num_threads, size_t max_queued)
    : schedule_(num_threads, max_queued) {
  for (size_t i = 0; i < num_threads; ++i) {
    threads_.emplace_back([this] { RunWorker(); });
    pthread_setname_np(threads_.back().native_handle(), "compile");
  }
}

CompilePool::~CompilePool() { Stop(); }

void CompilePool::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

absl::Status CompilePool::Submit(const JobPtr& job, absl::Span<const Asker> askers) {
  MutexLock lock(mutex_);
  if (stopping_) return absl::UnavailableError("compile: stopped");
  ACCELD_RETURN_IF_ERROR(schedule_.Add(job, askers.front()));
  for (const Asker& asker : askers.subspan(1)) schedule_.AddAsker(job, asker);
  changed_.NotifyOne();
  return absl::OkStatus();
}

void CompilePool::AddAsker(const JobPtr& job, const Asker& asker) {
  MutexLock lock(mutex_);
  schedule_.AddAsker(job, asker);
}

bool CompilePool::RemoveAsker(const JobPtr& job, const Asker& asker) {
  std::function<void()> work;  // What it holds goes without the lock.
  MutexLock lock(mutex_);
  if (!schedule_.RemoveAsker(job, asker)) return false;
  work = std::exchange(job->work_, nullptr);
  ++dropped_;
  return true;
}

CompilePool::Stats CompilePool::stats() const {
  MutexLock lock(mutex_);
  return {schedule_.queued(), schedule_.running(), dropped_};
}

void CompilePool::RunWorker() {
  while (true) {
    JobPtr job;
    std::function<void()> work;
    {
      MutexLock lock(mutex_);
      while ((job = schedule_.Take()) == nullptr) {
        if (stopping_) return;
        changed_.Wait(mutex_);
      }
      work = std::exchange(job->work_, nullptr);
    }
    const auto begin = std::chrono::steady_clock::now();
    work();
    work = nullptr;
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    MutexLock lock(mutex_);
    schedule_.End(*job, took.count());
  }
}

}  // namespace acceld::cache

#include "server/cache/compile_pool.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace acceld::cache {
namespace {

constexpr int kNiceOfMany = 10;

}  // namespace

CompilePool::CompilePool(size_t num_threads, size_t max_queued)
    : max_running_(num_threads), schedule_(num_threads, max_queued) {
  // A thread cannot raise its priority again, so there are threads of both kinds for all jobs that
  // run at a time.
  for (const Kind kind : {Kind::kUsual, Kind::kOneOfMany}) {
    for (size_t i = 0; i < num_threads; ++i) {
      threads_.emplace_back([this, kind] { RunWorker(kind); });
      pthread_setname_np(threads_.back().native_handle(), "compile");
    }
  }
}

CompilePool::~CompilePool() { Stop(); }

void CompilePool::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
    handed_over_.NotifyAll();
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

CompilePool::JobPtr CompilePool::TakeFor(Kind kind) {
  if (kind == Kind::kOneOfMany) {
    if (ones_of_many_.empty()) return nullptr;
    JobPtr job = std::move(ones_of_many_.front());
    ones_of_many_.pop_front();
    return job;
  }
  while (running_ < max_running_) {
    JobPtr job = schedule_.Take();
    if (job == nullptr) return nullptr;
    ++running_;
    if (!job->is_one_of_many_) return job;
    ones_of_many_.push_back(std::move(job));
    handed_over_.NotifyOne();
  }
  return nullptr;
}

void CompilePool::RunWorker(Kind kind) {
  if (kind == Kind::kOneOfMany) (void)nice(kNiceOfMany);
  CondVar& changed = kind == Kind::kUsual ? changed_ : handed_over_;
  while (true) {
    JobPtr job;
    std::function<void()> work;
    {
      MutexLock lock(mutex_);
      while ((job = TakeFor(kind)) == nullptr) {
        // What is queued is run before that.
        if (stopping_ && schedule_.queued() == 0) return;
        changed.Wait(mutex_);
      }
      work = std::exchange(job->work_, nullptr);
    }
    const auto begin = std::chrono::steady_clock::now();
    work();
    work = nullptr;
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    MutexLock lock(mutex_);
    --running_;
    schedule_.End(*job, took.count());
    // Another one may be run now; the last one to be taken is what the others wait for to end.
    if (schedule_.queued() > 0) {
      changed_.NotifyOne();
    } else if (stopping_) {
      changed_.NotifyAll();
      handed_over_.NotifyAll();
    }
  }
}

}  // namespace acceld::cache

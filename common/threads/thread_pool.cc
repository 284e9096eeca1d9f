#include "common/threads/thread_pool.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/threads/start_thread.h"

namespace acceld {

ThreadPool::ThreadPool(std::string name, size_t num_threads, size_t max_queued)
    : name_(std::move(name)), max_queued_(max_queued) {
  for (size_t i = 0; i < num_threads; ++i) {
    threads_.push_back(StartThread(name_, [this] { RunWorker(); }));
  }
}

ThreadPool::~ThreadPool() { Stop(); }

void ThreadPool::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

absl::Status ThreadPool::Submit(std::function<void()> work) {
  MutexLock lock(mutex_);
  if (stopping_) return absl::UnavailableError(absl::StrCat(name_, ": stopped"));
  if (queue_.size() >= max_queued_) {
    return absl::ResourceExhaustedError(
        absl::StrCat(name_, ": ", queue_.size(), " of ", max_queued_, " entries are queued"));
  }
  queue_.push_back(std::move(work));
  changed_.NotifyOne();
  return absl::OkStatus();
}

void ThreadPool::RunWorker() {
  while (true) {
    std::function<void()> work;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) changed_.Wait(mutex_);
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

}  // namespace acceld

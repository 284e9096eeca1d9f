#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld {

// A fixed number of named threads that run closures in the order of submission.
//
// Submit may be called by any thread. The queue is bounded: beyond `max_queued` closures Submit
// returns RESOURCE_EXHAUSTED instead of waiting.
class ThreadPool {
 public:
  ThreadPool(std::string name, size_t num_threads, size_t max_queued);
  ~ThreadPool();  // Calls Stop.
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  absl::Status Submit(std::function<void()> work);
  // Runs the closures that are queued, then joins the threads; blocks until that is done. Submit
  // returns UNAVAILABLE afterwards. To be called by one thread at a time, which is none of the
  // pool's.
  void Stop();

 private:
  void RunWorker();

  const std::string name_;
  const size_t max_queued_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace acceld

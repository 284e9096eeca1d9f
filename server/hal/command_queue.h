#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "common/threads/mutex.h"
#include "common/threads/start_thread.h"

namespace acceld::hal {

// Runs the commands of an in-order stream one after the other on a worker thread. While no command
// is queued or running, a caller may run a command on its own thread instead (BeginInline), which
// takes less time than waking the worker. Thread-safe. The destructor blocks until all queued
// commands have run.
template <typename Command>
class CommandQueue {
 public:
  // `execute` runs one command. `name` becomes the name of the worker thread; the kernel keeps 15
  // characters of it.
  CommandQueue(const std::string& name, std::function<void(Command&)> execute)
      : execute_(std::move(execute)), worker_(StartThread(name, [this] {
          nice_ = getpriority(PRIO_PROCESS, 0);
          worker_id_.store(gettid());
          RunWorker();
        })) {}
  ~CommandQueue() {
    {
      MutexLock lock(mutex_);
      stopping_ = true;
      changed_.NotifyAll();
    }
    worker_.join();
  }
  CommandQueue(const CommandQueue&) = delete;
  CommandQueue& operator=(const CommandQueue&) = delete;

  // Returns true when no command is queued or running. The caller must then run one command on its
  // own thread and call EndInline; commands that are queued meanwhile wait until then. Returns
  // false otherwise, without blocking; the caller then calls Enqueue.
  bool BeginInline() {
    MutexLock lock(mutex_);
    if (!queue_.empty() || worker_busy_ || inline_busy_) return false;
    inline_busy_ = true;
    return true;
  }
  // Ends what a successful BeginInline began.
  void EndInline() {
    MutexLock lock(mutex_);
    inline_busy_ = false;
    if (!queue_.empty() || stopping_) changed_.NotifyOne();
  }

  // Queues a command for the worker and returns without waiting for it.
  void Enqueue(Command command) {
    MutexLock lock(mutex_);
    queue_.push_back(std::move(command));
    // A busy worker checks the queue again when its command has ended.
    if (queue_.size() == 1 && !worker_busy_) changed_.NotifyOne();
  }

  // Lowers the scheduling priority of the worker thread (its nice value), so that it gets little
  // processor time while other threads want it, or restores the priority. Returns false when the
  // system does not permit the change (restoring requires CAP_SYS_NICE or RLIMIT_NICE) or when the
  // worker has not started yet.
  bool SetLowPriority(bool low_priority) {
    const pid_t worker = worker_id_.load();
    return worker != 0 && setpriority(PRIO_PROCESS, static_cast<id_t>(worker),
                                      low_priority ? nice_ + kLowPriorityNice : nice_) == 0;
  }

 private:
  // Added to the worker's nice value: the thread then gets about a tenth of the processor time of a
  // thread of default priority.
  static constexpr int kLowPriorityNice = 10;

  void RunWorker() {
    while (true) {
      mutex_.Lock();
      worker_busy_ = false;
      while (inline_busy_ || (queue_.empty() && !stopping_)) changed_.Wait(mutex_);
      if (queue_.empty()) return mutex_.Unlock();
      Command command = std::move(queue_.front());
      queue_.pop_front();
      worker_busy_ = true;
      mutex_.Unlock();
      execute_(command);
    }
  }

  const std::function<void(Command&)> execute_;
  int nice_ = 0;                     // the worker's initial nice value; set before worker_id_
  std::atomic<pid_t> worker_id_{0};  // the worker's kernel thread id; 0 until it has started
  Mutex mutex_;
  CondVar changed_;
  std::deque<Command> queue_ ABSL_GUARDED_BY(mutex_);
  bool worker_busy_ ABSL_GUARDED_BY(mutex_) = false;
  bool inline_busy_ ABSL_GUARDED_BY(mutex_) = false;  // a caller runs a command
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread worker_;
};

}  // namespace acceld::hal

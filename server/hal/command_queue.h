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

// The commands of an in-order stream, run one after the other by a worker thread; or, while there
// are none, by whoever has one, because waking the worker would take longer. Thread-safe. The
// destructor finishes what is queued.
template <typename Command>
class CommandQueue {
 public:
  // `name` is the worker's, as far as the kernel keeps it: 15 characters.
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

  // True when nothing is queued or running: the caller runs one command by itself and then calls
  // EndInline.
  bool BeginInline() {
    MutexLock lock(mutex_);
    if (!queue_.empty() || worker_busy_ || inline_busy_) return false;
    inline_busy_ = true;
    return true;
  }
  void EndInline() {
    MutexLock lock(mutex_);
    inline_busy_ = false;
    if (!queue_.empty() || stopping_) changed_.NotifyOne();
  }

  void Enqueue(Command command) {
    MutexLock lock(mutex_);
    queue_.push_back(std::move(command));
    // A busy worker looks at the queue again by itself.
    if (queue_.size() == 1 && !worker_busy_) changed_.NotifyOne();
  }

  // Lets the worker have the processors only as far as other threads leave them, or as before.
  // False when the system does not permit that: to go back takes CAP_SYS_NICE or RLIMIT_NICE.
  bool SetGivesWay(bool gives_way) {
    const pid_t worker = worker_id_.load();
    return worker != 0 && setpriority(PRIO_PROCESS, static_cast<id_t>(worker),
                                      gives_way ? nice_ + kNiceOfThoseWhoGiveWay : nice_) == 0;
  }

 private:
  // A tenth of what a usual thread gets.
  static constexpr int kNiceOfThoseWhoGiveWay = 10;

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
  int nice_ = 0;                     // the worker's usual one, known once its id is
  std::atomic<pid_t> worker_id_{0};  // of the system; 0: it has not begun
  Mutex mutex_;
  CondVar changed_;
  std::deque<Command> queue_ ABSL_GUARDED_BY(mutex_);
  bool worker_busy_ ABSL_GUARDED_BY(mutex_) = false;
  bool inline_busy_ ABSL_GUARDED_BY(mutex_) = false;  // a caller runs a command
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread worker_;
};

}  // namespace acceld::hal

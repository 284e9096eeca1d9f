#include "common/threads/timer_queue.h"

#include "common/threads/start_thread.h"

namespace acceld {

TimerQueue::TimerQueue(std::string name, size_t max_timers)
    : max_timers_(max_timers), thread_(StartThread(name, [this] { RunTimers(); })) {}

TimerQueue::~TimerQueue() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

uint64_t TimerQueue::At(TimePoint time, std::function<void()> callback) {
  MutexLock lock(mutex_);
  if (stopping_ || timers_.size() >= max_timers_) return 0;
  const uint64_t id = ++last_id_;
  const auto it = timers_.emplace(Key{time, id}, std::move(callback)).first;
  times_.emplace(id, time);
  if (it == timers_.begin()) changed_.NotifyOne();
  return id;
}

bool TimerQueue::Cancel(uint64_t id) {
  std::function<void()> dropped;  // Destroyed without the lock.
  MutexLock lock(mutex_);
  const auto time = times_.find(id);
  if (time == times_.end()) return false;
  const auto it = timers_.find({time->second, id});
  dropped = std::move(it->second);
  timers_.erase(it);
  times_.erase(time);
  return true;
}

void TimerQueue::RunTimers() {
  while (true) {
    std::function<void()> callback;
    {
      MutexLock lock(mutex_);
      while (!stopping_) {
        if (timers_.empty()) {
          changed_.Wait(mutex_);
        } else if (const TimePoint next = timers_.begin()->first.first;
                   next > std::chrono::steady_clock::now()) {
          changed_.WaitUntil(mutex_, next);
        } else {
          break;
        }
      }
      if (stopping_) return;
      const auto it = timers_.begin();
      callback = std::move(it->second);
      times_.erase(it->first.second);
      timers_.erase(it);
    }
    callback();
  }
}

}  // namespace acceld

#pragma once

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace acceld {

// Hints to the processor that this thread is busy-waiting (PAUSE on x86-64, YIELD on AArch64).
inline void CpuRelax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Calls `ready` repeatedly until it returns true or `window` has passed; returns its last result.
// After each call that returns false it yields the core, because one of the threads that wait for
// this core may be the one that makes `ready` true.
template <typename Clock = std::chrono::steady_clock, typename Ready>
bool PollFor(std::chrono::nanoseconds window, const Ready& ready) {
  const auto end = Clock::now() + window;
  do {
    if (ready()) return true;
    std::this_thread::yield();
  } while (Clock::now() < end);
  return ready();
}

// Decides whether a thread should busy-poll for an event before it sleeps until the event comes.
// Waking a sleeping thread takes tens of microseconds, so the thread should still be awake for an
// event that comes sooner than that; polling for one that comes later only keeps a core from other
// threads. Therefore the thread polls only if its recent waits were short, and not while other
// threads occupy the core for long: a thread that sleeps gets the core back sooner than one that
// yields it.
//
// The clock is a parameter for the sake of tests. Not thread-safe.
template <typename ClockType>
class BasicBusyPoll {
 public:
  using Clock = ClockType;

  // Polls for `window` at a time; 0: never polls. Waits of up to `longest`, if that is more, are
  // still worth polling: the thread sleeps first, and polls only around the time at which it
  // expects the event (see rest).
  explicit BasicBusyPoll(std::chrono::nanoseconds window, std::chrono::nanoseconds longest = {})
      : window_(window), longest_(std::max(window, longest)) {}

  // Whether the thread should poll in its next wait.
  bool should_poll() const {
    static const bool has_cores = std::thread::hardware_concurrency() > 1;
    return has_cores && window_.count() > 0 && num_long_waits_ < kMaxLongWaits &&
           waits_to_skip_ == 0 && (paused_until_ == TimePoint() || Clock::now() >= paused_until_);
  }
  // How long to sleep before polling. Not 0 if recent events came so late that a window which
  // begins at once would be over; the window then begins so that the event is expected in its
  // middle.
  std::chrono::nanoseconds sleep_before_poll() const {
    return expected_ <= window_ ? std::chrono::nanoseconds(0) : expected_ - window_ / 2;
  }
  // Polls `ready` for the window; returns whether it became true.
  template <typename Ready>
  bool Await(const Ready& ready) {
    TimePoint last = Clock::now();
    return PollFor<Clock>(window_, [&] {
      const TimePoint now = Clock::now();
      const auto away = now - std::exchange(last, now);
      if (!ready()) return false;
      if (away > kDescheduledGap) {
        paused_until_ = now + away * kPause;
        waits_to_skip_ = std::exchange(pause_, std::min(4 * pause_, kLongestPause));
        undelayed_polls_ = 0;
      } else if (++undelayed_polls_ >= kUndelayedPolls) {
        pause_ = kShortestPause;
        undelayed_polls_ = 0;
      }
      return true;
    });
  }
  // Records that the event came so long after the wait for it began, whether the thread polled or
  // slept.
  void RecordWait(std::chrono::nanoseconds waited) {
    constexpr std::chrono::microseconds kWakeUp{50};  // How late a sleeping thread wakes up.
    if (waits_to_skip_ > 0) --waits_to_skip_;
    expected_ = std::min(std::exchange(last_, waited), waited);
    if (waited <= longest_ + kWakeUp) {
      num_long_waits_ = 0;
    } else if (num_long_waits_ < kMaxLongWaits) {
      ++num_long_waits_;
    }
  }

 private:
  using TimePoint = typename Clock::time_point;

  // After so many too long waits in a row the thread does not poll, until a wait is short again.
  static constexpr int kMaxLongWaits = 3;
  // A longer gap between two polls means that another thread has had the core. If the event came
  // during the gap, polling has delayed its receiver; otherwise nothing was lost.
  static constexpr std::chrono::microseconds kDescheduledGap{500};
  // After such a delay the thread does not poll for kPause times the length of the gap,
  static constexpr int kPause = 50;
  // nor in a number of waits that grows fourfold with each delay, from kShortestPause to
  // kLongestPause: where cores are always scarce, polling must delay fewer than one wait in a
  // hundred.
  static constexpr int kShortestPause = 50, kLongestPause = 400;
  // After so many successful polls without a delay the pause begins at kShortestPause again.
  static constexpr int kUndelayedPolls = 256;

  const std::chrono::nanoseconds window_, longest_;
  std::chrono::nanoseconds last_{0}, expected_{0};
  int num_long_waits_ = 0;
  int pause_ = kShortestPause, undelayed_polls_ = 0;
  int waits_to_skip_ = 0;  // the number of the next waits without polling
  TimePoint paused_until_;
};

using BusyPoll = BasicBusyPoll<std::chrono::steady_clock>;

}  // namespace acceld

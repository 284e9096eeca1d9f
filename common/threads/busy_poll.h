#pragma once

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace acceld {

// Tells the core that this thread only looks out for something.
inline void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Calls `ready` again and again until it is true or `window` has passed; what it said last. Other
// threads that want this core go first after each look: one of them may be who is waited for.
template <typename Clock = std::chrono::steady_clock, typename Ready>
bool PollFor(std::chrono::nanoseconds window, const Ready& ready) {
  const auto end = Clock::now() + window;
  do {
    if (ready()) return true;
    std::this_thread::yield();
  } while (Clock::now() < end);
  return ready();
}

// Whether to look out for something before sleeping until it comes: waking a sleeping thread takes
// tens of microseconds, so that what comes sooner should find it awake, and what does not should
// not keep a core from others. It has paid lately, or it is not done; nor is it while other threads
// want the core for long, which a thread that sleeps gets back sooner than one that lets them go
// first. Tests bring their own clock. One thread at a time.
template <typename ClockType>
class BasicBusyPoll {
 public:
  using Clock = ClockType;

  // Looks out for `window` at a time; 0: never. What comes up to `longest` after the waiting for it
  // began is looked out for at the end of that time only: see rest.
  explicit BasicBusyPoll(std::chrono::nanoseconds window, std::chrono::nanoseconds longest = {})
      : window_(window), longest_(std::max(window, longest)) {}

  bool is_worthwhile() const {
    static const bool has_cores = std::thread::hardware_concurrency() > 1;
    return has_cores && window_.count() > 0 && in_vain_ < kMaxInVain && left_out_ == 0 &&
           (crowded_until_ == TimePoint() || Clock::now() >= crowded_until_);
  }
  // How long to sleep first, as it has been so late lately that the window, in the middle of which
  // it is expected then, would be over.
  std::chrono::nanoseconds rest() const {
    return expected_ <= window_ ? std::chrono::nanoseconds(0) : expected_ - window_ / 2;
  }
  // Whether `ready` was true within the window.
  template <typename Ready>
  bool Await(const Ready& ready) {
    TimePoint last = Clock::now();
    return PollFor<Clock>(window_, [&] {
      const TimePoint now = Clock::now();
      const auto away = now - std::exchange(last, now);
      if (!ready()) return false;
      if (away > kCrowded) {
        crowded_until_ = now + away * kPause;
        left_out_ = std::exchange(pause_, std::min(4 * pause_, kLongestPause));
        calm_ = 0;
      } else if (++calm_ >= kCalm) {
        pause_ = kShortestPause;
        calm_ = 0;
      }
      return true;
    });
  }
  // It came so long after the waiting for it began.
  void Learn(std::chrono::nanoseconds waited) {
    constexpr std::chrono::microseconds kWakeUp{50};  // Whoever slept is late by so much.
    if (left_out_ > 0) --left_out_;
    expected_ = std::min(std::exchange(last_, waited), waited);
    if (waited <= longest_ + kWakeUp) {
      in_vain_ = 0;
    } else if (in_vain_ < kMaxInVain) {
      ++in_vain_;
    }
  }

 private:
  using TimePoint = typename Clock::time_point;

  static constexpr int kMaxInVain = 3;
  // No answer takes so long to be looked for: another thread has had the core while it came. Where
  // nothing came meanwhile, nothing was lost.
  static constexpr std::chrono::microseconds kCrowded{500};
  // After such a loss nothing is looked out for during so many times what was lost,
  static constexpr int kPause = 50;
  // nor in so many waits, more from loss to loss: where cores are short all the time, one wait in a
  // hundred must not be among those that lose.
  static constexpr int kShortestPause = 50, kLongestPause = 400;
  static constexpr int kCalm = 256;  // After so many looks without a loss it begins anew.

  const std::chrono::nanoseconds window_, longest_;
  std::chrono::nanoseconds last_{0}, expected_{0};
  int in_vain_ = 0;
  int pause_ = kShortestPause, calm_ = 0;
  int left_out_ = 0;  // waits in which nothing is looked out for
  TimePoint crowded_until_;
};

using BusyPoll = BasicBusyPoll<std::chrono::steady_clock>;

}  // namespace acceld

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace acceld::runtime {

// The estimated time of the work that was given to an in-order device and is not done. The device
// is given more work as long as this time is less than a window. The window is long enough to keep
// the device busy, and short enough that other work, when it arrives, waits for little more than
// the piece that runs.
//
// Not thread-safe.
class RunAhead {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // The estimate for work of unknown duration: no work is added after it.
  static constexpr std::chrono::nanoseconds kUnknown = std::chrono::hours(1);

  // `max_count` is the most pieces of work at a time, however short they are. Both arguments are at
  // least 1.
  RunAhead(size_t max_count, std::chrono::nanoseconds window)
      : max_count_(max_count), window_(window) {}

  size_t count() const { return estimates_.size(); }
  // Adds a piece of work with the given estimate.
  void Add(std::chrono::nanoseconds estimate, TimePoint now);
  // Removes the piece that was added last, as it never reached the device.
  void DropLast();
  // Removes the first piece, as it is done.
  void FinishFirst(TimePoint now);

  // Returns whether another piece may be added. Always true when there is none.
  bool IsOpen(TimePoint now) const;
  // Returns whether at least half of the window is free, so that it is worth waking the thread that
  // adds work.
  bool WantsRefill(TimePoint now) const;
  // Returns when WantsRefill will become true if no piece ends before; TimePoint::max() when it
  // will not before a piece ends.
  TimePoint RefillTime() const;

 private:
  std::chrono::nanoseconds Remaining(TimePoint now) const;

  const size_t max_count_;
  const std::chrono::nanoseconds window_;
  std::deque<std::chrono::nanoseconds> estimates_;
  std::chrono::nanoseconds sum_{0};
  TimePoint first_since_;  // when the first piece began
};

}  // namespace acceld::runtime

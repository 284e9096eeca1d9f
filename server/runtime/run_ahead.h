#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace acceld::runtime {

// What was given to an in-order device and is not done, in estimated time. A device is given work
// while what it has is expected to last for less than a window: enough to keep it busy, and little
// enough that the work of another, when it comes, waits for little more than what runs now.
//
// Not thread-safe.
class RunAhead {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // Stands for work whose time nobody knows: nothing is put behind it.
  static constexpr std::chrono::nanoseconds kUnknown = std::chrono::hours(1);

  // At most `max_count` pieces of work at a time, however short; both at least 1.
  RunAhead(size_t max_count, std::chrono::nanoseconds window)
      : max_count_(max_count), window_(window) {}

  size_t count() const { return estimates_.size(); }
  void Add(std::chrono::nanoseconds estimate, TimePoint now);
  // Takes back the last piece that was added: it never reached the device.
  void DropLast();
  void FinishFirst(TimePoint now);

  // Whether another piece may be added. Always when there is none.
  bool IsOpen(TimePoint now) const;
  // Whether it is worth waking the one who adds: half of the window is free.
  bool WantsRefill(TimePoint now) const;
  // When it will be if nothing finishes before: work of long duration is followed up shortly before
  // it ends. The clock's end where only the end of some work can tell.
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

#include "server/runtime/schedule/run_ahead.h"

#include <algorithm>

#include "common/check.h"

namespace acceld::runtime {

void RunAhead::Add(std::chrono::nanoseconds estimate, TimePoint now) {
  if (estimates_.empty()) first_since_ = now;
  estimates_.push_back(estimate);
  sum_ += estimate;
}

void RunAhead::DropLast() {
  ACCELD_CHECK(!estimates_.empty());
  sum_ -= estimates_.back();
  estimates_.pop_back();
}

void RunAhead::FinishFirst(TimePoint now) {
  ACCELD_CHECK(!estimates_.empty());
  sum_ -= estimates_.front();
  estimates_.pop_front();
  first_since_ = now;
}

std::chrono::nanoseconds RunAhead::Remaining(TimePoint now) const {
  if (estimates_.empty()) return std::chrono::nanoseconds(0);
  // The first piece may take longer than estimated, which says nothing about the others.
  const std::chrono::nanoseconds elapsed = std::clamp<std::chrono::nanoseconds>(
      now - first_since_, std::chrono::nanoseconds(0), estimates_.front());
  return sum_ - elapsed;
}

bool RunAhead::IsOpen(TimePoint now) const {
  return estimates_.empty() || (estimates_.size() < max_count_ && Remaining(now) < window_);
}

bool RunAhead::WantsRefill(TimePoint now) const {
  return estimates_.size() <= max_count_ / 2 && Remaining(now) <= window_ / 2;
}

RunAhead::TimePoint RunAhead::RefillTime() const {
  if (estimates_.empty() || estimates_.size() > max_count_ / 2 ||
      sum_ - estimates_.front() > window_ / 2) {
    return TimePoint::max();
  }
  return first_since_ + std::max(sum_ - window_ / 2, std::chrono::nanoseconds(0));
}

}  // namespace acceld::runtime

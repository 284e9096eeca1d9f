#include "client/pjrt/late_questions.h"

#include <utility>
#include <vector>

#include "absl/types/optional.h"

namespace acceld::pjrt {

using client::Array;

Future<Unit> LateQuestions::EndOf(const Array& array) {
  auto promise = std::make_shared<Promise<Unit>>();
  const Future<Unit> end = promise->future();
  array.WhenAsked().OnReady([promise](const absl::StatusOr<client::ExecutionInfo>& info) {
    promise->Set(info.ok() ? absl::StatusOr<Unit>(Unit{}) : absl::StatusOr<Unit>(info.status()));
  });
  if (end.IsReady()) return end;
  const Clock::time_point due = Clock::now() + kPatience;
  bool timer_is_set;
  {
    MutexLock lock(mutex_);
    // Most are answered by now, so the list stays short without the timer.
    for (int i = 0; i < 2 && !open_.empty() && open_.front().end.IsReady(); ++i) open_.pop_front();
    open_.push_back({due, client::WeakArray(array), end});
    timer_is_set = std::exchange(timer_is_set_, true);
  }
  if (!timer_is_set) timers_.At(due, [this] { AskAll(); });
  return end;
}

void LateQuestions::AskAll() {
  std::vector<client::WeakArray> due;
  absl::optional<Clock::time_point> next;
  {
    MutexLock lock(mutex_);
    const Clock::time_point now = Clock::now();
    while (!open_.empty() && open_.front().due <= now) {
      due.push_back(std::move(open_.front().array));
      open_.pop_front();
    }
    if (!open_.empty()) next = open_.front().due;
    timer_is_set_ = next.has_value();
  }
  if (next.has_value()) timers_.At(*next, [this] { AskAll(); });
  for (const client::WeakArray& array : due) (void)array.Ready();
}

}  // namespace acceld::pjrt

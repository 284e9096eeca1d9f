#include "client/pjrt/compile/deferred_queries.h"

#include <atomic>
#include <utility>
#include <vector>

#include "absl/types/optional.h"

namespace acceld::pjrt {

using client::Array;
using client::WeakArray;

Array FirstHeld(const ResultsOfExecution& results) {
  for (const WeakArray& weak : *results) {
    if (!weak.IsHeld()) continue;
    if (Array array = weak.Lock(); array.valid()) return array;
  }
  return Array();
}

// The end of one execution. Only the first status that is reported counts. Thread-safe.
class DeferredQueries::Answer {
 public:
  void Give(const absl::Status& status) {
    if (is_given_.exchange(true)) return;
    promise_.Set(status.ok() ? absl::StatusOr<Unit>(Unit{}) : absl::StatusOr<Unit>(status));
  }
  const Future<Unit>& end() const { return end_; }

 private:
  std::atomic<bool> is_given_{false};
  Promise<Unit> promise_;
  const Future<Unit> end_ = promise_.future();
};

Future<Unit> DeferredQueries::EndOf(const ResultsOfExecution& results) {
  const auto answer = std::make_shared<Answer>();
  Future<Unit> end = answer->end();
  {
    const Array array = FirstHeld(results);
    if (!array.valid()) return absl::StatusOr<Unit>(Unit{});
    array.ReadyWithoutRequest().OnReady(
        [answer](const absl::StatusOr<client::ExecutionInfo>& info) {
          answer->Give(info.status());
        });
  }
  if (end.IsReady()) return end;
  const Clock::time_point due = Clock::now() + kPatience;
  bool timer_is_set;
  {
    MutexLock lock(mutex_);
    // Most questions are answered by now; removing these keeps the list short without the timer.
    for (int i = 0; i < 2 && !open_.empty() && open_.front().answer->end().IsReady(); ++i) {
      open_.pop_front();
    }
    open_.push_back({due, results, answer});
    timer_is_set = std::exchange(timer_is_set_, true);
  }
  if (!timer_is_set) timers_.At(due, [this] { SendDue(); });
  return end;
}

void DeferredQueries::SendDue() {
  std::vector<Question> due;
  absl::optional<Clock::time_point> next;
  {
    MutexLock lock(mutex_);
    const Clock::time_point now = Clock::now();
    while (!open_.empty() && open_.front().due <= now) {
      due.push_back(std::move(open_.front()));
      open_.pop_front();
    }
    if (!open_.empty()) next = open_.front().due;
    timer_is_set_ = next.has_value();
  }
  if (next.has_value()) timers_.At(*next, [this] { SendDue(); });
  for (const Question& question : due) Ask(question);
}

void DeferredQueries::Ask(const Question& question) {
  for (const WeakArray& weak : *question.results) {
    // Holds the array until the request has been sent, but not until it is answered.
    const Array array = weak.Lock();
    if (!array.valid() || !weak.IsHeld()) continue;
    const Future<client::ExecutionInfo> ready = weak.Ready();
    // The callback that EndOf has registered reports the answer.
    if (!ready.IsReady()) return;
    // If another thread has just donated the array, the status is about that and does not count.
    if (weak.IsHeld()) return question.answer->Give(ready.Await().status());
  }
  question.answer->Give(absl::OkStatus());
}

}  // namespace acceld::pjrt

#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include "client/array.h"
#include "common/threads/mutex.h"
#include "common/threads/timer_queue.h"

namespace acceld::pjrt {

// The arrays that one execution makes, as weak references. Copies share one list.
using ResultsOfExecution = std::shared_ptr<const std::vector<client::WeakArray>>;

// Returns the first array that still exists and was not donated, or an empty Array if there is
// none.
client::Array FirstHeld(const ResultsOfExecution& results);

// Reports how executions have ended, and asks the daemon about an execution only if nothing else
// has done so for kPatience.
//
// JAX registers a callback for the end of each execution, but seldom uses the result. Asking the
// daemon each time would cost as much as the execution of a small program, whereas most arrays are
// awaited, fetched or released within kPatience. Thread-safe.
class DeferredQueries {
 public:
  static constexpr std::chrono::milliseconds kPatience{20};

  // Returns a future for the end of the execution that makes `results`. Neither the future nor the
  // request to the daemon keeps the arrays alive. If all of them are released or donated before the
  // request is sent or answered, the future completes with OK, and the daemon may cancel the
  // execution if it has not ended.
  Future<Unit> EndOf(const ResultsOfExecution& results);

 private:
  using Clock = std::chrono::steady_clock;
  class Answer;

  // An execution whose end nothing has reported yet; the daemon is asked at `due`.
  struct Question {
    Clock::time_point due;
    ResultsOfExecution results;
    // Shared with the callbacks that report the end.
    std::shared_ptr<Answer> answer;
  };

  // Sends the requests that are due, and sets the timer for the next one.
  void SendDue();
  static void Ask(const Question& question);

  Mutex mutex_;
  std::deque<Question> open_ ABSL_GUARDED_BY(mutex_);
  bool timer_is_set_ ABSL_GUARDED_BY(mutex_) = false;
  TimerQueue timers_{"late questions", 1};
};

}  // namespace acceld::pjrt

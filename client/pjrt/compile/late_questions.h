#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include "client/array.h"
#include "common/threads/mutex.h"
#include "common/threads/timer_queue.h"

namespace acceld::pjrt {

// The arrays that one execution makes. They are not kept alive. Copies share.
using ResultsOfExecution = std::shared_ptr<const std::vector<client::WeakArray>>;

// The first of them that is there and was not donated; empty if none is.
client::Array FirstHeld(const ResultsOfExecution& results);

// Asks the daemon how executions have ended about which nobody has asked for a while.
//
// JAX registers a callback for the end of each execution, and seldom looks at what it gets. Asking
// the daemon each time would cost as much as the execution of a small program; most arrays are
// waited for, fetched or gone before the while is over. Thread-safe.
class LateQuestions {
 public:
  static constexpr std::chrono::milliseconds kPatience{20};

  // The end of the execution that makes `results`, which are not kept alive, by the question to the
  // daemon neither: OK when all of them are gone or donated before it is asked or answered, after
  // which the daemon drops what has not ended.
  Future<Unit> EndOf(const ResultsOfExecution& results);

 private:
  using Clock = std::chrono::steady_clock;
  class Answer;

  struct Question {
    Clock::time_point due;
    ResultsOfExecution results;
    std::shared_ptr<Answer> answer;  // Shared with what is told of the end.
  };

  void AskAll();
  static void Ask(const Question& question);

  Mutex mutex_;
  std::deque<Question> open_ ABSL_GUARDED_BY(mutex_);
  bool timer_is_set_ ABSL_GUARDED_BY(mutex_) = false;
  TimerQueue timers_{"late questions", 1};
};

}  // namespace acceld::pjrt

#pragma once

#include <chrono>
#include <deque>
#include <memory>

#include "client/array.h"
#include "common/mutex.h"
#include "common/timer_queue.h"

namespace acceld::pjrt {

// Asks the daemon how executions have ended about which nobody has asked for a while.
//
// JAX registers a callback for the end of each execution, and seldom looks at what it gets. Asking
// the daemon each time would cost as much as the execution of a small program; most arrays are
// waited for, fetched or gone before the while is over. Thread-safe.
class LateQuestions {
 public:
  static constexpr std::chrono::milliseconds kPatience{20};

  // The end of the execution that makes `array`, which is not kept alive, by the question to the
  // daemon neither: OK when all arrays of the execution are gone before it is answered, after which
  // the daemon drops what has not ended.
  Future<Unit> EndOf(const client::Array& array);

 private:
  using Clock = std::chrono::steady_clock;

  struct Question {
    Clock::time_point due;
    client::WeakArray array;
    Future<Unit> end;
  };

  void AskAll();

  Mutex mutex_;
  std::deque<Question> open_ ABSL_GUARDED_BY(mutex_);
  bool timer_is_set_ ABSL_GUARDED_BY(mutex_) = false;
  TimerQueue timers_{"late questions", 1};
};

}  // namespace acceld::pjrt

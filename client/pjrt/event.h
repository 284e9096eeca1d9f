#pragma once

#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "client/array.h"
#include "client/pjrt/abi/abi.h"
#include "client/pjrt/compile/late_questions.h"
#include "common/threads/future.h"

// Something that the framework can wait for: it ends well or with an error. Immutable, so any
// thread may use it.
struct PJRT_Event {
  // The end of the execution that makes these arrays, which the event does not keep alive: when
  // nobody has asked how it ended before all of them are gone, it is taken to have ended well. A
  // callback costs no question to the daemon (LateQuestions); whoever waits asks.
  struct End {
    acceld::pjrt::ResultsOfExecution results;
    acceld::pjrt::LateQuestions* late_questions;
  };
  // What it waits for: nothing; the value of an array, which it does not keep alive either: when
  // the last buffer with results of the same execution is destroyed before that is there, it is
  // ready, as nobody can look at the value any more; the end of an execution; or a future of the
  // client library.
  std::variant<absl::Status, acceld::client::WeakArray, End, acceld::Event> source;
};

namespace acceld::pjrt {

// An event that has happened: with OK, or an error.
inline PJRT_Event* DecidedEvent(absl::Status status) { return new PJRT_Event{std::move(status)}; }

}  // namespace acceld::pjrt

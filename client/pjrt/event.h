#pragma once

#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "client/array.h"
#include "client/pjrt/abi/abi.h"
#include "client/pjrt/compile/deferred_queries.h"
#include "common/threads/future.h"

// Something that the framework can wait for, with a status as its outcome. Immutable, so any thread
// may use it.
struct PJRT_Event {
  // The end of the execution that makes these arrays. The event does not keep them alive: if all of
  // them are released before the outcome was requested, the execution counts as successful. Waiting
  // for the event asks the daemon; registering a callback does not (DeferredQueries).
  struct End {
    acceld::pjrt::ResultsOfExecution results;
    acceld::pjrt::DeferredQueries* deferred_queries;
  };
  // What the event waits for. A Status: nothing, it has happened. A WeakArray: the array's value;
  // if the last buffer with results of the same execution is destroyed before, the event is ready,
  // because nothing can read the value any more. An End: the end of an execution. An Event: a
  // future of the client library.
  std::variant<absl::Status, acceld::client::WeakArray, End, acceld::Event> source;
};

namespace acceld::pjrt {

// Returns an event that has happened already, with OK or an error.
inline PJRT_Event* CompletedEvent(absl::Status status) { return new PJRT_Event{std::move(status)}; }

}  // namespace acceld::pjrt

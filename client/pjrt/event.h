#pragma once

#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "client/array.h"
#include "client/pjrt/abi/abi.h"
#include "common/future.h"

// Something that the framework can wait for: it ends well or with an error. Immutable, so any
// thread may use it.
struct PJRT_Event {
  // What it waits for: nothing, the value of an array, or a future of the client library.
  std::variant<absl::Status, acceld::client::Array, acceld::Event> source;
};

namespace acceld::pjrt {

// An event that has happened: with OK, or an error.
inline PJRT_Event* DecidedEvent(absl::Status status) { return new PJRT_Event{std::move(status)}; }

}  // namespace acceld::pjrt

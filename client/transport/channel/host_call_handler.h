#pragma once

#include <cstdint>

#include "acceld/v1/acceld.pb.h"
#include "common/status.h"

namespace acceld::client {

// Hears what the daemon says about host callbacks. Called by a connection's threads; must not
// block.
class HostCallHandler {
 public:
  virtual ~HostCallHandler() = default;
  // A call, which may have come before: its number says so.
  virtual void OnHostCall(v1::HostCall call) = 0;
  // The execution with these callbacks has ended; may have been said before.
  virtual void OnCallbacksDone(uint64_t callbacks, const absl::Status& status) = 0;
  // The session is over: nothing more is called, but this may be called again.
  virtual void OnSessionEnd(const absl::Status& reason) = 0;
  // Whether something may come.
  virtual bool ExpectsEvents() const = 0;
};

}  // namespace acceld::client

#pragma once

#include <cstdint>

#include "acceld/v1/acceld.pb.h"
#include "common/status.h"

namespace acceld::client {

// Receives the daemon's events about host callbacks. Called by the connection's threads;
// implementations must not block.
class HostCallHandler {
 public:
  virtual ~HostCallHandler() = default;
  // The daemon requests a call. After the session was resumed, the daemon may repeat an earlier
  // request with the same call_id.
  virtual void OnHostCall(v1::HostCall call) = 0;
  // The execution with this `callbacks` number has ended with this status. May be called repeatedly
  // for the same execution.
  virtual void OnCallbacksDone(uint64_t callbacks, const absl::Status& status) = 0;
  // The session has ended. No other function is called afterwards, but this one may be called
  // again.
  virtual void OnSessionEnd(const absl::Status& reason) = 0;
  // Returns whether events for this handler may arrive.
  virtual bool ExpectsEvents() const = 0;
};

}  // namespace acceld::client

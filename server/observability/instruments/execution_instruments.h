#pragma once

#include "server/observability/instruments/counter.h"
#include "server/observability/instruments/histogram.h"

namespace acceld::observability {

// The counters of a device's executor for its executions.
struct ExecutionInstruments {
  Histogram queue_time;      // from the command until the device begins
  Histogram device_time;     // from there until the results are final
  Histogram host_call_time;  // how long runs waited for the answer to a host call, or to be ended
  StatusCounter ended;       // by status; including cancelled executions
  Counter donated_bytes;     // of results that were written over donated arguments
};

}  // namespace acceld::observability

#pragma once

#include "server/observability/instruments/counter.h"
#include "server/observability/instruments/histogram.h"

namespace acceld::observability {

// What the executor of one device counts about its executions.
struct ExecutionInstruments {
  Histogram queue_time;      // from the command until the device begins
  Histogram device_time;     // from there until the results are final
  Histogram host_call_time;  // that runs waited for an answer of their client, or to be ended
  StatusCounter ended;       // as they ended; cancelled ones too
  Counter donated_bytes;     // of results that were written over donated arguments
};

}  // namespace acceld::observability

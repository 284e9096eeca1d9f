#pragma once

#include "client/pjrt/abi/abi.h"

namespace acceld::pjrt {

// Lets the framework's profiler (jax.profiler.trace) show what the daemon did for this process
// between its start and its stop: xplane.h says how. Only what has ended by then is seen, so that a
// program should wait for its results first. Of several clients in a process the last one counts.
//
// Stopping asks the daemon and blocks for the answer. When there is none, because the daemon keeps
// no trace or is gone, the profile says so, and has everything else.
PJRT_Extension_Base* ProfilerExtension(PJRT_Extension_Base* next);

}  // namespace acceld::pjrt

#pragma once

#include "client/pjrt/abi/abi.h"

namespace acceld::pjrt {

// Returns the extension by which the framework's profiler (jax.profiler.trace) includes what the
// daemon did for this process between the profiler's start and stop, in the form of xplane.h. Only
// work that has ended by then is included, so a program should wait for its results first. If the
// process has several clients, only the last one is included. `next` is the successor in the list
// of extensions.
//
// Stopping the profiler asks the daemon and blocks for the answer. If there is none, because the
// daemon keeps no trace or has gone, the profile says so; its other parts are complete.
PJRT_Extension_Base* ProfilerExtension(PJRT_Extension_Base* next);

}  // namespace acceld::pjrt

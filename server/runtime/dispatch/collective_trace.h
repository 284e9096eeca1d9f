#pragma once

#include <functional>

#include "server/hal/gang.h"
#include "server/observability/instruments/trace_ring.h"

namespace acceld::runtime {

class Task;

// A loop may run any number of collectives, and everybody's spans share the trace. So a run has
// this many spans at most for single collectives, and one for all that follow.
inline constexpr int kMaxCollectiveSpans = 1000;

// Returns what records the collectives of a run in the trace, for hal::Launch::on_collective. The
// task, on device number `device`, must be a member of a gang. When the last copy of the function
// is destroyed, the collectives that have no span of their own are recorded as one, whose name is
// "7 more collectives". Returns nullptr if nothing is traced; `trace` may be nullptr. The trace
// must outlive the function.
std::function<void(const hal::CollectiveRecord&)> CollectiveTraceOf(observability::TraceRing* trace,
                                                                    int device, const Task& task);

}  // namespace acceld::runtime

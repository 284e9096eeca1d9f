#include "common/thread_priority.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace acceld {
namespace {

// Each step is worth about a quarter of a processor's time.
constexpr int kSteps = 5, kLowest = 19;

}  // namespace

void LowerThreadPriority() {
  // A thread begins with the priority of the one that made it. On Linux it is each thread's own.
  const int usual = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), std::min(usual + kSteps, kLowest));
}

}  // namespace acceld

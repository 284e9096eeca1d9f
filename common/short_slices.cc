#include "common/short_slices.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace acceld {
namespace {

// The first version of the system's struct sched_attr, which C libraries do not declare.
struct SchedulingAttributes {
  uint32_t size = sizeof(SchedulingAttributes);
  uint32_t policy = 0;  // SCHED_OTHER
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime_ns = 0;
  uint64_t deadline_ns = 0;
  uint64_t period_ns = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

// Threads that this one starts have the usual slices.
constexpr uint64_t kResetOnFork = 1;

// The shortest there is.
constexpr uint64_t kSliceNs = 100'000;

}  // namespace

void PreferShortSlices() {
#ifdef SYS_sched_setattr
  SchedulingAttributes attributes;
  SchedulingAttributes now;
  // A thread that somebody has given another policy keeps it.
  if (syscall(SYS_sched_getattr, 0, &now, sizeof(now), 0) != 0 || now.policy != 0) return;
  attributes.flags = kResetOnFork;
  attributes.nice = now.nice;
  attributes.runtime_ns = kSliceNs;
  (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
#endif
}

}  // namespace acceld

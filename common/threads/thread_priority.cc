#include "common/threads/thread_priority.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
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

// Threads that this one starts have the usual slices, and no negative nice value.
constexpr uint64_t kResetOnFork = 1;

// The shortest slice that the kernel accepts.
constexpr uint64_t kSliceNs = 100'000;

constexpr int kLowestNice = -20;

// Gives the calling thread short slices and a nice value that is lower by `nice`. Returns whether
// the system permits that.
bool SetShortSlices(int nice) {
#ifdef SYS_sched_setattr
  SchedulingAttributes now;
  // A thread with another scheduling policy keeps it.
  if (syscall(SYS_sched_getattr, 0, &now, sizeof(now), 0) != 0 || now.policy != 0) return true;
  SchedulingAttributes wanted;
  wanted.flags = kResetOnFork;
  wanted.nice = now.nice > 0 ? now.nice : std::max(now.nice - nice, kLowestNice);
  wanted.runtime_ns = kSliceNs;
  return syscall(SYS_sched_setattr, 0, &wanted, 0) == 0;
#else
  (void)nice;
  return true;
#endif
}

}  // namespace

void PreferShortSlices() { (void)SetShortSlices(0); }

void PrioritizeMessageThread() {
  if (!SetShortSlices(kMessageNice)) PreferShortSlices();
}

}  // namespace acceld

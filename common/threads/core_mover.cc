#include "common/threads/core_mover.h"

#include <sched.h>

namespace acceld {

int CurrentCore() { return sched_getcpu(); }

void CoreMover::MoveOffCore(int core) {
  if (core < 0 || core >= CPU_SETSIZE || core != CurrentCore()) return;
  if (++met_ < patience_) return;
  const Clock::time_point begin = Clock::now();
  if (begin < not_before_) return;
  cpu_set_t allowed;
  // Fails on machines with more cores than a cpu_set_t has.
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  cpu_set_t others = allowed;
  CPU_CLR(core, &others);
  if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0) {
    (void)sched_setaffinity(0, sizeof allowed, &allowed);
  }
  met_ = 0;
  const Clock::time_point end = Clock::now();
  not_before_ = end + (end - begin) * kMaxShare;
}

}  // namespace acceld

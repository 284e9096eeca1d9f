#include "server/hal/cpu/idle_core_detector.h"

#include <time.h>

#include <utility>

#include "server/hal/cpu/host_info.h"

namespace acceld::hal::cpu {
namespace {

// A core counts as idle while the other threads use all the other cores and at most kMostUsed of
// kParts parts of this core's time.
constexpr int kParts = 8, kMostUsed = 1;

std::chrono::nanoseconds Read(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

bool IdleCoreDetector::HasIdleCore() {
  const auto now = Read(CLOCK_MONOTONIC);
  const auto used = Read(CLOCK_PROCESS_CPUTIME_ID) - Read(CLOCK_THREAD_CPUTIME_ID);
  const auto passed = now - std::exchange(last_check_, now);
  static const int cores = AvailableCores();
  return (used - std::exchange(used_, used)) * kParts < passed * (kParts * (cores - 1) + kMostUsed);
}

}  // namespace acceld::hal::cpu

#include "server/hal/cpu/idle_process.h"

#include <time.h>

#include <utility>

namespace acceld::hal::cpu {
namespace {

// Of one core's time.
constexpr int kBusyPart = 8;

std::chrono::nanoseconds Read(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

bool IdleProcess::Look() {
  const auto now = Read(CLOCK_MONOTONIC);
  const auto used = Read(CLOCK_PROCESS_CPUTIME_ID) - Read(CLOCK_THREAD_CPUTIME_ID);
  const auto passed = now - std::exchange(looked_at_, now);
  return (used - std::exchange(used_, used)) * kBusyPart < passed;
}

}  // namespace acceld::hal::cpu

#include "server/hal/cpu/idle_core_detector.h"

#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>

#include "server/hal/cpu/host_info.h"

namespace acceld::hal::cpu {
namespace {

using std::chrono::nanoseconds;

// A core counts as idle while others use at most kMostUsed of kParts parts of its time.
constexpr int kParts = 8, kMostUsed = 1;

nanoseconds Read(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

// Reads the first line of /proc/stat: times of all cores together, the fourth of which is idle time
// and the fifth idle time in which a disk is busy.
absl::optional<nanoseconds> ReadIdleTime() {
  static const int64_t ticks_per_second = sysconf(_SC_CLK_TCK);
  std::ifstream stat("/proc/stat");
  std::string label;
  int64_t user, nice, system, idle, waits_for_disk;
  stat >> label >> user >> nice >> system >> idle >> waits_for_disk;
  if (!stat || ticks_per_second <= 0) return absl::nullopt;
  return nanoseconds((idle + waits_for_disk) * (1'000'000'000 / ticks_per_second));
}

IdleCoreDetector::Times ReadTimes() {
  return {.now = Read(CLOCK_MONOTONIC),
          .process = Read(CLOCK_PROCESS_CPUTIME_ID),
          .thread = Read(CLOCK_THREAD_CPUTIME_ID),
          .idle = ReadIdleTime()};
}

}  // namespace

IdleCoreDetector::IdleCoreDetector() : IdleCoreDetector(AvailableCores(), ReadTimes) {}

IdleCoreDetector::IdleCoreDetector(int num_cores, std::function<Times()> read)
    : num_cores_(num_cores),
      read_(std::move(read)),
      last_call_(read_()),
      period_start_(last_call_) {}

bool IdleCoreDetector::HasIdleCore() {
  const Times times = read_();
  if (const nanoseconds period = times.now - period_start_.now; period >= kPeriod) {
    if (times.idle.has_value() && period_start_.idle.has_value()) {
      const nanoseconds available =
          *times.idle - *period_start_.idle + (times.thread - period_start_.thread);
      others_leave_a_core_ = available * kParts >= period * (kParts - kMostUsed);
    }
    period_start_ = times;
  }
  const nanoseconds passed = times.now - last_call_.now;
  const nanoseconds used =
      (times.process - last_call_.process) - (times.thread - last_call_.thread);
  last_call_ = times;
  return others_leave_a_core_ && used * kParts < passed * (kParts * (num_cores_ - 1) + kMostUsed);
}

}  // namespace acceld::hal::cpu

// Loaded before others (LD_PRELOAD) into a program, moves its CLOCK_REALTIME by the nanoseconds
// that stand, as an int64, in the file $ACCELD_TEST_CLOCK. They may change at any time, and waits
// until a point of that clock end when it comes, as after a jump of the machine's own clock.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
// A wait polls so often whether the clock was moved.
constexpr int64_t kPollNs = 20'000'000;

// What belongs to the whole process; before its own initializers the clock is not moved.
const std::atomic<int64_t>* shift_ns = nullptr;

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((constructor)) void MapShift() {
  const char* path = getenv("ACCELD_TEST_CLOCK");
  if (path == nullptr) return;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void* mapped = mmap(nullptr, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) shift_ns = static_cast<const std::atomic<int64_t>*>(mapped);
}

bool IsMoved(clockid_t clock) {
  return shift_ns != nullptr && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE);
}

int64_t ToNs(const timespec& time) { return time.tv_sec * kSecondNs + time.tv_nsec; }
timespec FromNs(int64_t ns) { return {.tv_sec = ns / kSecondNs, .tv_nsec = ns % kSecondNs}; }

int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return ToNs(now);
}

// The machine's own time, a little later or when `deadline_ns` of the moved clock will have come.
timespec NextPoll(int64_t deadline_ns) {
  int64_t wait_ns = deadline_ns - NowNs();
  if (wait_ns > kPollNs) wait_ns = kPollNs;
  if (wait_ns < 0) wait_ns = 0;
  timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return FromNs(ToNs(now) + wait_ns);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) {
  static const auto next = Next<int(clockid_t, timespec*)>("clock_gettime");
  const int result = next(clock, time);
  if (result == 0 && IsMoved(clock)) *time = FromNs(ToNs(*time) + shift_ns->load());
  return result;
}

int gettimeofday(timeval* time, void*) {
  timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* out) {
  const time_t now = NowNs() / kSecondNs;
  if (out != nullptr) *out = now;
  return now;
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* deadline) {
  static const auto next =
      Next<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>("pthread_cond_timedwait");
  if (shift_ns == nullptr) return next(condition, mutex, deadline);
  const timespec until = NextPoll(ToNs(*deadline));
  const int result = next(condition, mutex, &until);
  // Whoever is woken for nothing waits again.
  return result == ETIMEDOUT && NowNs() < ToNs(*deadline) ? 0 : result;
}

// Waits on futexes, as abseil does them; the rest as it is.
long syscall(long number, ...) {
  static const auto next = Next<long(long, ...)>("syscall");
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  const auto* deadline = reinterpret_cast<const timespec*>(a[3]);
  const long operation = a[1] & ~FUTEX_PRIVATE_FLAG;
  if (number != SYS_futex || shift_ns == nullptr || deadline == nullptr ||
      operation != (FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME)) {
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  const timespec until = NextPoll(ToNs(*deadline));
  const long result = next(number, a[0], a[1], a[2], &until, a[4], a[5]);
  // A wake-up for nothing is allowed.
  if (result < 0 && errno == ETIMEDOUT && NowNs() < ToNs(*deadline)) return 0;
  return result;
}

}  // extern "C"

#include "client/tools/accelctl/termination_signals.h"

#include <time.h>

#include <algorithm>

namespace acceld::tools {

TerminationSignals::TerminationSignals() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

TerminationSignals::~TerminationSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int TerminationSignals::WaitForSignal(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  timespec wait;
  wait.tv_sec = static_cast<time_t>(seconds.count());
  wait.tv_nsec = static_cast<long>((time - seconds).count());
  return std::max(sigtimedwait(&signals_, nullptr, &wait), 0);
}

}  // namespace acceld::tools

#include "client/tools/accelctl/end_signals.h"

#include <time.h>

#include <algorithm>

namespace acceld::tools {

EndSignals::EndSignals() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

EndSignals::~EndSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int EndSignals::ComeWithin(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  timespec wait;
  wait.tv_sec = static_cast<time_t>(seconds.count());
  wait.tv_nsec = static_cast<long>((time - seconds).count());
  return std::max(sigtimedwait(&signals_, nullptr, &wait), 0);
}

}  // namespace acceld::tools

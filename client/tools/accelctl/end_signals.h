#pragma once

#include <signal.h>

#include <chrono>

namespace acceld::tools {

// While it lives, the signals that end a program (SIGINT, SIGTERM, SIGHUP, SIGQUIT) wait to be
// asked for. Made before any other thread, which would take them; processes that are started
// meanwhile inherit that.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  // Waits; the number of the signal that came meanwhile or before, or 0.
  int ComeWithin(std::chrono::nanoseconds time);

 private:
  sigset_t signals_, before_;
};

}  // namespace acceld::tools

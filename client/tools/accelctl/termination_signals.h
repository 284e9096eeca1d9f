#pragma once

#include <signal.h>

#include <chrono>

namespace acceld::tools {

// Blocks the signals that end a program (SIGINT, SIGTERM, SIGHUP, SIGQUIT) while the object exists,
// so that WaitForSignal can wait for them. Construct it before any other thread starts, because
// other threads would receive the signals. Processes started meanwhile inherit the signal mask.
class TerminationSignals {
 public:
  TerminationSignals();
  ~TerminationSignals();
  TerminationSignals(const TerminationSignals&) = delete;
  TerminationSignals& operator=(const TerminationSignals&) = delete;

  // Waits for one of the signals for at most `time`. Returns its number, also if it arrived before
  // the call, or 0 if none has arrived.
  int WaitForSignal(std::chrono::nanoseconds time);

 private:
  sigset_t signals_, before_;
};

}  // namespace acceld::tools

#pragma once

#include <chrono>

namespace acceld {

// Returns the number of the processor core on which the calling thread runs, from 0; the thread may
// be on another core right afterwards. -1 when the system does not say.
int CurrentCore();

// Moves a thread away from the core that it shares with the thread that it exchanges messages with.
// Two threads that answer each other at once should have a core each. Linux, however, tends to wake
// a thread on the core of the thread that wakes it; on a virtual machine it does so even if another
// core is idle, because that core looks occupied to it (vcpu_is_preempted). Not thread-safe.
class CoreMover {
 public:
  // The number of meetings on one core that cause a move. A move takes tens of microseconds if
  // another core is idle, as long as several more messages on one core, and is worth that only
  // after a number of meetings.
  static constexpr int kPatience = 16;

  explicit CoreMover(int patience = kPatience) : patience_(patience) {}

  // To be called when the calling thread is about to wait for a thread that last ran on `core` (-1:
  // unknown). If the calling thread runs on the same core, for the `patience`th time since its last
  // move, it is moved to another core of its affinity mask; the mask is the same afterwards. If no
  // other core is idle, a move takes as long as a time slice of the thread there. The next move is
  // put off for kMaxShare times as long as this one has taken.
  void MoveOffCore(int core);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kMaxShare = 20;  // Moves take at most 1 / kMaxShare of the time.

  const int patience_;
  int met_ = 0;  // Meetings since the last move.
  Clock::time_point not_before_;
};

}  // namespace acceld

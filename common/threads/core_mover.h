#pragma once

#include <chrono>

namespace acceld {

// The processor core that the calling thread is on, from 0; it may be another one at once. -1 when
// the system does not say.
int CurrentCore();

// Parts a thread from one that it answers. Two that answer each other at once want a core each, but
// Linux likes to wake a thread on the core of who wakes it, and on a virtual machine it does so
// even beside an idle core, which looks taken to it (vcpu_is_preempted). One thread at a time.
class CoreMover {
 public:
  // To move takes tens of microseconds when another core is idle, as much as some messages more on
  // one core do: only then it is worth its price.
  static constexpr int kPatience = 16;

  explicit CoreMover(int patience = kPatience) : patience_(patience) {}

  // The calling thread is about to wait for one that was last on `core`. When the two have met so
  // for the `patience`th time, the thread goes on on another one of the cores it may use, which are
  // the same afterwards. Where none is idle that takes as long as a turn of the thread there, and
  // is left alone for a while, the longer the longer it took.
  void Meet(int core);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kMaxShare = 20;  // Of the time at most 1 in so much is spent here.

  const int patience_;
  int met_ = 0;  // Since the thread last moved.
  Clock::time_point not_before_;
};

}  // namespace acceld

#pragma once

namespace acceld::kernels::cpu {

// Decides what a run does when it finds LaunchContext::interrupted set: pause or end. Thread-safe:
// all threads of a parallel loop may call WaitWhilePaused at the same time.
class InterruptHandler {
 public:
  // Blocks as long as the run has to pause. Returns true when the run shall continue, false when it
  // has been cancelled and must end.
  virtual bool WaitWhilePaused() = 0;

 protected:
  ~InterruptHandler() = default;
};

}  // namespace acceld::kernels::cpu

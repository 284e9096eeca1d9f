#pragma once

namespace acceld::kernels::cpu {

// What a run does when it finds LaunchContext::interrupted set. Thread-safe: all threads of a
// parallel loop may call it at the same time.
class Interrupts {
 public:
  // Blocks while the run is to pause. False when it is to end: it was cancelled.
  virtual bool GoOn() = 0;

 protected:
  ~Interrupts() = default;
};

}  // namespace acceld::kernels::cpu

#pragma once

#include <chrono>

namespace acceld::hal::cpu {

// Tells a thread that works for later whether the rest of its process leaves it a core. One thread,
// always the same.
class IdleProcess {
 public:
  // Whether the other threads left a core idle most of the time since the last call.
  bool Look();

 private:
  std::chrono::nanoseconds looked_at_{0};  // of a steady clock
  std::chrono::nanoseconds used_{0};       // by the other threads, until then
};

}  // namespace acceld::hal::cpu

#pragma once

#include <chrono>
#include <thread>

namespace acceld::testing {

// Whether `condition` becomes true; looks again and again for two minutes. For what follows an
// answer soon, on another thread, with nothing to wait on.
template <typename Condition>
bool Eventually(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace acceld::testing

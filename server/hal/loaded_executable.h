#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "server/hal/cost_estimate.h"
#include "server/hal/device.h"
#include "server/hal/executable.h"

namespace acceld::hal {

// An executable and its code loaded on one device. Immutable but for the time of its last use
// and what its runs take; shared by the cache and by everything that is queued or running with it.
struct LoadedExecutable {
  LoadedExecutable(std::shared_ptr<const Executable> executable,
                   std::shared_ptr<const Module> module)
      : executable(std::move(executable)), module(std::move(module)) {
    Touch();
  }
  // Says that it was asked for just now; the cache evicts what was not for longest. Any thread.
  void Touch() const {
    last_use_ns.store(std::chrono::steady_clock::now().time_since_epoch().count(),
                      std::memory_order_relaxed);
  }

  const std::shared_ptr<const Executable> executable;  // Shared by devices of one architecture.
  const std::shared_ptr<const Module> module;
  mutable std::atomic<int64_t> last_use_ns{0};  // steady clock
  mutable CostEstimate cost;                    // of one run, on the device
};

}  // namespace acceld::hal

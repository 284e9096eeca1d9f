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

// An executable whose code is loaded on one device. Immutable except for the time of its last use
// and the estimates of its duration, which any thread may update. Shared by the cache and by all
// queued and running executions of it.
struct LoadedExecutable {
  LoadedExecutable(std::shared_ptr<const Executable> executable,
                   std::shared_ptr<const Module> module)
      : executable(std::move(executable)), module(std::move(module)) {
    Touch();
  }
  // Sets the time of the last use to the current time. The cache evicts the executables that were
  // used least recently. Thread-safe.
  void Touch() const {
    last_use_ns.store(std::chrono::steady_clock::now().time_since_epoch().count(),
                      std::memory_order_relaxed);
  }

  const std::shared_ptr<const Executable> executable;  // shared by devices of one architecture
  const std::shared_ptr<const Module> module;
  mutable std::atomic<int64_t> last_use_ns{0};  // time of std::chrono::steady_clock
  mutable CostEstimate cost;                    // the duration of one run on the device
  // Of a run in a gang: the same without the time in which it waits for other participants.
  mutable CostEstimate cost_in_gang;
};

}  // namespace acceld::hal

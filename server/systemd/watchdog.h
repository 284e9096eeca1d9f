#pragma once

#include <functional>
#include <thread>

#include "common/threads/mutex.h"
#include "server/systemd/manager.h"

namespace acceld::systemd {

// Says that the daemon is alive, twice as often as the manager wants to hear it, each time after
// `probe` has returned. A probe that waits for what never comes ends that, and the manager the
// daemon. Where no watchdog is wanted it does nothing.
class Watchdog {
 public:
  // `manager` outlives it. `probe` is called on the watchdog's own thread.
  Watchdog(const Manager& manager, std::function<void()> probe);
  // Waits for `probe` to return.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void Run();

  const Manager& manager_;
  const std::function<void()> probe_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // Last: it uses the rest.
};

}  // namespace acceld::systemd

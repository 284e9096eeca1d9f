#pragma once

#include <functional>
#include <thread>

#include "common/threads/mutex.h"
#include "server/systemd/manager.h"

namespace acceld::systemd {

// Calls Manager::Alive twice per watchdog interval, each time after `probe` has returned. If
// `probe` blocks forever the calls stop, and the manager ends the daemon. Does nothing if the
// manager wants no watchdog.
class Watchdog {
 public:
  // `manager` must outlive this object. `probe` is called on a thread of this object.
  Watchdog(const Manager& manager, std::function<void()> probe);
  // Waits for a call of `probe` to return.
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
  std::thread thread_;  // the last member, as it uses the others
};

}  // namespace acceld::systemd

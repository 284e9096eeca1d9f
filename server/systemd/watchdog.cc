#include "server/systemd/watchdog.h"

#include <chrono>
#include <utility>

#include "common/threads/start_thread.h"

namespace acceld::systemd {

Watchdog::Watchdog(const Manager& manager, std::function<void()> probe)
    : manager_(manager), probe_(std::move(probe)) {
  if (manager_.watchdog().count() == 0) return;
  thread_ = StartThread("watchdog", [this] { Run(); });
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

void Watchdog::Run() {
  while (true) {
    const auto next = std::chrono::steady_clock::now() + manager_.watchdog() / 2;
    probe_();
    manager_.Alive();
    MutexLock lock(mutex_);
    while (!stopping_ && std::chrono::steady_clock::now() < next) {
      (void)changed_.WaitUntil(mutex_, next);
    }
    if (stopping_) return;
  }
}

}  // namespace acceld::systemd

#include "server/lifetime/idle_exit.h"

#include <algorithm>
#include <utility>

#include "common/threads/start_thread.h"

namespace acceld::lifetime {
namespace {

using Clock = std::chrono::steady_clock;

// The polling interval, short for those who wait until a draining daemon has ended.
constexpr std::chrono::milliseconds kInterval{200};

}  // namespace

IdleExit::IdleExit(std::chrono::milliseconds idle, Hooks hooks)
    : idle_(idle), hooks_(std::move(hooks)), thread_(StartThread("idle", [this] { Run(); })) {}

IdleExit::~IdleExit() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

bool IdleExit::Wait() {
  const Clock::time_point next = Clock::now() + std::min(idle_, kInterval);
  MutexLock lock(mutex_);
  while (!stopping_ && Clock::now() < next) (void)changed_.WaitUntil(mutex_, next);
  return !stopping_;
}

void IdleExit::Run() {
  uint64_t begun = 0;
  Clock::time_point last_use = Clock::now();
  while (Wait()) {
    const Use use = hooks_.current_use();
    const bool used = use.open > 0 || use.begun != begun;
    begun = use.begun;
    if (used) last_use = Clock::now();
    if (use.draining ? use.open > 0 : Clock::now() < last_use + idle_) continue;
    hooks_.pause();
    if (hooks_.current_use().open == 0) return hooks_.exit();
    if (!use.draining) hooks_.resume();
  }
}

}  // namespace acceld::lifetime

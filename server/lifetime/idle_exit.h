#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

#include "common/threads/mutex.h"

namespace acceld::lifetime {

// Finds out when nobody has used the daemon for a while, and makes sure that nobody comes in just
// then: it stops the daemon from taking anything in, looks again, and lets it go on if somebody
// came before that. Who is refused meanwhile hears UNAVAILABLE, and may come again or start a
// daemon.
class IdleExit {
 public:
  // What goes on now, and what tells that something went on since the last look.
  struct Use {
    uint64_t open = 0;   // sessions, and calls that have not ended
    uint64_t begun = 0;  // so far
    bool draining = false;
  };
  struct Hooks {
    std::function<Use()> look;
    std::function<void()> pause;   // From now on nothing new is taken in.
    std::function<void()> resume;  // The daemon goes on.
    std::function<void()> exit;    // Called once, while it is paused; nothing follows.
  };
  // The hooks are called on a thread of this object, and outlive it. While the daemon drains by
  // somebody's order, it is over when nothing is open.
  IdleExit(std::chrono::milliseconds idle, Hooks hooks);
  // Waits for a hook to return.
  ~IdleExit();
  IdleExit(const IdleExit&) = delete;
  IdleExit& operator=(const IdleExit&) = delete;

 private:
  void Run();
  // Sleeps; false when it is time to end.
  bool Wait();

  const std::chrono::milliseconds idle_;
  const Hooks hooks_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // Last: it uses the rest.
};

}  // namespace acceld::lifetime

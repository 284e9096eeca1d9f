#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

#include "common/threads/mutex.h"

namespace acceld::lifetime {

// Ends the daemon when nobody has used it for a while, and avoids a race with clients that arrive
// at that moment: it makes the daemon refuse new calls and sessions, checks again, and lets the
// daemon continue if it was used meanwhile. Clients that are refused in between get UNAVAILABLE and
// may try again or start a new daemon.
class IdleExit {
 public:
  // The use of the daemon.
  struct Use {
    // The number of open sessions and of calls that have not ended.
    uint64_t open = 0;
    // The number of sessions and calls that have begun since the start of the daemon; a change
    // between two polls means that it was used.
    uint64_t begun = 0;
    bool draining = false;
  };
  // How to watch and control the daemon.
  struct Hooks {
    // Polls the use of the daemon.
    std::function<Use()> current_use;
    // Makes the daemon refuse new calls and sessions.
    std::function<void()> pause;
    // Makes the daemon accept them again.
    std::function<void()> resume;
    // Ends the daemon. Called once, while it is paused; no other hook is called after it.
    std::function<void()> exit;
  };
  // The hooks are called on a thread of this object and must outlive it. A daemon that drains
  // because somebody requested that ends as soon as nothing is open.
  IdleExit(std::chrono::milliseconds idle, Hooks hooks);
  // Waits for a hook that is running to return.
  ~IdleExit();
  IdleExit(const IdleExit&) = delete;
  IdleExit& operator=(const IdleExit&) = delete;

 private:
  void Run();
  // Sleeps until the next poll. Returns false when this object is being destroyed.
  bool Wait();

  const std::chrono::milliseconds idle_;
  const Hooks hooks_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // the last member, as it uses the others
};

}  // namespace acceld::lifetime

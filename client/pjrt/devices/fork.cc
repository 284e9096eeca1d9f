#include "client/pjrt/devices/fork.h"

#include <pthread.h>

#include <atomic>

namespace acceld::pjrt {
namespace {

std::atomic<bool> is_forked_child{false};

}  // namespace

void WatchForks() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { is_forked_child.store(true); });
  (void)registered;
}

bool IsForkedChild() { return is_forked_child.load(std::memory_order_relaxed); }

absl::Status CheckNotForked() {
  if (!IsForkedChild()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "this process was forked from one that has a session with an acceld daemon, which cannot be "
      "shared; start processes with multiprocessing's 'spawn', or fork before JAX is used");
}

}  // namespace acceld::pjrt

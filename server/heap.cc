// The configuration of the daemon's heap, jemalloc, and access to its statistics.
#include <jemalloc/jemalloc.h>

#include <cstddef>
#include <cstdint>

#include "common/memory/allocation.h"

// jemalloc reads a variable of this name. With this option a thread of jemalloc returns memory to
// the system that has been unused for some seconds. Otherwise that happens only at the next
// allocation, which may be long after a busy hour.
const char* malloc_conf = "background_thread:true";

namespace acceld {
namespace {

// Returns jemalloc's counter of bytes for the calling thread; nullptr if jemalloc was built without
// it.
const uint64_t* CounterOfThread(const char* name) {
  uint64_t* counter = nullptr;
  size_t size = sizeof(counter);
  return mallctl(name, static_cast<void*>(&counter), &size, nullptr, 0) == 0 ? counter : nullptr;
}

int64_t BytesOfThread() {
  thread_local const uint64_t* const allocated = CounterOfThread("thread.allocatedp");
  thread_local const uint64_t* const freed = CounterOfThread("thread.deallocatedp");
  if (allocated == nullptr || freed == nullptr) return 0;
  return static_cast<int64_t>(*allocated - *freed);
}

[[maybe_unused]] const bool is_counted = (SetHeapCounter(&BytesOfThread), true);

}  // namespace
}  // namespace acceld

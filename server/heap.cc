// How the daemon's heap, jemalloc, behaves, and what it tells.
#include <jemalloc/jemalloc.h>

#include <cstddef>
#include <cstdint>

#include "common/memory/allocation.h"

// jemalloc looks for a variable of this name. A thread of the heap's own gives back to the system
// what nobody has used for some seconds; otherwise that waits for the next request, which after a
// busy hour may be long in coming.
const char* malloc_conf = "background_thread:true";

namespace acceld {
namespace {

// Where jemalloc counts the bytes of the calling thread; nullptr where it is built without that.
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

#pragma once

#include <cstdint>

// A test's view of its own process's heap: how much it takes, and allocations that fail on demand.
// Linking this replaces operator new and operator delete of the whole program. Thread-safe; what is
// said about failing concerns the calling thread alone.
namespace acceld::testing {

// What is allocated now, and the most that was since the last call of ResetPeak.
int64_t HeapBytes();
int64_t PeakHeapBytes();
void ResetPeak();

// More than this for all threads together is std::bad_alloc, so that a test that fails does not
// take the machine with it.
void SetHeapLimit(int64_t bytes);

// While it lives, the allocation after `succeeding` others of this thread fails once: with a
// handler (std::set_new_handler) it is tried again, otherwise it throws.
class FailingHeap {
 public:
  explicit FailingHeap(int64_t succeeding);
  ~FailingHeap();
  FailingHeap(const FailingHeap&) = delete;
  FailingHeap& operator=(const FailingHeap&) = delete;

  // Whether an allocation has failed.
  bool HasFailed() const;
};

}  // namespace acceld::testing

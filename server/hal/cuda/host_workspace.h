#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "common/status.h"

namespace acceld::hal::cuda {

// Bounds the host memory of the routines that GPUs leave to the host, for all GPUs that were opened
// together. Thread-safe.
class HostWorkspaceBudget {
 public:
  // A quarter of the machine's memory.
  HostWorkspaceBudget();
  explicit HostWorkspaceBudget(int64_t max_bytes) : max_bytes_(max_bytes) {}
  HostWorkspaceBudget(const HostWorkspaceBudget&) = delete;
  HostWorkspaceBudget& operator=(const HostWorkspaceBudget&) = delete;

  int64_t max_bytes() const { return max_bytes_; }
  int64_t used_bytes() const { return used_bytes_.load(); }

 private:
  friend class HostWorkspace;

  const int64_t max_bytes_;
  std::atomic<int64_t> used_bytes_{0};
};

// The operands and results of one routine in host memory. Not thread-safe.
class HostWorkspace {
 public:
  // `budget` must outlive this object.
  explicit HostWorkspace(HostWorkspaceBudget& budget) : budget_(budget) {}
  ~HostWorkspace() { budget_.used_bytes_.fetch_sub(used_bytes_); }
  HostWorkspace(const HostWorkspace&) = delete;
  HostWorkspace& operator=(const HostWorkspace&) = delete;

  // Returns at least `size_bytes` bytes, aligned as kernels::kBufferAlignment says, which are freed
  // with this object; RESOURCE_EXHAUSTED if the budget or the machine has not that many.
  absl::StatusOr<char*> Add(int64_t size_bytes);

 private:
  HostWorkspaceBudget& budget_;
  int64_t used_bytes_ = 0;  // The part of the budget that this object uses.
  std::vector<std::unique_ptr<char, decltype(&std::free)>> blocks_;
};

}  // namespace acceld::hal::cuda

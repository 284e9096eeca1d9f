#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "common/status.h"

namespace acceld::runtime {

// The host memory that arrays are spilled to when a device is short of its own: a budget for all
// devices together. Thread-safe; nothing blocks.
class HostMemory : public std::enable_shared_from_this<HostMemory> {
 public:
  // Room for one array, given back with the last reference.
  class Block {
   public:
    Block(std::shared_ptr<HostMemory> budget, std::unique_ptr<char[]> bytes, int64_t size_bytes)
        : budget_(std::move(budget)), bytes_(std::move(bytes)), size_bytes_(size_bytes) {}
    ~Block() { budget_->used_bytes_.fetch_sub(size_bytes_, std::memory_order_relaxed); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    char* data() { return bytes_.get(); }
    const char* data() const { return bytes_.get(); }
    int64_t size_bytes() const { return size_bytes_; }

   private:
    const std::shared_ptr<HostMemory> budget_;  // Every block keeps the budget it goes back to.
    const std::unique_ptr<char[]> bytes_;
    const int64_t size_bytes_;
  };

  // With a limit of 0 nothing is ever spilled.
  static std::shared_ptr<HostMemory> Create(int64_t limit_bytes);

  // Contents are undefined and no page is touched, so this is quick whatever the size.
  // RESOURCE_EXHAUSTED with size, use and limit when it does not fit.
  absl::StatusOr<std::shared_ptr<Block>> Allocate(int64_t size_bytes);

  int64_t limit_bytes() const { return limit_bytes_; }
  int64_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }

 private:
  explicit HostMemory(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  const int64_t limit_bytes_;
  std::atomic<int64_t> used_bytes_{0};
};

}  // namespace acceld::runtime

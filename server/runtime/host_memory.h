#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "common/status.h"
#include "server/runtime/meter.h"

namespace acceld::runtime {

// The host memory that arrays are spilled to when a device is short of its own: a budget for all
// devices together. Thread-safe; nothing blocks.
class HostMemory {
 public:
  // Room for one array, given back with the last reference.
  class Block {
   public:
    Block(Charge in_budget, Charge of_owner, std::unique_ptr<char[]> bytes, int64_t size_bytes)
        : in_budget_(std::move(in_budget)),
          of_owner_(std::move(of_owner)),
          bytes_(std::move(bytes)),
          size_bytes_(size_bytes) {}

    char* data() { return bytes_.get(); }
    const char* data() const { return bytes_.get(); }
    int64_t size_bytes() const { return size_bytes_; }

   private:
    const Charge in_budget_, of_owner_;
    const std::unique_ptr<char[]> bytes_;
    const int64_t size_bytes_;
  };

  // With a limit of 0 nothing is ever spilled.
  explicit HostMemory(int64_t limit_bytes)
      : budget_(std::make_shared<Meter>("host memory", " bytes", limit_bytes)) {}

  // Contents are undefined and no page is touched, so this is quick whatever the size. Counted by
  // `owner` too, unless that is nullptr. RESOURCE_EXHAUSTED with size, use and limit when it does
  // not fit.
  absl::StatusOr<std::shared_ptr<Block>> Allocate(int64_t size_bytes,
                                                  const std::shared_ptr<Meter>& owner);

  int64_t limit_bytes() const { return budget_->limit(); }
  int64_t used_bytes() const { return budget_->used(); }

 private:
  const std::shared_ptr<Meter> budget_;  // Shared with the blocks.
};

}  // namespace acceld::runtime

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "common/status.h"
#include "server/runtime/memory/meter.h"

namespace acceld::runtime {

// The host memory for spilled arrays: a budget for all devices together. Thread-safe; nothing
// blocks.
class HostMemory {
 public:
  // The memory of one spilled array; freed with the last reference.
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

  // Why an array is spilled. kAny: whatever the reason; the reserved part of the budget is not
  // used. kShareOfAnother: another owner claims its share of the device; the reserved part may be
  // used, too.
  enum class Cause : uint8_t { kAny, kShareOfAnother };

  // With a limit of 0 nothing can be spilled.
  explicit HostMemory(int64_t limit_bytes, int64_t reserved_bytes = 0)
      : budget_(std::make_shared<Meter>("host memory", " bytes", limit_bytes)),
        unreserved_(std::make_shared<Meter>("host memory that is not reserved", " bytes",
                                            limit_bytes - reserved_bytes, budget_)) {}

  // Allocates uninitialized memory. Touches no page, so it is quick for any size. Charged to
  // `owner`, too, unless that is nullptr. RESOURCE_EXHAUSTED, with size, use and limit, when it
  // does not fit.
  absl::StatusOr<std::shared_ptr<Block>> Allocate(int64_t size_bytes,
                                                  const std::shared_ptr<Meter>& owner,
                                                  Cause cause = Cause::kAny);
  // Returns how much memory is left.
  int64_t room_bytes(Cause cause) const {
    const int64_t room = budget_->limit() - budget_->used();
    return cause == Cause::kShareOfAnother
               ? room
               : std::min(room, unreserved_->limit() - unreserved_->used());
  }

  int64_t limit_bytes() const { return budget_->limit(); }
  int64_t used_bytes() const { return budget_->used(); }

 private:
  const std::shared_ptr<Meter> budget_, unreserved_;  // shared with the blocks
};

}  // namespace acceld::runtime

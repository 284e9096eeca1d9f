#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "common/status.h"
#include "server/runtime/memory/meter.h"

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

  // For whom an array makes room: of its own owner or of anybody, or of one who is to have a share
  // of the device whatever others do. For that one some of the budget is reserved.
  enum class Cause : uint8_t { kAny, kShareOfAnother };

  // With a limit of 0 nothing is ever spilled.
  explicit HostMemory(int64_t limit_bytes, int64_t reserved_bytes = 0)
      : budget_(std::make_shared<Meter>("host memory", " bytes", limit_bytes)),
        unreserved_(std::make_shared<Meter>("host memory that is not reserved", " bytes",
                                            limit_bytes - reserved_bytes, budget_)) {}

  // Contents are undefined and no page is touched, so this is quick whatever the size. Counted by
  // `owner` too, unless that is nullptr. RESOURCE_EXHAUSTED with size, use and limit when it does
  // not fit.
  absl::StatusOr<std::shared_ptr<Block>> Allocate(int64_t size_bytes,
                                                  const std::shared_ptr<Meter>& owner,
                                                  Cause cause = Cause::kAny);
  // What is left, if nobody else takes it.
  int64_t room_bytes(Cause cause) const {
    const int64_t room = budget_->limit() - budget_->used();
    return cause == Cause::kShareOfAnother
               ? room
               : std::min(room, unreserved_->limit() - unreserved_->used());
  }

  int64_t limit_bytes() const { return budget_->limit(); }
  int64_t used_bytes() const { return budget_->used(); }

 private:
  const std::shared_ptr<Meter> budget_, unreserved_;  // Shared with the blocks.
};

}  // namespace acceld::runtime

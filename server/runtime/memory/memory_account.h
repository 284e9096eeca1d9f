#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/status.h"
#include "server/runtime/memory/meter.h"

namespace acceld::runtime {

// Counts the arrays of one owner and the device memory that they hold, up to a limit. A parent
// account counts everything that its children count, and may refuse it. Lock-free; may be called by
// any thread.
class MemoryAccount {
 public:
  explicit MemoryAccount(int64_t limit_bytes, std::shared_ptr<MemoryAccount> parent = nullptr,
                         std::string what = "session memory")
      : bytes_(std::move(what), " bytes", limit_bytes,
               parent == nullptr ? nullptr : std::shared_ptr<Meter>(parent, &parent->bytes_)),
        arrays_("arrays", "", Meter::kUnlimited,
                parent == nullptr ? nullptr : std::shared_ptr<Meter>(parent, &parent->arrays_)) {}

  // Sets the owner of the arrays. Host memory for its spilled arrays is charged to `host`. If the
  // owner has a share, other owners can claim theirs from it (device_memory.h). Must be called
  // before any array is made.
  void SetOwner(std::shared_ptr<Meter> host, bool has_share) {
    host_ = std::move(host);
    has_share_ = has_share;
  }
  // The meter set by SetOwner, the same one for all accounts of one owner; nullptr: the arrays have
  // no owner.
  const std::shared_ptr<Meter>& host_meter() const { return host_; }
  bool has_share() const { return has_share_; }

  // Charges bytes. RESOURCE_EXHAUSTED, with size, use and limit, when they do not fit.
  absl::Status Charge(int64_t bytes) { return bytes_.Charge(bytes); }
  // Charges bytes that were admitted before, even past the limit.
  void ChargeAgain(int64_t bytes) { bytes_.ChargeAnyway(bytes); }
  void Refund(int64_t bytes) { bytes_.Refund(bytes); }
  // `change` is 1 for a new array and -1 for one that is destroyed.
  void CountArray(int64_t change) { arrays_.ChargeAnyway(change); }

  Meter& meter() { return bytes_; }
  int64_t limit_bytes() const { return bytes_.limit(); }
  int64_t bytes() const { return bytes_.used(); }
  int64_t arrays() const { return arrays_.used(); }

 private:
  Meter bytes_, arrays_;
  std::shared_ptr<Meter> host_;  // shared by all accounts of one owner
  bool has_share_ = false;
};

}  // namespace acceld::runtime

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/status.h"
#include "server/runtime/memory/meter.h"

namespace acceld::runtime {

// Counts the arrays of one owner and the device bytes they hold, under a limit. An account may
// have a parent that counts, and may refuse, for all its children. Lock-free; any thread.
class MemoryAccount {
 public:
  explicit MemoryAccount(int64_t limit_bytes, std::shared_ptr<MemoryAccount> parent = nullptr,
                         std::string what = "session memory")
      : bytes_(std::move(what), " bytes", limit_bytes,
               parent == nullptr ? nullptr : std::shared_ptr<Meter>(parent, &parent->bytes_)),
        arrays_("arrays", "", Meter::kUnlimited,
                parent == nullptr ? nullptr : std::shared_ptr<Meter>(parent, &parent->arrays_)) {}

  // Whose arrays these are: `host` is where their owner is charged for host memory of spilled
  // arrays. Of an owner with a share, others can have theirs back (device_memory.h). Before any
  // array is made.
  void SetOwner(std::shared_ptr<Meter> host, bool has_share) {
    host_ = std::move(host);
    has_share_ = has_share;
  }
  // The same for all accounts of one owner; nullptr: the arrays are nobody's.
  const std::shared_ptr<Meter>& host_meter() const { return host_; }
  bool has_share() const { return has_share_; }

  // RESOURCE_EXHAUSTED with size, use and limit when the bytes do not fit.
  absl::Status Charge(int64_t bytes) { return bytes_.Charge(bytes); }
  // For what was let in before: counts it even past the limit.
  void ChargeAgain(int64_t bytes) { bytes_.ChargeAnyway(bytes); }
  void Refund(int64_t bytes) { bytes_.Refund(bytes); }
  // `change` is 1 for a new array and -1 for one that goes.
  void CountArray(int64_t change) { arrays_.ChargeAnyway(change); }

  Meter& meter() { return bytes_; }
  int64_t limit_bytes() const { return bytes_.limit(); }
  int64_t bytes() const { return bytes_.used(); }
  int64_t arrays() const { return arrays_.used(); }

 private:
  Meter bytes_, arrays_;
  std::shared_ptr<Meter> host_;  // Shared by all accounts of one identity.
  bool has_share_ = false;
};

}  // namespace acceld::runtime

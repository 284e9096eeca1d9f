#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/status.h"
#include "server/runtime/meter.h"

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

  // Where host memory of spilled arrays is charged; nullptr: nowhere. Before any array is made.
  void SetHostMeter(std::shared_ptr<Meter> meter) { host_ = std::move(meter); }
  const std::shared_ptr<Meter>& host_meter() const { return host_; }

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
};

}  // namespace acceld::runtime

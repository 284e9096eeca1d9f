#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace acceld::runtime {

// Counts the arrays of one owner and the device bytes they hold, under a limit. An account may
// have a parent that counts for all its children. Lock-free; any thread.
class MemoryAccount {
 public:
  explicit MemoryAccount(int64_t limit_bytes, std::shared_ptr<MemoryAccount> parent = nullptr)
      : limit_bytes_(limit_bytes), parent_(std::move(parent)) {}

  // RESOURCE_EXHAUSTED with size, use and limit when the bytes do not fit.
  absl::Status Charge(int64_t bytes) {
    const int64_t before = bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes > limit_bytes_) {
      bytes_.fetch_sub(bytes, std::memory_order_relaxed);
      return absl::ResourceExhaustedError(absl::StrCat("session memory: ", bytes,
                                                       " bytes do not fit, ", before, " of ",
                                                       limit_bytes_, " are in use"));
    }
    if (parent_ != nullptr) parent_->bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return absl::OkStatus();
  }
  // For what was let in before: counts it even past the limit.
  void ChargeAgain(int64_t bytes) { Refund(-bytes); }
  void Refund(int64_t bytes) {
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    if (parent_ != nullptr) parent_->bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  // `change` is 1 for a new array and -1 for one that goes.
  void CountArray(int64_t change) {
    arrays_.fetch_add(change, std::memory_order_relaxed);
    if (parent_ != nullptr) parent_->arrays_.fetch_add(change, std::memory_order_relaxed);
  }

  int64_t limit_bytes() const { return limit_bytes_; }
  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  int64_t arrays() const { return arrays_.load(std::memory_order_relaxed); }

 private:
  const int64_t limit_bytes_;
  const std::shared_ptr<MemoryAccount> parent_;  // Shared by all its children.
  std::atomic<int64_t> bytes_{0};
  std::atomic<int64_t> arrays_{0};
};

}  // namespace acceld::runtime

#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace acceld::runtime {

// Counts how much of a resource is in use, up to a limit that may change at any time. The parent of
// a meter counts everything that the meter counts, and may refuse it. Lock-free; may be called by
// any thread.
class Meter {
 public:
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  // `what` and `unit` are for messages: "session memory", " bytes".
  Meter(std::string what, std::string unit, int64_t limit, std::shared_ptr<Meter> parent = nullptr)
      : what_(std::move(what)), unit_(std::move(unit)), parent_(std::move(parent)), limit_(limit) {}

  // Charges an amount. RESOURCE_EXHAUSTED, with the amount, the use and the limit, when it does not
  // fit.
  absl::Status Charge(int64_t amount) {
    const int64_t limit = limit_.load(std::memory_order_relaxed);
    const int64_t before = used_.fetch_add(amount, std::memory_order_relaxed);
    absl::Status status;
    if (amount > 0 && amount > limit - before) {
      status = absl::ResourceExhaustedError(absl::StrCat(
          what_, ": ", amount, unit_, " do not fit, ", before, " of ", limit, " are in use"));
    } else if (parent_ != nullptr) {
      status = parent_->Charge(amount);
    }
    if (!status.ok()) used_.fetch_sub(amount, std::memory_order_relaxed);
    return status;
  }
  // Charges an amount even past the limits.
  void ChargeAnyway(int64_t amount) {
    used_.fetch_add(amount, std::memory_order_relaxed);
    if (parent_ != nullptr) parent_->ChargeAnyway(amount);
  }
  void Refund(int64_t amount) { ChargeAnyway(-amount); }

  // Sets the limit. What is in use stays in use, even if it exceeds the new limit.
  void SetLimit(int64_t limit) { limit_.store(limit, std::memory_order_relaxed); }
  int64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const std::string what_, unit_;
  const std::shared_ptr<Meter> parent_;  // shared by all its children
  std::atomic<int64_t> limit_;
  std::atomic<int64_t> used_{0};
};

// A charge on a meter, refunded by the destructor. Keeps the meter alive. Not thread-safe.
class Charge {
 public:
  Charge() = default;
  // Charges `amount` to the meter. RESOURCE_EXHAUSTED when it does not fit.
  static absl::StatusOr<Charge> Take(std::shared_ptr<Meter> meter, int64_t amount) {
    ACCELD_RETURN_IF_ERROR(meter->Charge(amount));
    return Charge(std::move(meter), amount);
  }
  Charge(Charge&& other) noexcept
      : meter_(std::move(other.meter_)), amount_(std::exchange(other.amount_, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    Release();
    meter_ = std::move(other.meter_);
    amount_ = std::exchange(other.amount_, 0);
    return *this;
  }
  ~Charge() { Release(); }

  // Adds another charge on the same meter to this one.
  void Merge(Charge other) {
    if (meter_ == nullptr) meter_ = std::move(other.meter_);
    amount_ += std::exchange(other.amount_, 0);
  }
  // Refunds a part.
  void Refund(int64_t amount) {
    if (meter_ != nullptr) meter_->Refund(amount);
    amount_ -= amount;
  }
  // Refunds the rest.
  void Release() { Refund(amount_); }

 private:
  Charge(std::shared_ptr<Meter> meter, int64_t amount)
      : meter_(std::move(meter)), amount_(amount) {}

  std::shared_ptr<Meter> meter_;  // shared with all charges on it
  int64_t amount_ = 0;
};

}  // namespace acceld::runtime

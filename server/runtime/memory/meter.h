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

// How much of one thing is in use, under a limit that may change at any time. What a meter counts,
// its parent counts too, and may refuse. Lock-free; any thread.
class Meter {
 public:
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  // `what` and `unit` are for messages: "session memory", " bytes".
  Meter(std::string what, std::string unit, int64_t limit, std::shared_ptr<Meter> parent = nullptr)
      : what_(std::move(what)), unit_(std::move(unit)), parent_(std::move(parent)), limit_(limit) {}

  // RESOURCE_EXHAUSTED with what was asked, use and limit when it does not fit.
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
  // Counts it even past the limits.
  void ChargeAnyway(int64_t amount) {
    used_.fetch_add(amount, std::memory_order_relaxed);
    if (parent_ != nullptr) parent_->ChargeAnyway(amount);
  }
  void Refund(int64_t amount) { ChargeAnyway(-amount); }

  // What is in use stays so, be it more than the new limit.
  void SetLimit(int64_t limit) { limit_.store(limit, std::memory_order_relaxed); }
  int64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const std::string what_, unit_;
  const std::shared_ptr<Meter> parent_;  // Shared by all its children.
  std::atomic<int64_t> limit_;
  std::atomic<int64_t> used_{0};
};

// A part of what a meter counts, refunded when it goes. Not thread-safe; the meter is kept alive.
class Charge {
 public:
  Charge() = default;
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

  // Takes over another charge of the same meter.
  void Merge(Charge other) {
    if (meter_ == nullptr) meter_ = std::move(other.meter_);
    amount_ += std::exchange(other.amount_, 0);
  }
  // Refunds a part.
  void Refund(int64_t amount) {
    if (meter_ != nullptr) meter_->Refund(amount);
    amount_ -= amount;
  }
  // Refunds all that is left.
  void Release() { Refund(amount_); }

 private:
  Charge(std::shared_ptr<Meter> meter, int64_t amount)
      : meter_(std::move(meter)), amount_(amount) {}

  std::shared_ptr<Meter> meter_;  // Shared with everybody who charges it.
  int64_t amount_ = 0;
};

}  // namespace acceld::runtime

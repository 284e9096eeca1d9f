#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "common/status.h"

namespace acceld {

// What one client may take of something that all clients share: bytes or a count. Thread-safe;
// nothing blocks. Whoever has taken something keeps the allowance alive.
class Allowance {
 public:
  virtual ~Allowance() = default;
  // RESOURCE_EXHAUSTED names the limit, what is in use of it, and whose share that is.
  virtual absl::Status Take(int64_t amount) = 0;
  virtual void GiveBack(int64_t amount) = 0;
};

// What was taken of one allowance, given back when it goes. Not thread-safe.
class Taken {
 public:
  // Without an allowance everything may be taken.
  Taken() = default;
  explicit Taken(std::shared_ptr<Allowance> allowance) : allowance_(std::move(allowance)) {}
  Taken(Taken&& other) noexcept
      : allowance_(other.allowance_), amount_(std::exchange(other.amount_, 0)) {}
  Taken& operator=(Taken&& other) noexcept {
    std::swap(allowance_, other.allowance_);
    std::swap(amount_, other.amount_);
    return *this;
  }
  ~Taken() { Release(); }

  absl::Status Add(int64_t amount) {
    if (allowance_ != nullptr) ACCELD_RETURN_IF_ERROR(allowance_->Take(amount));
    amount_ += amount;
    return absl::OkStatus();
  }
  // Gives a part of it back.
  void Reduce(int64_t amount) {
    if (allowance_ != nullptr && amount != 0) allowance_->GiveBack(amount);
    amount_ -= amount;
  }
  // Gives all of it back; more may be added afterwards.
  void Release() { Reduce(amount_); }
  int64_t amount() const { return amount_; }

 private:
  std::shared_ptr<Allowance> allowance_;  // Shared with all that have taken of it.
  int64_t amount_ = 0;
};

}  // namespace acceld

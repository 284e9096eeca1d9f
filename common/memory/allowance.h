#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "common/status.h"

namespace acceld {

// A limit on what one client may take of a resource that all clients share, in bytes or as a count.
// Thread-safe; no call blocks. Every object that has taken a part keeps the allowance alive.
class Allowance {
 public:
  virtual ~Allowance() = default;
  // Takes `amount`, or returns RESOURCE_EXHAUSTED with a message that names the limit, how much of
  // it is in use, and whose share the limit is.
  virtual absl::Status Take(int64_t amount) = 0;
  // Gives back an amount that was taken before.
  virtual void GiveBack(int64_t amount) = 0;
};

// Owns an amount that was taken from one allowance and gives it back in the destructor. Not
// thread-safe.
class Taken {
 public:
  // Without an allowance every amount may be taken.
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

  // Takes `amount` more. When the allowance refuses it, its error is returned and nothing changes.
  absl::Status Add(int64_t amount) {
    if (allowance_ != nullptr) ACCELD_RETURN_IF_ERROR(allowance_->Take(amount));
    amount_ += amount;
    return absl::OkStatus();
  }
  // Gives a part of the amount back.
  void Reduce(int64_t amount) {
    if (allowance_ != nullptr && amount != 0) allowance_->GiveBack(amount);
    amount_ -= amount;
  }
  // Gives the whole amount back; more may be added afterwards.
  void Release() { Reduce(amount_); }
  int64_t amount() const { return amount_; }

 private:
  std::shared_ptr<Allowance> allowance_;  // Shared with everyone who has taken from it.
  int64_t amount_ = 0;
};

}  // namespace acceld

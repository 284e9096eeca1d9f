#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

namespace acceld::client {

// A function that a running program calls in its client's process
// (common/ir/calls/host_callback.h). It computes results from `operands`; the results must have the
// types that the program declares. An error or exception becomes the error of the execution's
// results; an error keeps its code and message.
using HostCallback =
    std::function<absl::StatusOr<std::vector<ir::Literal>>(absl::Span<const ir::Literal> operands)>;

// The host callbacks of one execution, indexed by number. Copies share the same immutable vector.
// May be constructed from a vector, an initializer list, or a shared vector.
class HostCallbacks {
 public:
  HostCallbacks() = default;
  HostCallbacks(std::vector<HostCallback> callbacks)  // NOLINT: a vector of them is what this is
      : callbacks_(std::make_shared<const std::vector<HostCallback>>(std::move(callbacks))) {}
  HostCallbacks(std::initializer_list<HostCallback> callbacks)
      : HostCallbacks(std::vector<HostCallback>(callbacks)) {}
  HostCallbacks(std::shared_ptr<const std::vector<HostCallback>> callbacks)  // NOLINT: the same
      : callbacks_(std::move(callbacks)) {}
  HostCallbacks(std::shared_ptr<std::vector<HostCallback>> callbacks)  // NOLINT: the same
      : callbacks_(std::move(callbacks)) {}

  // Returns the callback with this number, or nullptr if there is none.
  const HostCallback* Find(int64_t number) const {
    const bool is_there = callbacks_ != nullptr && number >= 0 &&
                          static_cast<size_t>(number) < callbacks_->size() &&
                          (*callbacks_)[static_cast<size_t>(number)] != nullptr;
    return is_there ? &(*callbacks_)[static_cast<size_t>(number)] : nullptr;
  }

 private:
  std::shared_ptr<const std::vector<HostCallback>> callbacks_;  // Shared by copies; immutable.
};

}  // namespace acceld::client

#pragma once

#include <memory>

#include "client/pjrt/named_values.h"
#include "client/program.h"
#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld::pjrt {

// The cost of a program (common/ir/cost/cost.h) under XLA's property names: "flops",
// "transcendentals" and "bytes accessed". Computed in this process when first requested.
// Thread-safe.
class CostProperties {
 public:
  // Returns the properties, which are the same at each call and valid as long as this object.
  // RESOURCE_EXHAUSTED for a program that is too large to be analyzed.
  absl::StatusOr<const NamedValues*> Of(const client::Program& program);

 private:
  Mutex mutex_;
  // nullptr until the cost has been computed.
  std::unique_ptr<const NamedValues> values_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::pjrt

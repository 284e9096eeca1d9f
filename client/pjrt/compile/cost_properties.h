#pragma once

#include <memory>

#include "client/pjrt/named_values.h"
#include "client/program.h"
#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld::pjrt {

// What a program costs (common/ir/cost/cost.h) under XLA's names: "flops", "transcendentals" and
// "bytes accessed". Counted at the first question, in this process. Thread-safe.
class CostProperties {
 public:
  // The same at each call; it lives as long as this object. RESOURCE_EXHAUSTED for a program that
  // is too large to be looked at.
  absl::StatusOr<const NamedValues*> Of(const client::Program& program);

 private:
  Mutex mutex_;
  std::unique_ptr<const NamedValues> values_ ABSL_GUARDED_BY(mutex_);  // nullptr: not counted yet
};

}  // namespace acceld::pjrt

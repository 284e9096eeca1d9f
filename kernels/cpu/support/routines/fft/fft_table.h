#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "kernels/cpu/support/routines/routine_run.h"

namespace acceld::kernels::cpu {

// A cache of plans of one type, by the length of the transform. The type has a static function
// Make(run, length), which may return CANCELLED, and table_elements(). The cache is bounded: it is
// emptied when its plans get too large. Thread-safe.
template <typename Plan>
class FftTable {
 public:
  // Returns the plan for `length`, which is made if needed. Errors are those of Plan::Make.
  absl::StatusOr<std::shared_ptr<const Plan>> Find(const RoutineRun& run, int64_t length) {
    {
      const MutexLock lock(mutex_);
      const auto found = plans_.find(length);
      if (found != plans_.end()) return found->second;
    }
    // Made without the lock: if two threads make the same plan, the first one is kept.
    ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> made, Plan::Make(run, length));
    const MutexLock lock(mutex_);
    elements_ += made->table_elements();
    if (elements_ > kMaxTableElements) {
      plans_.clear();
      elements_ = made->table_elements();
    }
    return plans_.emplace(length, std::move(made)).first->second;
  }

 private:
  // The most elements of twiddle factors in all plans together.
  static constexpr int64_t kMaxTableElements = int64_t{1} << 22;

  Mutex mutex_;
  int64_t elements_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<int64_t, std::shared_ptr<const Plan>> plans_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::kernels::cpu

#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "kernels/cpu/support/routines/routine_run.h"

namespace acceld::kernels::cpu {

// Plans of lengths that were transformed before, of one kind: with Make(run, length), which may
// give up with CANCELLED, and table_elements(). Thread-safe.
template <typename Plan>
class FftTable {
 public:
  absl::StatusOr<std::shared_ptr<const Plan>> Find(const RoutineRun& run, int64_t length) {
    {
      const MutexLock lock(mutex_);
      const auto found = plans_.find(length);
      if (found != plans_.end()) return found->second;
    }
    // Made without the lock: two threads may make the same one, and the first stays.
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
  // All together have at most about this many elements of twiddles.
  static constexpr int64_t kMaxTableElements = int64_t{1} << 22;

  Mutex mutex_;
  int64_t elements_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<int64_t, std::shared_ptr<const Plan>> plans_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::kernels::cpu

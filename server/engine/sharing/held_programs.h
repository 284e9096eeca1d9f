#pragma once

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "common/crypto/digest.h"
#include "common/memory/allowance.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/engine/program.h"

namespace acceld::engine {

// The programs that the sessions of one identity have registered. The memory of equal programs is
// charged once, however many sessions have registered them. Thread-safe.
class HeldPrograms : public std::enable_shared_from_this<HeldPrograms> {
 public:
  // Returns the same program, or an equal one that is held already. Its memory is charged to
  // `memory` as long as a copy of the returned pointer exists. RESOURCE_EXHAUSTED when the
  // allowance is too small.
  absl::StatusOr<std::shared_ptr<const Program>> Hold(std::shared_ptr<const Program> program,
                                                      std::shared_ptr<Allowance> memory);

 private:
  struct Holding;

  void Forget(const Digest& fingerprint);

  Mutex mutex_;
  // Each entry expires when its Holding is destroyed.
  absl::flat_hash_map<Digest, std::weak_ptr<const Program>> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine

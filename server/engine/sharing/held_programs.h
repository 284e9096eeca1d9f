#pragma once

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "common/crypto/digest.h"
#include "common/memory/allowance.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/engine/program.h"

namespace acceld::engine {

// The programs that the sessions of one identity have registered. However many sessions have
// registered equal ones, their memory is taken once. Thread-safe.
class HeldPrograms : public std::enable_shared_from_this<HeldPrograms> {
 public:
  // The same program; as long as anybody has the pointer, its memory is taken from `memory`.
  // RESOURCE_EXHAUSTED: there is not so much.
  absl::StatusOr<std::shared_ptr<const Program>> Hold(std::shared_ptr<const Program> program,
                                                      std::shared_ptr<Allowance> memory);

 private:
  struct Holding;

  void Forget(const Digest& fingerprint);

  Mutex mutex_;
  // Each points into its Holding.
  absl::flat_hash_map<Digest, std::weak_ptr<const Program>> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine

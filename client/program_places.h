#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "common/crypto/digest.h"
#include "common/ir/op_numbers.h"
#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld::client {

// Where the ops of the programs that a client has sent were made. The daemon does not know: its
// errors name an op by its number. What was added first is forgotten when there is much.
// Thread-safe.
class ProgramPlaces {
 public:
  // Replaces those of an equal program that was made elsewhere.
  void Add(const Digest& fingerprint, std::shared_ptr<const ir::OpPlaces> places);
  // The error with the place of the op that it is about before its message, if that is known.
  absl::Status Locate(const absl::Status& status) const;

 private:
  static constexpr int64_t kMaxBytes = int64_t{16} << 20;

  mutable Mutex mutex_;
  absl::flat_hash_map<Digest, std::shared_ptr<const ir::OpPlaces>> places_ ABSL_GUARDED_BY(mutex_);
  std::deque<Digest> order_ ABSL_GUARDED_BY(mutex_);  // As they were added first.
  int64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

// The same for an error about an op of one program.
absl::Status Locate(const absl::Status& status, const ir::OpPlaces& places);

}  // namespace acceld::client

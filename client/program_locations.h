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

// The source locations of the ops of the programs that a client has sent. The daemon does not know
// them: its errors identify an op by program and number (common/op_origin.h). Forgets the programs
// that were added first when the locations take more than kMaxBytes. Thread-safe.
class ProgramLocations {
 public:
  // Records the locations of the program with this fingerprint. Replaces those of an equal program
  // that was written elsewhere in the source.
  void Add(const Digest& fingerprint, std::shared_ptr<const ir::OpLocations> source_locations);
  // Returns the error with the source location of the op it is about put before its message;
  // returns it unchanged if the location is not known.
  absl::Status Locate(const absl::Status& status) const;

 private:
  static constexpr int64_t kMaxBytes = int64_t{16} << 20;

  mutable Mutex mutex_;
  absl::flat_hash_map<Digest, std::shared_ptr<const ir::OpLocations>> locations_
      ABSL_GUARDED_BY(mutex_);
  // Fingerprints in the order in which they were first added.
  std::deque<Digest> order_ ABSL_GUARDED_BY(mutex_);
  int64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Returns an error about an op of one program with the source location of the op, which
// `source_locations` contains, put before the message.
absl::Status Locate(const absl::Status& status, const ir::OpLocations& source_locations);

}  // namespace acceld::client

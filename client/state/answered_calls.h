#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "acceld/v1/host_call.pb.h"

namespace acceld::client {

// Which host calls of an execution have been answered, so that a call that the daemon sends again
// is not run twice. Each device of the execution makes one call after the other, with ascending
// numbers; calls of different devices come in any order. Not thread-safe.
class AnsweredCalls {
 public:
  bool Contains(const v1::HostCall& call) const {
    const auto last = last_.find(call.device());
    return last != last_.end() && call.call_id() <= last->second;
  }
  void Add(const v1::HostCall& call) { last_[call.device()] = call.call_id(); }

 private:
  absl::flat_hash_map<uint32_t, uint64_t> last_;  // the number of the last one, by device
};

}  // namespace acceld::client

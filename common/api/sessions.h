#pragma once

#include <cstdint>
#include <string>

#include "common/api/priority.h"
#include "common/ir/types/type.h"

namespace acceld {

// An open session, as it is now.
struct SessionInfo {
  uint64_t id = 0;
  std::string client_name, identity;
  Priority priority = Priority::kNormal;
  double age_s = 0;
  uint64_t arrays = 0, array_bytes = 0;  // that its handles name, and their device memory
  uint64_t executions = 0;               // that it has submitted
  uint64_t programs = 0;                 // that it has registered
  uint64_t queued = 0;                   // executions and uploads that have not ended
  uint64_t handles = 0;
};

// A session that is not open any more.
struct EndedSessionInfo {
  uint64_t id = 0;
  std::string client_name, identity;
  double lasted_s = 0;      // from its begin to its end
  double age_s = 0;         // since its end
  uint64_t executions = 0;  // that it submitted
  std::string reason;       // why it ended, for people
};

// An array that a session has given a name, by which others open it.
struct NamedArrayInfo {
  std::string name;
  std::string owner;  // the identity that named it
  ir::TensorType type;
  uint32_t device = 0;
  bool for_everyone = false;  // not only for sessions of the owner
  double age_s = 0;           // since it was named
};

}  // namespace acceld

#pragma once

#include <sys/types.h>

#include <string>

#include "absl/types/optional.h"
#include "server/engine/identity.h"

namespace acceld::rpc {

// Who calls, as the gate has found out.
struct Caller {
  engine::Identity identity;
  absl::optional<uid_t> uid;  // when the call came over a unix socket
  std::string peer;           // where from, for people: "127.0.0.1:40312", "uid=1000 pid=4711"
};

}  // namespace acceld::rpc

#pragma once

#include <sys/types.h>

#include <string>

#include "absl/types/optional.h"
#include "server/engine/identity.h"

namespace acceld::rpc {

// The caller of an RPC, as Gate has established it.
struct Caller {
  engine::Identity identity;
  absl::optional<uid_t> uid;  // set when the call came over a unix socket
  std::string peer;           // for log messages: "127.0.0.1:40312" or "uid=1000 pid=4711"
};

}  // namespace acceld::rpc

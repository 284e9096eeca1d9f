#pragma once

#include <string>

#include "common/api/role.h"

namespace acceld::engine {

// The user of a session, as authenticated by the transport.
struct Identity {
  std::string name;
  Role role = Role::kUser;
};

}  // namespace acceld::engine

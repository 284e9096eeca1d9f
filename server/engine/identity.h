#pragma once

#include <string>

#include "common/api/role.h"

namespace acceld::engine {

// Whom a session works for, as the transport has found out.
struct Identity {
  std::string name;
  Role role = Role::kUser;
};

}  // namespace acceld::engine

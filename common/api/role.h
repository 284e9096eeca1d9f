#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace acceld {

// What a caller may do. Each role may do what those before it may. A user works in sessions of its
// own; a publisher also names arrays for everyone; an admin also sees and ends the sessions of
// others, drains the daemon and reads its trace and cache.
enum class Role : uint8_t { kUser, kPublisher, kAdmin };

// "user", "publisher", "admin".
constexpr absl::string_view RoleName(Role role) {
  switch (role) {
    case Role::kUser:
      return "user";
    case Role::kPublisher:
      return "publisher";
    case Role::kAdmin:
      return "admin";
  }
  return "";
}

}  // namespace acceld

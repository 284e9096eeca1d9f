#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

// Status codes on the wire are the canonical ones; anything else is UNKNOWN.
namespace acceld::client {

inline absl::Status StatusFromWire(uint32_t code, absl::string_view message) {
  if (code == 0) return absl::OkStatus();
  return absl::Status(code <= 16 ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown,
                      message);
}

}  // namespace acceld::client

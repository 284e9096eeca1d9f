#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

// Status codes in messages are the canonical ones; any other number is read as UNKNOWN.
namespace acceld::client {

// Returns the status with this code and message; OK for code 0.
inline absl::Status StatusFromWire(uint32_t code, absl::string_view message) {
  if (code == 0) return absl::OkStatus();
  return absl::Status(code <= 16 ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown,
                      message);
}

}  // namespace acceld::client

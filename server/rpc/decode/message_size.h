#pragma once

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace acceld::rpc {

// RESOURCE_EXHAUSTED when a message from a client has more than `max_bytes`.
inline absl::Status CheckMessageSize(size_t size_bytes, size_t max_bytes) {
  if (size_bytes <= max_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("a message of ", size_bytes, " bytes; the limit is ", max_bytes));
}

}  // namespace acceld::rpc

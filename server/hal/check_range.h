#pragma once

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace acceld::hal {

// Returns OK if the range of `size_bytes` bytes at `offset_bytes` lies within a buffer of
// `buffer_bytes` bytes, and otherwise INVALID_ARGUMENT with a message that begins with `what`.
inline absl::Status CheckRange(const char* what, int64_t offset_bytes, int64_t size_bytes,
                               int64_t buffer_bytes) {
  if (offset_bytes >= 0 && size_bytes >= 0 && offset_bytes <= buffer_bytes - size_bytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(what, ": ", size_bytes, " bytes at offset ",
                                                 offset_bytes, " of a buffer of ", buffer_bytes));
}

}  // namespace acceld::hal

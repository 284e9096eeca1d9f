#pragma once

#include <utility>

#include "absl/status/status.h"
#include "client/pjrt/abi/abi.h"

// An error that is passed to the framework, which destroys it.
struct PJRT_Error {
  absl::Status status;  // Never OK.
};

namespace acceld::pjrt {

// Returns nullptr for OK.
inline PJRT_Error* ToError(absl::Status status) {
  return status.ok() ? nullptr : new PJRT_Error{std::move(status)};
}

}  // namespace acceld::pjrt

#pragma once

#include "absl/status/status.h"
#include "client/pjrt/abi/abi.h"

// The functions of the interface as they are implemented here: a Status instead of a PJRT_Error,
// and arguments that are there, whole (api.cc sees to it when the caller knows fewer fields). Each
// is in the file of its object: Buffer_Dimensions in buffer.cc. Any thread may call any of them;
// getters never wait for the daemon.
namespace acceld::pjrt {

#define PJRT_IN(type, name)
#define PJRT_OUT(type, name)
#define PJRT_FUNCTION(name, ...) absl::Status name(PJRT_##name##_Args& args);
#define PJRT_VOID_FUNCTION(name, ...) PJRT_FUNCTION(name)
#include "client/pjrt/abi/all_functions.def"

}  // namespace acceld::pjrt

#pragma once

#include "absl/status/status.h"
#include "client/pjrt/abi/abi.h"

// The functions of the interface, implemented with Status instead of PJRT_Error. Their argument
// structs are never null and always complete (entry.h fills in the fields that a caller of an older
// version does not have). Each is implemented in the file of its object, for example
// Buffer_Dimensions in transfer/buffer.cc. Thread-safe. Getters never wait for the daemon.
namespace acceld::pjrt {

#define PJRT_IN(type, name)
#define PJRT_OUT(type, name)
#define PJRT_FUNCTION(name, ...) absl::Status name(PJRT_##name##_Args& args);
#define PJRT_VOID_FUNCTION(name, ...) PJRT_FUNCTION(name)
#include "client/pjrt/abi/all_functions.def"

}  // namespace acceld::pjrt

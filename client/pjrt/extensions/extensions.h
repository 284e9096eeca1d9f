#pragma once

#include "client/pjrt/abi/abi.h"

namespace acceld::pjrt {

// The list of extensions that GetPjrtApi() gives, nullptr for none. Each has a file of its own in
// this folder.
PJRT_Extension_Base* Extensions();

}  // namespace acceld::pjrt

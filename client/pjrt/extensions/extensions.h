#pragma once

#include "client/pjrt/abi/abi.h"

namespace acceld::pjrt {

// Returns the first of the list of extensions that GetPjrtApi() provides. Each extension has a file
// in this folder.
PJRT_Extension_Base* Extensions();

}  // namespace acceld::pjrt

#pragma once

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::kernels::cpu {

// Looks at what LLVM's reader takes for granted: a relocatable 64-bit little-endian ELF file for
// this machine whose tables and sections lie inside the bytes. INVALID_ARGUMENT names what is
// wrong.
absl::Status CheckObject(absl::string_view object);

}  // namespace acceld::kernels::cpu

#pragma once

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::kernels::cpu {

// Checks what LLVM's reader takes for granted: that `object` is a relocatable 64-bit little-endian
// ELF file for this machine whose section table and sections lie inside of it. Returns
// INVALID_ARGUMENT with what is wrong.
absl::Status CheckObject(absl::string_view object);

}  // namespace acceld::kernels::cpu

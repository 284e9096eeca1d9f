#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"

namespace acceld::kernels::cpu {

// The code of a plan is one relocatable object or several that are linked with each other, those
// that are called after those that call them. One is kept as it is; several as a mark, their
// number, their sizes (64 bits each, little-endian) and their bytes.
std::string PackObjects(absl::Span<const std::string> objects);

// Views of `code`. INVALID_ARGUMENT: the sizes do not fit the bytes. Whether the objects are any is
// not looked at.
absl::StatusOr<std::vector<absl::string_view>> UnpackObjects(absl::string_view code);

}  // namespace acceld::kernels::cpu

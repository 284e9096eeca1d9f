#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"

namespace acceld::kernels::cpu {

// Packs the relocatable objects of one plan, at least one, into a string. Objects may refer to
// symbols of objects that come after them, and the linker links them with each other. A single
// object is stored as it is. Several are stored as a magic string, the number of objects, their
// sizes (64 bits each, little-endian) and their bytes.
std::string PackObjects(absl::Span<const std::string> objects);

// Splits what PackObjects returned into views of the objects; the views point into `code`. Returns
// INVALID_ARGUMENT if the stored sizes do not fit the number of bytes. Does not check that the
// parts are valid objects.
absl::StatusOr<std::vector<absl::string_view>> UnpackObjects(absl::string_view code);

}  // namespace acceld::kernels::cpu

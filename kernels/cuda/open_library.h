#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"

namespace acceld::kernels::cuda {

// The first of the files at `paths` that the loader finds, opened for good. FAILED_PRECONDITION
// with what was looked for when there is none of them.
absl::StatusOr<void*> OpenLibrary(absl::string_view name, absl::Span<const char* const> paths);

}  // namespace acceld::kernels::cuda

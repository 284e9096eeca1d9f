#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "common/api/executions.h"
#include "common/ir/module.h"
#include "server/hal/executable.h"

namespace acceld::engine {

// Returns how much device memory an executable takes when executions donate the arguments with the
// indices `donated` (indices out of range are ignored). `wishes` are the program's own donations,
// which say for which result an argument is intended.
ExecutableMemory MemoryOf(const hal::Executable& executable, absl::Span<const uint32_t> donated,
                          absl::Span<const ir::Donation> wishes);

}  // namespace acceld::engine

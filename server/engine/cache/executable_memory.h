#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "common/api/executions.h"
#include "common/ir/module.h"
#include "server/hal/executable.h"

namespace acceld::engine {

// What an executable takes of the memory of a device, when executions give away the arguments with
// these numbers (others than arguments are ignored). `wishes` are the program's donations, as
// executions use them: they say which result an argument is for.
ExecutableMemory MemoryOf(const hal::Executable& executable, absl::Span<const uint32_t> donated,
                          absl::Span<const ir::Donation> wishes);

}  // namespace acceld::engine

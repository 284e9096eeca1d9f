#pragma once

#include <vector>

#include "absl/types/span.h"
#include "client/pjrt/abi/abi.h"
#include "common/ir/types/type.h"

namespace acceld::pjrt {

// Returns the extension that tells the framework the memory layouts of arrays, which are all
// row-major. Without it JAX asks for the optimized program at the first call of each function and
// reads the layouts from it. `next` is the successor in the list of extensions.
PJRT_Extension_Base* LayoutsExtension(PJRT_Extension_Base* next);

// Returns the layouts of arrays of these types, as the extension represents them. They are valid as
// long as the process.
std::vector<PJRT_Layouts_MemoryLayout*> LayoutsOf(absl::Span<const ir::TensorType> types);

}  // namespace acceld::pjrt

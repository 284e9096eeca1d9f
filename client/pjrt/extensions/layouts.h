#pragma once

#include <vector>

#include "absl/types/span.h"
#include "client/pjrt/abi/abi.h"
#include "common/ir/types/type.h"

namespace acceld::pjrt {

// Tells the framework in which order arrays lie in memory: row-major, all of them. Without this
// extension JAX asks for the optimized program at each first call of a function and reads the
// layouts from it.
PJRT_Extension_Base* LayoutsExtension(PJRT_Extension_Base* next);

// The layouts of arrays of these types, as the extension hands them out. They live as long as the
// process.
std::vector<PJRT_Layouts_MemoryLayout*> LayoutsOf(absl::Span<const ir::TensorType> types);

}  // namespace acceld::pjrt

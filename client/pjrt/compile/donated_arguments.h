#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/ir/types/type.h"

namespace acceld::pjrt {

// Returns the numbers of the parameters that an execution consumes, ascending: those for which the
// program names a result that takes their memory, and of the others that it declares as donatable
// as many as there are further results of the same size. The framework keeps the arrays of the
// arguments that no result can be written over, as XLA does. `arguments` and `results` are the
// types of one process.
std::vector<uint32_t> DonatedArguments(absl::Span<const ir::Donation> donations,
                                       absl::Span<const ir::TensorType> arguments,
                                       absl::Span<const ir::TensorType> results);

}  // namespace acceld::pjrt

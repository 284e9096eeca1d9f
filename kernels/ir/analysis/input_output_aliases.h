#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels {

// Selects the pairs of an argument and a result that use the same memory in a run; no argument and
// no result is in two of them. The candidates are the pairs of `may_share` (Plan::may_share) for
// which is_given(argument) says that the argument may be overwritten. Candidates are taken greedily
// in the order of `may_share`, but those that are also in `wished` before all others.
std::vector<InputOutputAlias> ChooseInputOutputAliases(
    absl::Span<const InputOutputAlias> may_share, absl::Span<const InputOutputAlias> wished,
    absl::FunctionRef<bool(uint32_t argument)> is_given);

}  // namespace acceld::kernels

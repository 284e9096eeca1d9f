#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels {

// Which arguments and results of a run get one place: no argument and no result is in two of the
// pairs. Of `may_share` (Plan::may_share) those that are in `wished` come first, then the others in
// their order; only arguments that `is_given` says may be overwritten are asked for and taken.
std::vector<SharedPlace> ChooseSharedPlaces(absl::Span<const SharedPlace> may_share,
                                            absl::Span<const SharedPlace> wished,
                                            absl::FunctionRef<bool(uint32_t argument)> is_given);

}  // namespace acceld::kernels

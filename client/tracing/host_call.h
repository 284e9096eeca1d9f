#pragma once

#include <vector>

#include "client/host_callbacks.h"
#include "client/tracing/tensor.h"

// Calls of the client's process in the middle of a program.
namespace acceld::client {

// With kYes, the program makes each call exactly as often as written and keeps the order of all
// such calls. With kNo, a call whose results are unused may be removed, and two equal calls may be
// merged.
enum class SideEffects : bool { kNo, kYes };
// Calls `callback` in the client's process while the program runs, with the values of `operands`,
// and returns its results, which have these static types. An error of the callback becomes the
// error of the function's results.
std::vector<Tensor> CallHost(HostCallback callback, const Operands& operands,
                             const std::vector<ir::TensorType>& results,
                             SideEffects effects = SideEffects::kYes);

}  // namespace acceld::client

#pragma once

#include "kernels/lowering/op_kernel.h"
#include "kernels/lowering/windows/find_scan.h"

namespace acceld::kernels {

// Lowers computation.op, a reduce_window for which FindWindowScan returned `scan`, to a kernel that
// passes once over each line along the scanned dimension.
absl::StatusOr<Kernel> LowerWindowScan(const Computation& computation, const WindowScan& scan);

}  // namespace acceld::kernels

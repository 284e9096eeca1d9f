#pragma once

#include "kernels/lowering/op_kernel.h"
#include "kernels/lowering/windows/find_scan.h"

namespace acceld::kernels {

// The reduce_window at the end of a computation, which is a scan, as one: each line along the
// scanned dimension is gone through once.
absl::StatusOr<Kernel> LowerWindowScan(const Computation& computation, const WindowScan& scan);

}  // namespace acceld::kernels

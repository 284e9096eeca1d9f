#include "kernels/lowering/op_kernel.h"

namespace acceld::kernels {

absl::StatusOr<LoweredOp> LowerConvolution(const Computation&) {
  return absl::UnimplementedError("has no kernel yet");
}

}  // namespace acceld::kernels

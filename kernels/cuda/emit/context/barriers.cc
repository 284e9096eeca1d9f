#include "kernels/cuda/emit/context/barriers.h"

namespace acceld::kernels::cuda {

void Barriers::WaitBefore(const Statement& next, CodeWriter& out) {
  Effects effects;
  effects.Add(next);
  if (Effects::Conflict(since_barrier_, effects)) Print(out);
  since_barrier_.Add(effects);
}

void Barriers::Print(CodeWriter& out) {
  Forget();
  has_barriers_ = true;
  out.Line("__syncthreads();");
}

}  // namespace acceld::kernels::cuda

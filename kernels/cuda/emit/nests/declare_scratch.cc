#include "kernels/cuda/emit/nests/declare_scratch.h"

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/emit/analysis/effects.h"
#include "kernels/cuda/emit/scalar_text.h"

namespace acceld::kernels::cuda {

void DeclareScratch(PrintContext& context, const Block& block, ThreadGroup group) {
  if (context.kernel.scratch.empty()) return;
  Effects effects;
  effects.Add(block);
  const bool is_shared = group == ThreadGroup::kBlock;
  for (const uint32_t number : effects.BuffersFrom(context.kernel.buffers.size())) {
    const BufferParameter& scratch = context.kernel.Buffer(number);
    if (is_shared) context.shared_memory.Reserve(SizeBytesOf(scratch));
    context.out.Line(is_shared ? "__shared__ " : "", RegisterType(scratch.dtype), " ", scratch.name,
                     "[", std::max<int64_t>(scratch.num_elements, 1), "];");
  }
}

}  // namespace acceld::kernels::cuda

#include "kernels/cuda/emit/context/print_context.h"

#include "common/ir/types/dtype.h"

namespace acceld::kernels::cuda {
namespace {

int64_t ScratchBytesOf(const Kernel& kernel) {
  int64_t size_bytes = 0;
  for (const BufferParameter& scratch : kernel.scratch) size_bytes += SizeBytesOf(scratch);
  return size_bytes;
}

}  // namespace

int64_t SizeBytesOf(const BufferParameter& buffer) {
  return buffer.num_elements * ir::StorageBytesOf(buffer.dtype);
}

PrintContext::PrintContext(const Kernel& kernel, const WorkDivision& work_division)
    : kernel(kernel),
      work_division(work_division),
      cooperative_work(kernel),
      cancellation_polls(kernel),
      constants(FindConstants(kernel)),
      expressions(kernel),
      scratch_bytes(ScratchBytesOf(kernel)) {}

}  // namespace acceld::kernels::cuda

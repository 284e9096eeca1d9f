#include "kernels/cuda/program/buffer_locations.h"

#include "kernels/cuda/program/accesses.h"

namespace acceld::kernels::cuda {

BufferLocations::BufferLocations(const CudaProgram& program, size_t num_arguments,
                                 size_t num_results)
    : num_arguments_(num_arguments), num_results_(num_results) {
  locations_.push_back({.base = num_bases() - 1});
  for (const Step& step : program.steps) {
    for (const Access& access : AccessesOf(program, step)) Add(access.slice);
  }
}

size_t BufferLocations::BaseOf(Slice::Space space, uint32_t index) const {
  switch (space) {
    case Slice::Space::kArgument:
      return index;
    case Slice::Space::kResult:
      return num_arguments_ + index;
    case Slice::Space::kArena:
      return num_arguments_ + num_results_;
    case Slice::Space::kConstant:
      break;
  }
  return num_arguments_ + num_results_ + 1;
}

void BufferLocations::Add(const Slice& slice) {
  if (!numbers_.emplace(KeyOf(slice), locations_.size()).second) return;
  locations_.push_back({.base = BaseOf(slice.space, slice.index),
                        .offset_bytes = static_cast<uint64_t>(slice.offset_bytes)});
}

}  // namespace acceld::kernels::cuda

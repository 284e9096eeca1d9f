#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "kernels/ir/attention_shape.h"

namespace acceld::kernels::cuda {

// Whether PrintAttention supports the shape: element types f32, f16 and bf16, with up to 256
// elements for each query and each value. f16 and bf16 need a device of compute capability 8.0
// (sm_80, kNarrowAttentionArchitecture) or higher.
bool CanAttend(const AttentionShape& shape);
inline constexpr int kNarrowAttentionArchitecture = 80;
// Whether the kernel is expected to be fast: it has enough thread blocks to fill a device, or few
// keys. Each thread block goes through all keys of its queries; with few blocks and many keys a
// library's matrix products, which use the whole device, are faster.
bool IsAttentionParallel(const AttentionShape& shape);

// An attention kernel as CUDA C++.
struct AttentionKernel {
  // The function extern "C" __global__ void NAME(query, key, value, bias if there is one, masks,
  // output, cancelled if `polls`), with parameters as those of CudaKernel::source. It must follow
  // the module's prelude and AttentionPrelude().
  std::string source;
  int64_t blocks = 1;
  int threads = 1;     // of each block
  bool polls = false;  // whether the kernel returns early when *cancelled is not zero
};

// Prints the kernel for a shape that CanAttend accepts. `name` becomes the function's name.
AttentionKernel PrintAttention(const AttentionShape& shape, absl::string_view name);

// The device code that must precede attention kernels, once in each module.
absl::string_view AttentionPrelude();

}  // namespace acceld::kernels::cuda

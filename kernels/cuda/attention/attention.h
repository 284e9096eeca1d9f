#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "kernels/ir/attention_shape.h"

namespace acceld::kernels::cuda {

// Whether a kernel of attention does this: f32, f16 and bf16 with up to 256 elements a query and a
// value, and results of one of these types. Narrow floats want a device of sm_80 or newer.
bool CanAttend(const AttentionShape& shape);
inline constexpr int kNarrowAttentionArchitecture = 80;
// Whether it has work for a whole device, or is soon done: a block of threads goes through all
// keys, which few blocks do more slowly than a library's products, all of whose threads share them.
bool IsAttentionParallel(const AttentionShape& shape);

struct AttentionKernel {
  // extern "C" __global__ void NAME(query, key, value, bias if there is one, masks, output, and
  // cancelled if `polls`), as CudaKernel has it, behind the module's prelude and
  // AttentionPrelude().
  std::string source;
  int64_t blocks = 1;
  int threads = 1;     // of a block
  bool polls = false;  // long ones stop when *cancelled is not zero
};

// Of a shape that CanAttend takes.
AttentionKernel PrintAttention(const AttentionShape& shape, absl::string_view name);

// What stands before such kernels of a module, once.
absl::string_view AttentionPrelude();

}  // namespace acceld::kernels::cuda

#pragma once

#include <cstdint>
#include <string>

#include "kernels/ir/plan.h"

namespace acceld::codegen {

// What the compiler asks about the kind of device that it compiles for. Whatever these functions
// say is decided by the architecture: devices with equal architectures give equal answers, so that
// they can run each other's code. Implementations are thread-safe, and nothing blocks.
class Target {
 public:
  virtual ~Target() = default;
  // What the code runs on: a component of the cache key.
  virtual std::string architecture() const = 0;
  // Whether a library of this target computes this product. One that no library computes becomes
  // kernels. Buffers and offsets of the operands do not matter.
  virtual bool SupportsMatmul(const kernels::MatmulStep& matmul) const = 0;
  // The same for a convolution.
  virtual bool SupportsConvolution(const kernels::ConvolutionStep& convolution) const = 0;
  // The size of the workspace that such a convolution needs in the arena.
  virtual int64_t ScratchBytesOf(const kernels::ConvolutionStep& convolution) const = 0;
  // Whether one kernel of this target computes this attention, and does so faster than two products
  // and a softmax between them.
  virtual bool SupportsAttention(const kernels::AttentionShape& attention) const = 0;
  // Whether a product of operands narrower than f32 is at least as fast as the same product of f32.
  // Where it is not, the compiler converts the operands first.
  virtual bool IsMatmulFast(const kernels::MatmulStep& matmul) const = 0;
  // How many independent pieces of work keep a device of this kind busy. Reductions and scans are
  // split into about that many pieces, so the order of their additions depends on it.
  virtual int64_t parallel_units() const = 0;
  // How many threads work best on one such piece together: 1, or the size of a block of threads
  // that share memory.
  virtual int64_t threads_per_unit() const = 0;
};

}  // namespace acceld::codegen

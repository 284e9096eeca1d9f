#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "kernels/ir/plan.h"

namespace acceld::codegen {

// Target::min_alternating_bytes() of targets whose loops always copy back.
inline constexpr int64_t kNeverAlternates = std::numeric_limits<int64_t>::max();

// Describes the kind of device that the compiler generates code for. The values depend on
// architecture() alone: targets with equal architectures return equal values, so that their devices
// can run each other's code. Implementations are thread-safe. The first call that queries a library
// may take up to a second, in which the library is initialized.
class Target {
 public:
  virtual ~Target() = default;
  // Identifies what the code can run on: the processor or GPU architecture, and for GPUs also the
  // versions of the compiler and of the libraries. A component of the cache key.
  virtual std::string architecture() const = 0;
  // Whether a library of this target computes this matrix product. Other products are compiled to
  // kernels. The buffers and offsets of the operands do not matter.
  virtual bool SupportsMatmul(const kernels::MatmulStep& matmul) const = 0;
  // Whether this target computes this convolution as a ConvolutionStep. Other convolutions are
  // compiled to kernels like any other loops. The buffers and offsets of the operands do not
  // matter.
  virtual bool SupportsConvolution(const kernels::ConvolutionStep& convolution) const = 0;
  // Returns the size of the workspace that a supported convolution needs in the arena; may be 0.
  virtual int64_t ScratchBytesOf(const kernels::ConvolutionStep& convolution) const = 0;
  // Whether one kernel of this target computes this attention faster than two products and a
  // softmax between them would.
  virtual bool SupportsAttention(const kernels::AttentionShape& attention) const = 0;
  // Whether a product of operands narrower than f32 is at least as fast as the same product of f32.
  // Where it is not, the compiler converts the operands first.
  virtual bool IsMatmulFast(const kernels::MatmulStep& matmul) const = 0;
  // Whether collectives that reduce can multiply their results by a factor. Otherwise loops behind
  // them do that.
  virtual bool ScalesCollectives() const = 0;
  // The least size of a carried value that a loop computes in turns in two buffers, instead of
  // copying it back at the end of each iteration, at the cost of the steps of a second body.
  virtual int64_t min_alternating_bytes() const = 0;
  // How many independent pieces of work keep a device of this kind busy. Reductions and scans are
  // split into about that many pieces, so the order of their additions depends on it.
  virtual int64_t parallel_units() const = 0;
  // How many threads should cooperate on one such piece of work: 1, or the size of a thread block
  // with shared memory.
  virtual int64_t threads_per_unit() const = 0;
};

}  // namespace acceld::codegen

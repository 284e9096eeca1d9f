#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/status.h"
#include "common/stop_flag.h"
#include "kernels/ir/plan.h"

namespace acceld::hal {

// Turns plans into the code of one kind of device. Implementations are thread-safe.
class CodeGenerator {
 public:
  virtual ~CodeGenerator() = default;
  // What the code runs on; a component of the cache key. Two devices with equal architectures can
  // run each other's code.
  virtual std::string architecture() const = 0;
  // Whether a library of this target runs this contraction; one that it does not becomes kernels.
  // The places of its operands are not looked at.
  virtual bool SupportsMatmul(const kernels::MatmulStep& matmul) const = 0;
  // The same for a convolution.
  virtual bool SupportsConvolution(const kernels::ConvolutionStep& convolution) const = 0;
  // The bytes that such a convolution wants between its operands and its result.
  virtual int64_t ScratchBytesOf(const kernels::ConvolutionStep& convolution) const = 0;
  // Whether a kernel of this target runs this attention, and does it faster than products and a
  // softmax apart.
  virtual bool SupportsAttention(const kernels::AttentionShape& attention) const = 0;
  // Whether this product of floats narrower than f32 is at least as fast as the same of f32. Where
  // it is not, the operands are converted first.
  virtual bool IsMatmulFast(const kernels::MatmulStep& matmul) const = 0;
  // As many pieces of independent work as keep such a device busy. Code, and the order of sums in
  // it, follows from this: it is the same for equal architectures.
  virtual int64_t parallel_units() const = 0;
  // How many threads such a piece of work is best for: 1, or a team's that share memory.
  virtual int64_t threads_per_unit() const = 0;
  struct Dump {
    std::string file_name;  // "30-llvm.ll"
    std::string text;
  };
  // CPU-bound, and may measure on a device of the kind; call it on the compile pool. `dumps` and
  // `stop` may be nullptr. CANCELLED, between the parts of the work, once it is stopped.
  virtual absl::StatusOr<std::string> Generate(const kernels::Plan& plan, std::vector<Dump>* dumps,
                                               const StopFlag* stop) const = 0;
};

}  // namespace acceld::hal

#pragma once

#include <memory>
#include <string>

#include "kernels/cuda/program/program.h"
#include "server/hal/cuda/context.h"
#include "server/hal/cuda/libraries.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// The matrix products of cuBLASLt on one device, for the compiler: which there are, and which of
// their algorithms are fastest. Thread-safe.
class DeviceMatmuls {
 public:
  // With cuBLASLt among the libraries or not.
  DeviceMatmuls(std::shared_ptr<Context> context, std::shared_ptr<const Libraries> libraries,
                std::shared_ptr<MemoryPool> memory)
      : context_(std::move(context)),
        libraries_(std::move(libraries)),
        memory_(std::move(memory)) {}

  // Whether the library runs the product here. Asks it about what not every device has.
  bool Supports(const kernels::MatmulStep& matmul) const;

  // Names the algorithms of the program's large products, as they were measured on the device, and
  // where that was. Leaves to the library's heuristics what cannot be measured: because there is
  // little memory free, or the time for it is over. Blocks, for about a second at most and for as
  // long as others measure; what else runs on the device is slowed down.
  void ChooseAlgorithms(kernels::cuda::CudaProgram& program) const;

 private:
  class Measurement;
  void ChooseIn(kernels::Steps& steps, Measurement& measurement) const;

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<const Libraries> libraries_;
  const std::shared_ptr<MemoryPool> memory_;
  mutable Mutex measuring_;  // two at a time would measure each other
};

}  // namespace acceld::hal::cuda

#pragma once

#include <memory>

#include "common/mutex.h"
#include "kernels/cuda/program/program.h"
#include "server/hal/cuda/context.h"
#include "server/hal/cuda/libraries.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// Which of cuDNN's algorithms are fastest on one device, for the compiler. Thread-safe.
class ConvolutionTimes {
 public:
  ConvolutionTimes(std::shared_ptr<Context> context, std::shared_ptr<const Libraries> libraries,
                   std::shared_ptr<MemoryPool> memory)
      : context_(std::move(context)),
        libraries_(std::move(libraries)),
        memory_(std::move(memory)) {}

  // Names the algorithms of the program's large convolutions, as they were measured on the device.
  // Leaves to the library's heuristics what cannot be measured: because there is little memory
  // free, or the time for it is over. Blocks, for about a second at most and for as long as others
  // measure; what else runs on the device is slowed down.
  void ChooseAlgorithms(kernels::cuda::CudaProgram& program) const;

 private:
  class Measurement;
  static void ChooseIn(kernels::Steps& steps, Measurement& measurement);

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<const Libraries> libraries_;
  const std::shared_ptr<MemoryPool> memory_;
  mutable Mutex measuring_;  // two at a time would measure each other
};

}  // namespace acceld::hal::cuda

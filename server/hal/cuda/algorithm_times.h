#pragma once

#include <memory>
#include <utility>

#include "common/mutex.h"
#include "kernels/cuda/program/program.h"
#include "server/hal/cuda/context.h"
#include "server/hal/cuda/libraries.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// Which algorithms of cuBLASLt and cuDNN are fastest on one device, for the compiler. Thread-safe.
class AlgorithmTimes {
 public:
  AlgorithmTimes(std::shared_ptr<Context> context, std::shared_ptr<const Libraries> libraries,
                 std::shared_ptr<MemoryPool> memory)
      : context_(std::move(context)),
        libraries_(std::move(libraries)),
        memory_(std::move(memory)) {}

  // Names the algorithms of the program's large products and convolutions, as they were measured on
  // the device, and where that was. Leaves to the libraries' heuristics what cannot be measured:
  // because there is little memory free, or the time for it is over. Blocks, for about two seconds
  // at most and for as long as others measure; what else runs on the device is slowed down.
  void ChooseAlgorithms(kernels::cuda::CudaProgram& program) const;

 private:
  const std::shared_ptr<Context> context_;
  const std::shared_ptr<const Libraries> libraries_;
  const std::shared_ptr<MemoryPool> memory_;
  mutable Mutex measuring_;  // two at a time would measure each other
};

}  // namespace acceld::hal::cuda

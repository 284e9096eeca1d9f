#pragma once

#include <memory>
#include <utility>

#include "common/threads/mutex.h"
#include "kernels/cuda/program/program.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/libraries.h"
#include "server/hal/memory_pool.h"

namespace acceld::codegen::cuda {

// Which algorithms of cuBLASLt and cuDNN are fastest on one device, for the compiler. Thread-safe.
class AlgorithmTimes {
 public:
  AlgorithmTimes(std::shared_ptr<hal::cuda::Context> context,
                 std::shared_ptr<const hal::cuda::Libraries> libraries,
                 std::shared_ptr<hal::MemoryPool> memory)
      : context_(std::move(context)),
        libraries_(std::move(libraries)),
        memory_(std::move(memory)) {}

  // Names the algorithms of the program's large products and convolutions, as they were measured on
  // the device, and where that was. Leaves to the libraries' heuristics what cannot be measured:
  // because there is little memory free, or the time for it is over. Blocks, for about two seconds
  // at most and for as long as others measure; what else runs on the device is slowed down.
  void ChooseAlgorithms(kernels::cuda::CudaProgram& program) const;

 private:
  const std::shared_ptr<hal::cuda::Context> context_;
  const std::shared_ptr<const hal::cuda::Libraries> libraries_;
  const std::shared_ptr<hal::MemoryPool> memory_;
  mutable Mutex measuring_;  // two at a time would measure each other
};

}  // namespace acceld::codegen::cuda

#pragma once

#include <memory>
#include <utility>

#include "common/threads/mutex.h"
#include "kernels/cuda/program/program.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/libraries.h"
#include "server/hal/memory_pool.h"

namespace acceld::codegen::cuda {

// Chooses algorithms of cuBLASLt and cuDNN for compiled programs by measuring them on one device.
// Thread-safe: a mutex lets one program be measured at a time.
class AlgorithmTuner {
 public:
  AlgorithmTuner(std::shared_ptr<hal::cuda::Context> context,
                 std::shared_ptr<const hal::cuda::Libraries> libraries,
                 std::shared_ptr<hal::MemoryPool> memory)
      : context_(std::move(context)),
        libraries_(std::move(libraries)),
        memory_(std::move(memory)) {}

  // Measures the algorithms that the libraries offer for the large products and convolutions of
  // `program`. Stores the name of the fastest algorithm in each step (MatmulStep::algorithm,
  // ConvolutionStep::algorithm), and the library versions and the device in `program.measured_on`.
  // The name stays empty, which leaves the choice to the library's heuristics, where nothing could
  // be measured: because little device memory is free, the time limit has passed, or the device
  // reported an error. Blocks for about two seconds at most, plus the time in which other threads
  // measure; other work on the device is slowed down meanwhile.
  void ChooseAlgorithms(kernels::cuda::CudaProgram& program) const;

 private:
  const std::shared_ptr<hal::cuda::Context> context_;
  const std::shared_ptr<const hal::cuda::Libraries> libraries_;
  const std::shared_ptr<hal::MemoryPool> memory_;
  mutable Mutex measuring_;  // held while measuring: two at a time would disturb each other
};

}  // namespace acceld::codegen::cuda

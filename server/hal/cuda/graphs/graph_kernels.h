#pragma once

#include <memory>
#include <utility>

#include "common/threads/mutex.h"
#include "kernels/cuda/program/make_program.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/graphs/capture.h"

namespace acceld::hal::cuda {

// The kernels that graphs use in addition to the kernels of programs
// (kernels/cuda/device/graph.cu), loaded on one device: store_words and compute_addresses fill the
// address table (AddressTable), copy_bytes copies memory, and the others set the values by which
// conditional nodes continue a loop or choose a branch.
struct GraphKernels {
  CuFunction store_words, compute_addresses, copy_bytes, set_loop, set_branch, set_choice;
};

// What a device needs for CUDA graphs: compiles and loads the GraphKernels at their first use, and
// captures library calls. Shared by the modules of the device. Thread-safe.
class GraphSupport {
 public:
  // `compile` and `compile_to_ptx` compile CUDA C++ for the device; see CudaCompiler.
  GraphSupport(std::shared_ptr<Context> context, kernels::cuda::CompileSource compile,
               kernels::cuda::CompileSource compile_to_ptx)
      : context_(std::move(context)),
        compile_(std::move(compile)),
        compile_to_ptx_(std::move(compile_to_ptx)),
        capture_(*context_) {}
  ~GraphSupport();
  GraphSupport(const GraphSupport&) = delete;
  GraphSupport& operator=(const GraphSupport&) = delete;

  // Returns the kernels, which the first call compiles and loads. Returns nullptr if graphs with
  // loops and branches are not available, for example with an old driver; the reason is logged
  // once. The device's context must be current on the calling thread (Context::Enter).
  const GraphKernels* Get() const;

  const GraphCapture& capture() const { return capture_; }

 private:
  absl::Status Load() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status LoadWith(const kernels::cuda::CompileSource& compile) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<Context> context_;
  const kernels::cuda::CompileSource compile_, compile_to_ptx_;
  const GraphCapture capture_;
  mutable Mutex mutex_;
  mutable bool is_tried_ ABSL_GUARDED_BY(mutex_) = false;
  mutable bool is_loaded_ ABSL_GUARDED_BY(mutex_) = false;
  mutable CuModule module_ ABSL_GUARDED_BY(mutex_) = nullptr;
  mutable GraphKernels kernels_ = {};  // constant once loaded
};

}  // namespace acceld::hal::cuda

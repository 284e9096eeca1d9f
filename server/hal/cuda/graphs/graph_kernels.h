#pragma once

#include <memory>
#include <utility>

#include "common/threads/mutex.h"
#include "kernels/cuda/program/make_program.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/graphs/capture.h"

namespace acceld::hal::cuda {

// What graphs launch besides the kernels of programs (kernels/cuda/device/graph.cu), on one device.
struct GraphKernels {
  CuFunction store_words, find_places, copy_bytes, set_loop, set_branch, set_choice;
};

// Those kernels, compiled when they are first asked for. Shared by a device's modules. Thread-safe.
class GraphSupport {
 public:
  // `compile` and `compile_to_ptx` make code for the device (CudaCompiler).
  GraphSupport(std::shared_ptr<Context> context, kernels::cuda::CompileSource compile,
               kernels::cuda::CompileSource compile_to_ptx)
      : context_(std::move(context)),
        compile_(std::move(compile)),
        compile_to_ptx_(std::move(compile_to_ptx)),
        capture_(*context_) {}
  ~GraphSupport();
  GraphSupport(const GraphSupport&) = delete;
  GraphSupport& operator=(const GraphSupport&) = delete;

  // nullptr where graphs with loops and branches cannot be had, on old drivers for example: what
  // was wrong is logged once. The thread is one that works with the device (Context::Enter).
  const GraphKernels* Get() const;

  const Capture& capture() const { return capture_; }

 private:
  absl::Status Load() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status LoadBy(const kernels::cuda::CompileSource& compile) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<Context> context_;
  const kernels::cuda::CompileSource compile_, compile_to_ptx_;
  const Capture capture_;
  mutable Mutex mutex_;
  mutable bool is_tried_ ABSL_GUARDED_BY(mutex_) = false;
  mutable bool is_loaded_ ABSL_GUARDED_BY(mutex_) = false;
  mutable CuModule module_ ABSL_GUARDED_BY(mutex_) = nullptr;
  mutable GraphKernels kernels_ = {};  // Never changed once loaded.
};

}  // namespace acceld::hal::cuda

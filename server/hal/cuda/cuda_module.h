#pragma once

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernels/cuda/cublas/matmul.h"
#include "kernels/cuda/cudnn/convolution.h"
#include "kernels/cuda/program/program.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/graphs/module_graphs.h"
#include "server/hal/cuda/libraries.h"
#include "server/hal/cuda/nccl/run_collective.h"
#include "server/hal/device.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// A CUDA program whose code and constants are loaded on one GPU, with the library calls of its
// steps prepared. Immutable and thread-safe.
class CudaModule final : public Module {
 public:
  // Loads an executable; its constants are allocated from `memory`. Usually takes milliseconds; the
  // first use of a library may take up to seconds. Returns DATA_LOSS when the code is not a
  // serialized CUDA program, INTERNAL when the program is invalid, FAILED_PRECONDITION when it
  // needs a library that is not available, and the errors of MemoryPool::Allocate and of the
  // driver.
  static absl::StatusOr<std::shared_ptr<const CudaModule>> Load(
      std::shared_ptr<Context> context, std::shared_ptr<const Libraries> libraries,
      std::shared_ptr<const GraphSupport> graph_support, const Executable& executable,
      MemoryPool& memory);
  ~CudaModule() override;

  int64_t size_bytes() const override;
  int64_t device_bytes() const override;

  const kernels::cuda::CudaProgram& program() const { return program_; }
  // The loaded function of kernel number `kernel` of the program.
  CuFunction function(uint32_t kernel) const { return functions_[kernel]; }
  // The device address of the constants; 0 if the program has none.
  CuPointer constants() const;
  // Whether a run needs the host between its steps, so that not all of it can be enqueued at once:
  // for loops and branches that depend on values on the device, for routines that libraries do not
  // compute on the device alone, and for host calls.
  bool needs_host() const { return needs_host_ || graphs_->needs_host(); }
  const ModuleGraphs& graphs() const { return *graphs_; }
  // Returns how the device computes the routine of a step; nullptr when the host computes it.
  const kernels::cuda::DeviceRoutine* routine(const kernels::RoutineStep& step) const;
  bool has_device_routines() const { return !routines_.empty(); }
  // Whether routines on the device call libraries with handles that belong to the stream
  // (kernels::cuda::RoutineHandles).
  bool uses_handles() const { return uses_handles_; }
  const Libraries& libraries() const { return *libraries_; }
  // The prepared library call of a step of the program.
  const kernels::cuda::Matmul& matmul(const kernels::MatmulStep& step) const {
    return *matmuls_.at(&step);
  }
  const kernels::cuda::CudnnConvolution& convolution(const kernels::ConvolutionStep& step) const {
    return *convolutions_.at(&step);
  }
  const PreparedCollective& collective(const kernels::CollectiveStep& step) const {
    return collectives_.at(&step);
  }
  bool has_collectives() const { return !collectives_.empty(); }
  // Whether the program has convolutions for cuDNN, which need a cuDNN handle of the stream.
  bool uses_cudnn() const { return !convolutions_.empty(); }
  // The size of the workspace in device memory that the library calls of a run need. Only one run
  // at a time may use a workspace.
  int64_t workspace_bytes() const { return workspace_bytes_; }
  // Whether a run polls on the device whether it is cancelled.
  bool polls() const { return polls_ || graphs_->has_loops(); }

 private:
  CudaModule(std::shared_ptr<Context> context, std::shared_ptr<const Libraries> libraries,
             std::shared_ptr<const GraphSupport> graph_support)
      : context_(std::move(context)),
        libraries_(std::move(libraries)),
        graph_support_(std::move(graph_support)) {}
  absl::Status LoadCode();
  absl::Status PrepareMatmuls(const kernels::Steps& steps);
  absl::Status PrepareConvolutions(const kernels::Steps& steps);
  absl::Status PrepareRoutines(const kernels::Steps& steps);
  absl::Status PrepareCollectives(const kernels::Steps& steps);
  absl::Status LoadConstants(const Executable& executable, MemoryPool& memory);
  // Whether the step is a host call or a routine that needs the host. Loops and branches are left
  // to ModuleGraphs::needs_host.
  bool NeedsHost(const kernels::Step& step) const;

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<const Libraries> libraries_;
  const std::shared_ptr<const GraphSupport> graph_support_;
  kernels::cuda::CudaProgram program_;  // the cubin is dropped after loading
  int64_t code_bytes_ = 0;
  CuModule module_ = nullptr;  // nullptr for a program without kernels
  std::vector<CuFunction> functions_;
  // The prepared library calls, by step of program_.
  absl::flat_hash_map<const kernels::MatmulStep*, std::unique_ptr<const kernels::cuda::Matmul>>
      matmuls_;
  absl::flat_hash_map<const kernels::ConvolutionStep*,
                      std::unique_ptr<const kernels::cuda::CudnnConvolution>>
      convolutions_;
  absl::flat_hash_map<const kernels::RoutineStep*, kernels::cuda::DeviceRoutine> routines_;
  absl::flat_hash_map<const kernels::CollectiveStep*, PreparedCollective> collectives_;
  int64_t workspace_bytes_ = 0, routine_bytes_ = 0;
  std::shared_ptr<Buffer> constants_;  // owned by this module alone; nullptr without constants
  bool needs_host_ = false, polls_ = false, uses_handles_ = false;
  std::unique_ptr<const ModuleGraphs> graphs_;  // refers to the other members
};

}  // namespace acceld::hal::cuda

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
#include "server/hal/device.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// A program with its code and constants on a device. Immutable and thread-safe.
class CudaModule final : public Module {
 public:
  // DATA_LOSS for code that is no program of this device's kind, the errors of Allocate and of the
  // driver. May take milliseconds.
  static absl::StatusOr<std::shared_ptr<const CudaModule>> Load(
      std::shared_ptr<Context> context, std::shared_ptr<const Libraries> libraries,
      std::shared_ptr<const GraphSupport> graph_support, const Executable& executable,
      MemoryPool& memory);
  ~CudaModule() override;

  int64_t size_bytes() const override;
  int64_t device_bytes() const override;

  const kernels::cuda::CudaProgram& program() const { return program_; }
  CuFunction function(uint32_t kernel) const { return functions_[kernel]; }
  CuPointer constants() const;
  // Whether a run needs the host in between (for what depends on values of the device, and for
  // routines that libraries do not compute by themselves), so that it is not all enqueued at once.
  bool takes_host() const { return takes_host_ || graphs_->takes_host(); }
  const ModuleGraphs& graphs() const { return *graphs_; }
  // How the device computes it; nullptr when the host does.
  const kernels::cuda::DeviceRoutine* routine(const kernels::RoutineStep& step) const;
  bool has_device_routines() const { return !routines_.empty(); }
  // Whether these call libraries with handles of the stream.
  bool uses_handles() const { return uses_handles_; }
  const Libraries& libraries() const { return *libraries_; }
  const kernels::cuda::Matmul& matmul(const kernels::MatmulStep& step) const {
    return *matmuls_.at(&step);
  }
  const kernels::cuda::CudnnConvolution& convolution(const kernels::ConvolutionStep& step) const {
    return *convolutions_.at(&step);
  }
  // Whether it has those, which take a handle of the stream.
  bool uses_cudnn() const { return !convolutions_.empty(); }
  // Of the device, for one run at a time.
  int64_t workspace_bytes() const { return workspace_bytes_; }
  // Whether a run looks whether it should stop.
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
  absl::Status LoadConstants(const Executable& executable, MemoryPool& memory);
  // Whether it asks the host program, or is a routine that needs the host; of loops and branches
  // the graphs know.
  bool TakesHost(const kernels::Step& step) const;

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<const Libraries> libraries_;
  const std::shared_ptr<const GraphSupport> graph_support_;
  kernels::cuda::CudaProgram program_;  // without the cubin, which is loaded
  int64_t code_bytes_ = 0;
  CuModule module_ = nullptr;  // nullptr for a program without kernels
  std::vector<CuFunction> functions_;
  // Of the program's steps.
  absl::flat_hash_map<const kernels::MatmulStep*, std::unique_ptr<const kernels::cuda::Matmul>>
      matmuls_;
  absl::flat_hash_map<const kernels::ConvolutionStep*,
                      std::unique_ptr<const kernels::cuda::CudnnConvolution>>
      convolutions_;
  absl::flat_hash_map<const kernels::RoutineStep*, kernels::cuda::DeviceRoutine> routines_;
  int64_t workspace_bytes_ = 0, routine_bytes_ = 0;
  std::shared_ptr<Buffer> constants_;  // of this module alone; nullptr without constants
  bool takes_host_ = false, polls_ = false, uses_handles_ = false;
  std::unique_ptr<const ModuleGraphs> graphs_;  // Uses all else.
};

}  // namespace acceld::hal::cuda

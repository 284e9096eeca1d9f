#include "server/hal/cuda/cuda_module.h"

#include <algorithm>
#include <utility>

#include "common/log/log.h"
#include "kernels/cuda/collectives/collective_kernels.h"

namespace acceld::hal::cuda {
namespace {

using kernels::cuda::CudaProgram;
using kernels::cuda::SpaceSizes;

SpaceSizes SizesOf(const Executable& executable) {
  SpaceSizes sizes{.arena = executable.arena_bytes,
                   .constants = static_cast<int64_t>(executable.constants.size())};
  for (const ir::TensorType& type : executable.arguments) {
    sizes.arguments.push_back(type.size_bytes());
  }
  for (const ir::TensorType& type : executable.results) sizes.results.push_back(type.size_bytes());
  return sizes;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const CudaModule>> CudaModule::Load(
    std::shared_ptr<Context> context, std::shared_ptr<const Libraries> libraries,
    std::shared_ptr<const GraphSupport> graph_support, const Executable& executable,
    MemoryPool& memory) {
  std::shared_ptr<CudaModule> module(
      new CudaModule(std::move(context), std::move(libraries), std::move(graph_support)));
  ACCELD_ASSIGN_OR_RETURN(module->program_, kernels::cuda::Deserialize(executable.code));
  ACCELD_RETURN_IF_ERROR(kernels::cuda::CheckProgram(module->program_, SizesOf(executable)));
  const CudaProgram& program = module->program_;
  if (program.measured_on != module->libraries_->measured_on()) {
    kernels::cuda::ClearAlgorithms(module->program_.steps);
  }
  module->polls_ = std::any_of(program.kernels.begin(), program.kernels.end(),
                               [](const kernels::cuda::CudaEntry& kernel) { return kernel.polls; });
  ACCELD_RETURN_IF_ERROR(module->context_->Enter());
  ACCELD_RETURN_IF_ERROR(module->LoadCode());
  ACCELD_RETURN_IF_ERROR(module->PrepareMatmuls(program.steps));
  ACCELD_RETURN_IF_ERROR(module->PrepareConvolutions(program.steps));
  ACCELD_RETURN_IF_ERROR(module->PrepareRoutines(program.steps));
  ACCELD_RETURN_IF_ERROR(module->PrepareCollectives(program.steps));
  module->needs_host_ =
      std::any_of(program.steps.begin(), program.steps.end(),
                  [&module](const kernels::Step& step) { return module->NeedsHost(step); });
  ACCELD_RETURN_IF_ERROR(module->LoadConstants(executable, memory));
  module->graphs_ =
      std::make_unique<const ModuleGraphs>(*module->context_, *module->graph_support_, *module,
                                           executable.arguments.size(), executable.results.size());
  return module;
}

CudaModule::~CudaModule() {
  graphs_.reset();
  context_->EnterForRelease();
  routines_.clear();  // They may own library plans on the device.
  if (module_ != nullptr) context_->driver().cuModuleUnload(module_);
}

absl::Status CudaModule::LoadCode() {
  if (program_.kernels.empty()) return absl::OkStatus();
  const Driver& driver = context_->driver();
  ACCELD_RETURN_IF_ERROR(context_->Check(driver.cuModuleLoadData(&module_, program_.cubin.data()),
                                         "cuModuleLoadData"));
  for (const kernels::cuda::CudaEntry& kernel : program_.kernels) {
    CuFunction& function = functions_.emplace_back();
    ACCELD_RETURN_IF_ERROR(
        context_->Check(driver.cuModuleGetFunction(&function, module_, kernel.name.c_str()),
                        "cuModuleGetFunction"));
  }
  code_bytes_ = static_cast<int64_t>(program_.cubin.size());
  std::string().swap(program_.cubin);
  return absl::OkStatus();
}

absl::Status CudaModule::PrepareMatmuls(const kernels::Steps& steps) {
  for (const kernels::Step& step : steps) {
    if (const auto* matmul = std::get_if<kernels::MatmulStep>(&step.value)) {
      if (libraries_->cublas_lt() == nullptr) {
        return absl::FailedPreconditionError("the program wants cuBLASLt, which is not there");
      }
      std::unique_ptr<const kernels::cuda::Matmul>& prepared = matmuls_[matmul];
      ACCELD_ASSIGN_OR_RETURN(
          prepared, kernels::cuda::Matmul::Prepare(*libraries_->cublas_lt(),
                                                   libraries_->cublas_lt_handle(), *matmul));
      workspace_bytes_ =
          std::max(workspace_bytes_, static_cast<int64_t>(prepared->workspace_bytes()));
    } else if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
      ACCELD_RETURN_IF_ERROR(PrepareMatmuls(loop->condition));
      ACCELD_RETURN_IF_ERROR(PrepareMatmuls(loop->body));
    } else if (const auto* choice = std::get_if<kernels::SwitchStep>(&step.value)) {
      for (const kernels::Steps& branch : choice->branches) {
        ACCELD_RETURN_IF_ERROR(PrepareMatmuls(branch));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CudaModule::PrepareConvolutions(const kernels::Steps& steps) {
  for (const kernels::Step& step : steps) {
    if (const auto* convolution = std::get_if<kernels::ConvolutionStep>(&step.value)) {
      std::unique_ptr<const kernels::cuda::CudnnConvolution>& prepared = convolutions_[convolution];
      ACCELD_ASSIGN_OR_RETURN(prepared, libraries_->convolutions().Prepare(*convolution));
      workspace_bytes_ =
          std::max(workspace_bytes_, static_cast<int64_t>(prepared->workspace_bytes()));
    } else if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
      ACCELD_RETURN_IF_ERROR(PrepareConvolutions(loop->condition));
      ACCELD_RETURN_IF_ERROR(PrepareConvolutions(loop->body));
    } else if (const auto* choice = std::get_if<kernels::SwitchStep>(&step.value)) {
      for (const kernels::Steps& branch : choice->branches) {
        ACCELD_RETURN_IF_ERROR(PrepareConvolutions(branch));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CudaModule::PrepareRoutines(const kernels::Steps& steps) {
  for (const kernels::Step& step : steps) {
    if (const auto* routine = std::get_if<kernels::RoutineStep>(&step.value)) {
      absl::StatusOr<kernels::cuda::DeviceRoutine> prepared =
          libraries_->routines().Prepare(routine->call);
      if (prepared.ok()) {
        workspace_bytes_ = std::max(workspace_bytes_, prepared->workspace_bytes);
        routine_bytes_ += prepared->device_bytes;
        uses_handles_ |= prepared->uses_handles;
        routines_.emplace(routine, *std::move(prepared));
      } else {
        ACCELD_RETURN_IF_ERROR(context_->lost());
        if (absl::IsUnimplemented(prepared.status())) continue;
        LogEvent(LogLevel::kWarning, "routine left to the host",
                 {{"routine", ToString(routine->call)}, {"reason", prepared.status().ToString()}});
      }
    } else if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
      ACCELD_RETURN_IF_ERROR(PrepareRoutines(loop->condition));
      ACCELD_RETURN_IF_ERROR(PrepareRoutines(loop->body));
    } else if (const auto* choice = std::get_if<kernels::SwitchStep>(&step.value)) {
      for (const kernels::Steps& branch : choice->branches) {
        ACCELD_RETURN_IF_ERROR(PrepareRoutines(branch));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CudaModule::PrepareCollectives(const kernels::Steps& steps) {
  for (const kernels::Step& step : steps) {
    if (const auto* exchange = std::get_if<kernels::CollectiveStep>(&step.value)) {
      ACCELD_RETURN_IF_ERROR(Annotate(libraries_->nccl(), step.comment));
      const kernels::Collective& collective = exchange->collective;
      PreparedCollective prepared =
          PrepareCollective(collective, static_cast<int64_t>(collectives_.size()));
      for (const std::string& name : kernels::cuda::CollectiveKernelsOf(collective)) {
        const auto kernel = std::find_if(program_.kernels.begin(), program_.kernels.end(),
                                         [&](const auto& entry) { return entry.name == name; });
        const CuFunction function =
            functions_[static_cast<size_t>(kernel - program_.kernels.begin())];
        if (name == kernels::cuda::kSwapRowsKernel) {
          prepared.swap_rows = function;
        } else {
          prepared.combiners.push_back(function);
        }
      }
      workspace_bytes_ = std::max(workspace_bytes_, prepared.scratch_bytes());
      collectives_.emplace(exchange, std::move(prepared));
    } else if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
      ACCELD_RETURN_IF_ERROR(PrepareCollectives(loop->condition));
      ACCELD_RETURN_IF_ERROR(PrepareCollectives(loop->body));
    } else if (const auto* choice = std::get_if<kernels::SwitchStep>(&step.value)) {
      for (const kernels::Steps& branch : choice->branches) {
        ACCELD_RETURN_IF_ERROR(PrepareCollectives(branch));
      }
    }
  }
  return absl::OkStatus();
}

const kernels::cuda::DeviceRoutine* CudaModule::routine(const kernels::RoutineStep& step) const {
  const auto it = routines_.find(&step);
  return it == routines_.end() ? nullptr : &it->second;
}

bool CudaModule::NeedsHost(const kernels::Step& step) const {
  if (std::holds_alternative<kernels::HostCallStep>(step.value)) return true;
  const auto* const call = std::get_if<kernels::RoutineStep>(&step.value);
  if (call == nullptr) return false;
  const kernels::cuda::DeviceRoutine* const prepared = routine(*call);
  return prepared == nullptr || prepared->needs_host;
}

absl::Status CudaModule::LoadConstants(const Executable& executable, MemoryPool& memory) {
  const std::string& bytes = executable.constants;
  if (bytes.empty()) return absl::OkStatus();
  ACCELD_ASSIGN_OR_RETURN(constants_, memory.Allocate(static_cast<int64_t>(bytes.size())));
  const Driver& driver = context_->driver();
  // On the default stream, with which no stream of the daemon synchronizes.
  ACCELD_RETURN_IF_ERROR(
      context_->Check(driver.cuMemcpyAsync(constants(), reinterpret_cast<CuPointer>(bytes.data()),
                                           bytes.size(), nullptr),
                      "cuMemcpyAsync"));
  return context_->Check(driver.cuStreamSynchronize(nullptr), "cuStreamSynchronize");
}

int64_t CudaModule::size_bytes() const { return device_bytes(); }

int64_t CudaModule::device_bytes() const {
  return code_bytes_ + routine_bytes_ + graphs_->device_bytes() +
         (constants_ == nullptr ? 0 : constants_->size_bytes());
}

CuPointer CudaModule::constants() const {
  return constants_ == nullptr ? 0 : reinterpret_cast<CuPointer>(constants_->address());
}

}  // namespace acceld::hal::cuda

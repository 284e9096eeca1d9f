#include "server/hal/cuda/device_routines.h"

#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace acceld::hal::cuda {

using kernels::cuda::RoutineKernel;

DeviceRoutines::DeviceRoutines(std::shared_ptr<Context> context,
                               const kernels::cuda::RoutineLibraries& libraries,
                               kernels::cuda::CompileSource compile)
    : context_(std::move(context)),
      libraries_(libraries),
      compile_(std::move(compile)),
      launch_([this](RoutineKernel kernel, int64_t blocks, absl::Span<const uint64_t> parameters,
                     void* stream) { return Launch(kernel, blocks, parameters, stream); }),
      handles_(std::make_unique<kernels::cuda::RoutineHandles>(libraries, /*stream=*/nullptr)) {}

DeviceRoutines::~DeviceRoutines() {
  MutexLock lock(mutex_);
  context_->EnterForRelease();
  handles_.reset();
  if (module_ != nullptr) context_->driver().cuModuleUnload(module_);
}

absl::StatusOr<kernels::cuda::DeviceRoutine> DeviceRoutines::Prepare(
    const kernels::RoutineCall& call) {
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(context_->Enter());
  ACCELD_ASSIGN_OR_RETURN(
      kernels::cuda::DeviceRoutine routine,
      kernels::cuda::PrepareRoutine(
          call, {.libraries = libraries_, .launch = launch_, .handles = *handles_}));
  if (module_ == nullptr) ACCELD_RETURN_IF_ERROR(LoadKernels());
  return routine;
}

absl::Status DeviceRoutines::LoadKernels() {
  ACCELD_ASSIGN_OR_RETURN(const std::string code,
                          compile_(std::string(kernels::cuda::RoutineKernelsSource())));
  const Driver& driver = context_->driver();
  CuModule module = nullptr;
  ACCELD_RETURN_IF_ERROR(
      context_->Check(driver.cuModuleLoadData(&module, code.data()), "cuModuleLoadData"));
  std::vector<CuFunction> functions;
  for (const absl::string_view name : kernels::cuda::kRoutineKernelNames) {
    const absl::Status found = context_->Check(
        driver.cuModuleGetFunction(&functions.emplace_back(), module, std::string(name).c_str()),
        "cuModuleGetFunction");
    if (!found.ok()) {
      driver.cuModuleUnload(module);
      return found;
    }
  }
  functions_ = std::move(functions);
  module_ = module;
  return absl::OkStatus();
}

absl::Status DeviceRoutines::Launch(RoutineKernel kernel, int64_t blocks,
                                    absl::Span<const uint64_t> parameters, void* stream) const {
  absl::InlinedVector<void*, 8> pointers;
  for (const uint64_t& value : parameters) pointers.push_back(const_cast<uint64_t*>(&value));
  return context_->Check(
      context_->driver().cuLaunchKernel(functions_[static_cast<size_t>(kernel)],
                                        static_cast<unsigned int>(blocks), 1, 1, 256, 1, 1, 0,
                                        static_cast<CuStream>(stream), pointers.data(), nullptr),
      "cuLaunchKernel");
}

}  // namespace acceld::hal::cuda

#include "server/hal/cuda/graphs/graph_kernels.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "kernels/cuda/emit/device_code.h"

namespace acceld::hal::cuda {

GraphSupport::~GraphSupport() {
  if (module_ == nullptr) return;
  context_->EnterForRelease();
  context_->driver().cuModuleUnload(module_);
}

const GraphKernels* GraphSupport::Get() const {
  MutexLock lock(mutex_);
  if (!std::exchange(is_tried_, true)) {
    const absl::Status status = Load();
    is_loaded_ = status.ok();
    if (!is_loaded_) {
      LogWarning("GPU ", context_->device().ordinal,
                 ": no graphs, so that loops come back to the host: ", status.message());
    }
  }
  return is_loaded_ ? &kernels_ : nullptr;
}

absl::Status GraphSupport::Load() const {
  if (!context_->driver().HasGraphs()) {
    return absl::UnimplementedError("the NVIDIA driver is older than 12.8");
  }
  // Machine code is tried first: unlike PTX, the driver accepts it also from a newer compiler, and
  // needs no compiler of its own for it.
  const absl::Status loaded = LoadWith(compile_);
  if (loaded.ok() || !context_->lost().ok()) return loaded;
  return LoadWith(compile_to_ptx_);
}

absl::Status GraphSupport::LoadWith(const kernels::cuda::CompileSource& compile) const {
  const Driver& driver = context_->driver();
  ACCELD_ASSIGN_OR_RETURN(const std::string code,
                          compile(std::string(kernels::cuda::GraphSource())));
  CuModule module = nullptr;
  ACCELD_RETURN_IF_ERROR(
      context_->Check(driver.cuModuleLoadData(&module, code.data()), "cuModuleLoadData"));
  const std::pair<CuFunction&, const char*> functions[] = {
      {kernels_.store_words, "store_words"}, {kernels_.compute_addresses, "compute_addresses"},
      {kernels_.copy_bytes, "copy_bytes"},   {kernels_.set_loop, "set_loop"},
      {kernels_.set_branch, "set_branch"},   {kernels_.set_choice, "set_choice"}};
  absl::Status found;
  for (const auto& [function, name] : functions) {
    found.Update(context_->Check(driver.cuModuleGetFunction(&function, module, name),
                                 absl::StrCat("cuModuleGetFunction of ", name)));
  }
  if (!found.ok()) {
    driver.cuModuleUnload(module);
    return found;
  }
  module_ = module;
  return absl::OkStatus();
}

}  // namespace acceld::hal::cuda

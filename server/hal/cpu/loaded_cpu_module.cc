#include "server/hal/cpu/loaded_cpu_module.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/cpu/cpu_module.h"
#include "kernels/ir/plan.h"
#include "server/hal/cpu/host_module.h"

namespace acceld::hal::cpu {
namespace {

struct Free {
  void operator()(void* block) const { std::free(block); }
};
using AlignedBytes = std::unique_ptr<void, Free>;

class LoadedCpuModule final : public HostModule {
 public:
  LoadedCpuModule(std::unique_ptr<kernels::cpu::CpuModule> code, AlignedBytes constants,
                  int64_t constant_bytes, int num_threads)
      : code_(std::move(code)),
        constants_(std::move(constants)),
        constant_bytes_(constant_bytes),
        num_threads_(num_threads) {}

  int64_t size_bytes() const override { return code_->code_bytes() + constant_bytes_; }
  absl::Status Run(kernels::cpu::LaunchContext context) const override {
    context.constants = constants_.get();
    context.num_threads = num_threads_;
    return code_->Run(context);
  }

 private:
  const std::unique_ptr<kernels::cpu::CpuModule> code_;
  const AlignedBytes constants_;
  const int64_t constant_bytes_;
  const int num_threads_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Module>> LoadCpuModule(const Executable& executable,
                                                            int num_threads) {
  ACCELD_ASSIGN_OR_RETURN(auto code, kernels::cpu::CpuModule::Load(executable.code));
  constexpr size_t kAlignment = kernels::kBufferAlignment;
  const size_t size = executable.constants.size();
  AlignedBytes constants(std::aligned_alloc(kAlignment, (size / kAlignment + 1) * kAlignment));
  if (constants == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("load: the system refuses ", size, " bytes for constants"));
  }
  if (size > 0) std::memcpy(constants.get(), executable.constants.data(), size);
  return std::make_shared<const LoadedCpuModule>(std::move(code), std::move(constants),
                                                 static_cast<int64_t>(size), num_threads);
}

}  // namespace acceld::hal::cpu

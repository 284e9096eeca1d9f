#include "server/hal/cpu/loaded_cpu_module.h"

#include <cstring>
#include <utility>

#include "kernels/cpu/cpu_module.h"
#include "server/hal/cpu/host_module.h"

namespace acceld::hal::cpu {
namespace {

// Working memory from the device's pool: it counts against the device's budget, and most of it was
// in use before, so that it causes no page faults.
class PoolMemory final : public kernels::cpu::WorkingMemory {
 public:
  explicit PoolMemory(std::shared_ptr<MemoryPool> pool) : pool_(std::move(pool)) {}

  absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t size_bytes) const override {
    ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> block, pool_->Allocate(size_bytes));
    void* const address = block->address();
    return std::shared_ptr<void>(std::move(block), address);
  }

 private:
  const std::shared_ptr<MemoryPool> pool_;
};

class LoadedCpuModule final : public HostModule {
 public:
  LoadedCpuModule(std::unique_ptr<kernels::cpu::CpuModule> code, std::shared_ptr<Buffer> constants,
                  std::shared_ptr<MemoryPool> pool, int num_threads,
                  std::shared_ptr<kernels::cpu::CpuRuntime> runtime)
      : code_(std::move(code)),
        constants_(std::move(constants)),
        working_memory_(std::move(pool)),
        num_threads_(num_threads),
        runtime_(std::move(runtime)) {}

  int64_t size_bytes() const override { return code_->code_bytes() + device_bytes(); }
  int64_t device_bytes() const override {
    return constants_ == nullptr ? 0 : constants_->size_bytes();
  }
  absl::Status Run(kernels::cpu::LaunchContext context) const override {
    context.constants = constants_ == nullptr ? nullptr : constants_->address();
    context.num_threads = num_threads_;
    context.working_memory = &working_memory_;
    context.runtime = runtime_.get();
    return code_->Run(context);
  }

 private:
  const std::unique_ptr<kernels::cpu::CpuModule> code_;
  const std::shared_ptr<Buffer> constants_;  // owned by this module; nullptr without constants
  const PoolMemory working_memory_;
  const int num_threads_;
  const std::shared_ptr<kernels::cpu::CpuRuntime> runtime_;  // the device's
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Module>> LoadCpuModule(
    const Executable& executable, MemoryPool& memory, int num_threads,
    std::shared_ptr<kernels::cpu::CpuRuntime> runtime) {
  ACCELD_ASSIGN_OR_RETURN(auto code, kernels::cpu::CpuModule::Load(executable.code));
  const std::string& constants = executable.constants;
  std::shared_ptr<Buffer> block;
  if (!constants.empty()) {
    ACCELD_ASSIGN_OR_RETURN(block, memory.Allocate(static_cast<int64_t>(constants.size())));
    std::memcpy(block->address(), constants.data(), constants.size());
  }
  return std::make_shared<const LoadedCpuModule>(std::move(code), std::move(block),
                                                 memory.shared_from_this(), num_threads,
                                                 std::move(runtime));
}

}  // namespace acceld::hal::cpu

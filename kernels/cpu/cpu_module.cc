#include "kernels/cpu/cpu_module.h"

#include "absl/strings/str_cat.h"
#include "kernels/cpu/cpu_compiler.h"
#include "kernels/cpu/load/check_object.h"
#include "kernels/cpu/load/code_linker.h"
#include "kernels/cpu/object_set.h"
#include "kernels/cpu/run_state.h"
#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {
namespace {

using EntryFunction = int32_t (*)(const LaunchContext*);

class NativeModule : public CpuModule {
 public:
  NativeModule(std::unique_ptr<LinkedCode> code, int64_t code_bytes)
      : code_(std::move(code)),
        entry_(reinterpret_cast<EntryFunction>(const_cast<void*>(code_->entry()))),
        code_bytes_(code_bytes) {}

  absl::Status Run(const LaunchContext& context) const override {
    static constexpr bool kNever = false;
    RunState state(context);
    if (state.context.interrupted == nullptr) state.context.interrupted = &kNever;
    const int32_t status = entry_(&state.context);
    if (status == static_cast<int32_t>(CodeStatus::kOk)) return absl::OkStatus();
    if (status == static_cast<int32_t>(CodeStatus::kCancelled)) {
      return absl::CancelledError("execution was cancelled");
    }
    const MutexLock lock(state.mutex);
    if (!state.failure.ok()) return state.failure;
    return absl::InternalError(absl::StrCat("native code returned status ", status));
  }

  int64_t code_bytes() const override { return code_bytes_; }

 private:
  std::unique_ptr<LinkedCode> code_;
  EntryFunction entry_;
  int64_t code_bytes_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<CpuModule>> CpuModule::Load(absl::string_view code) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<absl::string_view> objects, UnpackObjects(code));
  for (const absl::string_view object : objects) ACCELD_RETURN_IF_ERROR(CheckObject(object));
  ACCELD_ASSIGN_OR_RETURN(std::unique_ptr<LinkedCode> linked, LinkObjects(objects, kEntrySymbol));
  return std::unique_ptr<CpuModule>(
      std::make_unique<NativeModule>(std::move(linked), static_cast<int64_t>(code.size())));
}

}  // namespace acceld::kernels::cpu

#include "client/pjrt/compile/program_text.h"

#include "common/ir/text.h"

namespace acceld::pjrt {

absl::StatusOr<const std::string*> ProgramText::Get() {
  MutexLock lock(mutex_);
  if (text_ == nullptr) {
    ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<const ir::Module> program, find_());
    text_ = std::make_unique<const std::string>(ir::PrintModule(*program));
  }
  return text_.get();
}

}  // namespace acceld::pjrt

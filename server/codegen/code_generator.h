#pragma once

#include <string>
#include <vector>

#include "common/status.h"
#include "common/threads/stop_flag.h"
#include "kernels/ir/plan.h"
#include "server/codegen/target.h"

namespace acceld::codegen {

// Compiles plans (kernels/ir/plan.h) to code for one target. Implementations are thread-safe.
class CodeGenerator : public Target {
 public:
  // The text of one intermediate stage of the code, for the compiler's dump folder (--dump-dir).
  struct Dump {
    std::string file_name;  // for example "80-llvm.ll"
    std::string text;
  };
  // Returns the code of `plan` in the format that Device::Load of the same kind of device reads.
  // Takes milliseconds to seconds of processor time and may measure algorithms on a device, so it
  // should be called on the compile pool. Unless `dumps` is nullptr, appends the texts of the
  // intermediate stages to it, also when the compilation fails. Returns CANCELLED soon after `stop`
  // has been stopped; `stop` may be nullptr.
  virtual absl::StatusOr<std::string> Generate(const kernels::Plan& plan, std::vector<Dump>* dumps,
                                               const StopFlag* stop) const = 0;
};

}  // namespace acceld::codegen

#pragma once

#include <string>
#include <vector>

#include "common/status.h"
#include "common/threads/stop_flag.h"
#include "kernels/ir/plan.h"
#include "server/codegen/target.h"

namespace acceld::codegen {

// Turns plans into machine code for one target. Implementations are thread-safe.
class CodeGenerator : public Target {
 public:
  // A text that shows how the code came about, for people who look into a compile.
  struct Dump {
    std::string file_name;  // "30-llvm.ll"
    std::string text;
  };
  // Makes the code of `plan`, in the form that Device::Load of this kind of device reads. Uses the
  // processor for milliseconds to seconds and may measure algorithms on a device: call it from the
  // compile pool. Appends to `dumps` unless it is nullptr, also when it fails. CANCELLED soon after
  // `stop`, which may be nullptr, has been stopped.
  virtual absl::StatusOr<std::string> Generate(const kernels::Plan& plan, std::vector<Dump>* dumps,
                                               const StopFlag* stop) const = 0;
};

}  // namespace acceld::codegen

#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "common/threads/stop_flag.h"
#include "server/codegen/target.h"
#include "server/compiler/compile_step.h"
#include "server/compiler/dump.h"

namespace acceld::compiler {

// One pass of the pipeline: a named function from a module to a module. A plain value.
struct Pass {
  using Run = absl::StatusOr<ir::Module> (*)(const ir::Module&);
  using RunForTarget = absl::StatusOr<ir::Module> (*)(const ir::Module&,
                                                      const codegen::Target& target);
  constexpr Pass(absl::string_view pass_name, Run pass) : name(pass_name), run_(pass) {}
  constexpr Pass(absl::string_view pass_name, RunForTarget pass)
      : name(pass_name), run_for_target_(pass) {}

  // Runs the pass.
  absl::StatusOr<ir::Module> operator()(const ir::Module& module,
                                        const codegen::Target& target) const {
    return run_ != nullptr ? run_(module) : run_for_target_(module, target);
  }

  absl::string_view name;

 private:
  // Exactly one of the two is set: the second for a pass whose result depends on the target.
  Run run_ = nullptr;
  RunForTarget run_for_target_ = nullptr;
};

// Returns all passes in the order in which they run. A pass may occur more than once.
absl::Span<const Pass> Pipeline();

// Returns the first pass of this name, or nullptr if there is none.
const Pass* FindPass(absl::string_view name);

// Returns the error for a pass that does not exist: INVALID_ARGUMENT with a message that lists the
// names of all passes.
absl::Status NoSuchPass(absl::string_view name);

// Runs the pipeline on `module` for `target`, without the passes that `disabled` names. Appends to
// `steps` one element for each pass that ran. Checks `stop` before each pass. `steps` and `stop`
// may be nullptr.
//
// The module is verified after the last pass, and in debug builds or with an enabled `dump` after
// each pass.
//
// Errors: INVALID_ARGUMENT for a disabled name that does not exist; CANCELLED once `stop` is
// stopped; INTERNAL when the module does not verify (the message names the pass if each pass is
// verified); errors of the passes, with the name of the pass.
absl::StatusOr<ir::Module> RunPipeline(ir::Module module, const codegen::Target& target,
                                       absl::Span<const std::string> disabled, Dump& dump,
                                       std::vector<CompileStep>* steps,
                                       const StopFlag* stop = nullptr);

}  // namespace acceld::compiler

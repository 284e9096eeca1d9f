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

// One step of the pipeline.
struct Pass {
  using Run = absl::StatusOr<ir::Module> (*)(const ir::Module&);
  using RunForTarget = absl::StatusOr<ir::Module> (*)(const ir::Module&,
                                                      const codegen::Target& target);
  constexpr Pass(absl::string_view pass_name, Run pass) : name(pass_name), run_(pass) {}
  constexpr Pass(absl::string_view pass_name, RunForTarget pass)
      : name(pass_name), run_for_target_(pass) {}

  absl::StatusOr<ir::Module> operator()(const ir::Module& module,
                                        const codegen::Target& target) const {
    return run_ != nullptr ? run_(module) : run_for_target_(module, target);
  }

  absl::string_view name;

 private:
  Run run_ = nullptr;
  // Of a pass that asks what the target's libraries do.
  RunForTarget run_for_target_ = nullptr;
};

// All passes in the order in which they run; a pass may stand more than once.
absl::Span<const Pass> Pipeline();

// The first pass of this name, or nullptr.
const Pass* FindPass(absl::string_view name);

// INVALID_ARGUMENT: names the pass that does not exist, and those that do.
absl::Status NoSuchPass(absl::string_view name);

// Runs the pipeline for `target`, leaving out passes named in `disabled`. The module is verified at
// the end; in debug builds, and where it is dumped, after each pass. Passes that break it are
// INTERNAL, and named where each is verified. INVALID_ARGUMENT for a disabled name that does not
// exist; CANCELLED, between two passes, once `stop` is stopped. `steps` gets a row for each pass
// that ran. Either may be nullptr.
absl::StatusOr<ir::Module> RunPipeline(ir::Module module, const codegen::Target& target,
                                       absl::Span<const std::string> disabled, Dump& dump,
                                       std::vector<CompileStep>* steps,
                                       const StopFlag* stop = nullptr);

}  // namespace acceld::compiler

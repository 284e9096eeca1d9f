#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/digest.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "common/threads/stop_flag.h"
#include "server/codegen/code_generator.h"
#include "server/compiler/compile_step.h"
#include "server/hal/executable.h"

namespace acceld::compiler {

struct CompileOptions {
  // A folder that gets every stage as text, one sub-folder a compile. Empty: none.
  std::string dump_dir;
  // Passes to leave out, by name (pipeline.h): for finding the culprit of a wrong result.
  std::vector<std::string> disabled_passes;
};

// What of `options` changes code, for cache keys: the same text for options that mean the same,
// empty for the defaults.
std::string KeyOf(const CompileOptions& options);

// The whole compile: specialize, passes, fusion, buffer assignment, plan, code. `module` is
// verified. Thread-safe and CPU-bound; call it on the compile pool. Errors: INVALID_ARGUMENT
// (arguments do not fit the entry), UNIMPLEMENTED (no lowering), RESOURCE_EXHAUSTED, INTERNAL (our
// bug, with the stage), CANCELLED (`stop` is stopped, which is looked at between passes and parts
// of the code). `steps` gets a row for each stage and pass that ran. Either may be nullptr.
absl::StatusOr<hal::Executable> Compile(const ir::Module& module, absl::string_view entry,
                                        absl::Span<const ir::TensorType> argument_types,
                                        const codegen::CodeGenerator& generator,
                                        const CompileOptions& options,
                                        std::vector<CompileStep>* steps = nullptr,
                                        const StopFlag* stop = nullptr);

// Identifies this build of the compiler, for cache keys: other code, other id.
const std::string& BuildId();

}  // namespace acceld::compiler

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

// Settings of the compiler that serve for debugging.
struct CompileOptions {
  // The folder into which each compile writes all its stages as text, in a sub-folder of its own.
  // Empty: nothing is written.
  std::string dump_dir;
  // Names of the passes (pipeline.h) that are not run: for finding the pass that causes a wrong
  // result.
  std::vector<std::string> disabled_passes;
};

// Returns the part of a cache key that stands for those options that change the generated code.
// Options with the same effect give the same text; the default options give an empty one.
std::string KeyOf(const CompileOptions& options);

// Compiles the function `entry` of `module` for arguments of the given types and for the target of
// `generator`: specialization, passes, fusion, buffer assignment, plan, code generation. The module
// must have passed ir::Verify. A program for several processes is partitioned first, and its
// executable is that of one process: the arguments are the shards of that process and its number
// (process_signature.h). Thread-safe. Uses the processor for milliseconds to seconds, so call
// it on the compile pool.
//
// Appends to `steps` one element for each stage and pass that ran. Checks `stop` between passes and
// between parts of the code. `steps` and `stop` may be nullptr.
//
// Errors: INVALID_ARGUMENT (the arguments do not fit the entry, the program would never end, or a
// disabled pass does not exist), UNIMPLEMENTED (an op has no lowering), RESOURCE_EXHAUSTED (memory
// or a limit of the IR), CANCELLED (`stop` was stopped), INTERNAL (a bug of the compiler; the
// message names the stage).
absl::StatusOr<hal::Executable> Compile(const ir::Module& module, absl::string_view entry,
                                        absl::Span<const ir::TensorType> argument_types,
                                        const codegen::CodeGenerator& generator,
                                        const CompileOptions& options,
                                        std::vector<CompileStep>* steps = nullptr,
                                        const StopFlag* stop = nullptr);

// Returns the id of this build of the compiler, a component of cache keys. Builds from different
// code have different ids. Thread-safe; the first call may read the whole executable file.
const std::string& BuildId();

}  // namespace acceld::compiler

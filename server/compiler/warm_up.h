#pragma once

#include "common/status.h"
#include "server/codegen/code_generator.h"

namespace acceld::compiler {

// Compiles a small program that consists of common ops and discards the result. Afterwards the
// tables and code generators that a process sets up at its first compile exist, and the code of the
// compiler is in memory, which saves the first program of a client some milliseconds. Returns the
// errors of Compile. Thread-safe; uses the processor like any compile.
absl::Status WarmUp(const codegen::CodeGenerator& generator);

}  // namespace acceld::compiler

#pragma once

#include "common/status.h"
#include "server/codegen/code_generator.h"

namespace acceld::compiler {

// Compiles a small program of what most programs are made of, and forgets it: afterwards the tables
// and code generators that a process sets up for its first compile are there, and the code of the
// compiler is in memory. The first program of a client would wait some milliseconds more. Errors:
// those of Compile. Thread-safe and CPU-bound.
absl::Status WarmUp(const codegen::CodeGenerator& generator);

}  // namespace acceld::compiler

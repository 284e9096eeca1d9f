#pragma once

#include "absl/types/span.h"

namespace acceld::kernels::cpu {

// A symbol that generated code may refer to: a function of the run-time support or of the C
// library. `address` is that of the function.
struct RunTimeSymbol {
  const char* name;
  const void* address;
};

// Returns all symbols that generated code may refer to. The linker refuses objects with any other
// undefined symbol. The list exists as long as the process.
absl::Span<const RunTimeSymbol> RunTimeSymbols();

}  // namespace acceld::kernels::cpu

#pragma once

#include "absl/types/span.h"

namespace acceld::kernels::cpu {

// Everything that generated code may refer to, and nothing else: an object with any other undefined
// symbol is refused.
struct RunTimeSymbol {
  const char* name;
  const void* address;
};

absl::Span<const RunTimeSymbol> RunTimeSymbols();

}  // namespace acceld::kernels::cpu

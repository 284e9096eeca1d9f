#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/module.h"
#include "common/status.h"

// StableHLO portable artifacts: MLIR bytecode (versions 0 to 6) that holds the VHLO dialect, what
// jax.export and PJRT clients produce. Source: MLIR's bytecode format and StableHLO's compatibility
// guarantees; which versions of which ops are known stands in bytecode/vhlo_ops.def.
namespace acceld::ir {

// Whether `bytes` begin as MLIR bytecode does.
bool IsBytecode(absl::string_view bytes);

// Reads a module. `file_name` stands in messages, with the place: "model.mlir.bc: byte 1234: ..."
// or, inside functions, "model.mlir.bc: @main: op 3 'vhlo.add_v1': ...". The result is verified and
// has the fingerprint of the same program as text; source locations are not kept. What is newer
// than the tables here, or of another dialect, is UNIMPLEMENTED and named. The bytes are untrusted:
// depth and counts are bounded, and the memory that they may take (memory_budget.h) is a
// RESOURCE_EXHAUSTED.
absl::StatusOr<Module> ReadBytecode(absl::string_view bytes,
                                    absl::string_view file_name = "<program>");

}  // namespace acceld::ir

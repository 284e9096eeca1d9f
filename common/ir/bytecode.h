#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/module.h"
#include "common/status.h"

// Reads StableHLO portable artifacts: MLIR bytecode (versions 0 to 6) of the VHLO dialect, as
// jax.export and PJRT clients produce it. Sources: MLIR's bytecode format and StableHLO's
// compatibility guarantees. bytecode/vhlo_ops.def lists the supported versions of each op.
namespace acceld::ir {

// Whether `bytes` begin like MLIR bytecode.
bool IsBytecode(absl::string_view bytes);

// Reads and verifies a module. Error messages contain `file_name` and the position: "model.mlir.bc:
// byte 1234: ..." or, inside functions, "model.mlir.bc: @main: op 3 'vhlo.add_v1': ...". The module
// has the same fingerprint as the same program in text form. UNIMPLEMENTED, naming it, for anything
// that is newer than vhlo_ops.def or of another dialect. The bytes are untrusted: depth and counts
// are bounded, and a program that would take too much memory (verify/memory_budget.h) is
// RESOURCE_EXHAUSTED.
absl::StatusOr<Module> ReadBytecode(absl::string_view bytes,
                                    absl::string_view file_name = "<program>");

}  // namespace acceld::ir

#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/bytecode/stored_op.h"
#include "common/status.h"

// The ops of the VHLO dialect by name and version, from vhlo_ops.def.
namespace acceld::ir::bytecode {

// The newest StableHLO release of which the table has all ops and versions.
inline constexpr absl::string_view kNewestVhlo = "1.22.0";

// Returns the op with a name like "add_v1". UNIMPLEMENTED for an op or version that the table
// lacks; the message names it and the supported versions: "op 'vhlo.add_v2' is not supported:
// version 1 of it is known (StableHLO 1.22.0)".
absl::StatusOr<const StoredOp*> FindVhloOp(absl::string_view versioned_name);

}  // namespace acceld::ir::bytecode

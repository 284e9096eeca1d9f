#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"

// The ops of the VHLO dialect by name and version, from vhlo_ops.def.
namespace acceld::ir::bytecode {

// An attribute of a VHLO op, and which attribute of the StableHLO op it becomes.
struct VhloAttribute {
  absl::string_view name;
  bool is_function = false;      // a string that names a function
  bool is_ignored = false;       // it adds nothing to the op's other parts
  absl::string_view field;       // the struct attribute that it is a part of; empty: none
  absl::string_view field_kind;  // "gather" of #stablehlo.gather<...>
};

// A version of a VHLO op.
struct VhloOp {
  absl::string_view op;                   // the op that it is read as, "stablehlo.add"
  std::vector<VhloAttribute> attributes;  // ordered by name, as artifacts store them
};

// The newest StableHLO release of which the table has all ops and versions.
inline constexpr absl::string_view kNewestVhlo = "1.22.0";

// Returns the op with a name like "add_v1". UNIMPLEMENTED for an op or version that the table
// lacks; the message names it and the supported versions: "op 'vhlo.add_v2' is not supported:
// version 1 of it is known (StableHLO 1.22.0)".
absl::StatusOr<const VhloOp*> FindVhloOp(absl::string_view versioned_name);

}  // namespace acceld::ir::bytecode

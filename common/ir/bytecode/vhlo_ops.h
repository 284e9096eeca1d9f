#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"

// The ops of the VHLO dialect (vhlo_ops.def) by name and version.
namespace acceld::ir::bytecode {

// One attribute of a VHLO op and where it goes.
struct VhloAttribute {
  absl::string_view name;
  bool is_function = false;  // a string that names a function
  bool is_ignored = false;   // it says nothing that the op's other parts do not say
  absl::string_view field;   // the attribute of the op whose part it is; empty: it is one itself
  absl::string_view field_kind;  // "gather" of #stablehlo.gather<...>
};

struct VhloOp {
  absl::string_view op;                   // "stablehlo.add"
  std::vector<VhloAttribute> attributes;  // ordered by name, as artifacts store them
};

// The StableHLO release up to which the table has every op and every version.
inline constexpr absl::string_view kNewestVhlo = "1.22.0";

// The op with a name like "add_v1". UNIMPLEMENTED for an op or a version that is not in the table;
// the message names it and says which versions are known: "op 'vhlo.add_v2' is not supported:
// version 1 of it is known (StableHLO 1.22.0)".
absl::StatusOr<const VhloOp*> FindVhloOp(absl::string_view versioned_name);

}  // namespace acceld::ir::bytecode

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
  absl::string_view field;   // the attribute of the op whose part it is; empty: it is one itself
  absl::string_view field_kind;  // "gather" of #stablehlo.gather<...>
};

struct VhloOp {
  absl::string_view op;                   // "stablehlo.add"
  std::vector<VhloAttribute> attributes;  // ordered by name, as artifacts store them
};

// The op with a name like "add_v1". UNIMPLEMENTED names an op or a version that is not in the
// table.
absl::StatusOr<const VhloOp*> FindVhloOp(absl::string_view versioned_name);

}  // namespace acceld::ir::bytecode

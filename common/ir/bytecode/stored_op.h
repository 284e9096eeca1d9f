#pragma once

#include <vector>

#include "absl/strings/string_view.h"

// How artifacts store the ops of the dialects VHLO and Shardy. vhlo_ops.h and sdy_ops.h find them
// by name.
namespace acceld::ir::bytecode {

// An attribute that the definition of an op names, and which attribute of the op that is read it
// becomes.
struct StoredAttribute {
  absl::string_view name;
  bool is_function = false;      // a string that names a function
  bool is_ignored = false;       // it adds nothing to the op's other parts
  bool is_optional = false;      // it may be absent, which its encoding says
  absl::string_view field;       // the struct attribute that it is a part of; empty: none
  absl::string_view field_kind;  // "gather" of #stablehlo.gather<...>
};

// An op, or a version of it.
struct StoredOp {
  absl::string_view op;                     // the op that it is read as, "stablehlo.add"
  std::vector<StoredAttribute> attributes;  // ordered by name, as artifacts store them
};

// Parses the column "attributes" of a row of vhlo_ops.def or sdy_ops.def.
std::vector<StoredAttribute> ParseStoredAttributes(absl::string_view column);

}  // namespace acceld::ir::bytecode

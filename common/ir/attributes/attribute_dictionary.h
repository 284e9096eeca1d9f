#pragma once

#include "common/ir/attributes/attribute.h"
#include "common/ir/attributes/op_attributes.h"
#include "common/ir/op.h"
#include "common/status.h"

namespace acceld::ir {

// The typed attributes of an op as a dictionary, fields equal to their defaults left out. The form
// that generic text, the wire and the fingerprint carry.
AttributeDictionary ToDictionary(const OpAttributes& attributes);

// The inverse, for the struct that ops.def gives `kind`. A missing field takes its default; a field
// of the wrong kind or an enum keyword that does not exist is an INVALID_ARGUMENT naming op and
// field. Unknown names are ignored when they hold a dialect prefix ("mhlo.sharding", "jax.x") or
// are on a short list of hints without meaning here (channel ids, layouts, result_accuracy); others
// are errors.
absl::StatusOr<OpAttributes> FromDictionary(OpKind kind, const AttributeDictionary& dictionary);

}  // namespace acceld::ir

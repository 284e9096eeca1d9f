#pragma once

#include "common/ir/attributes/attribute.h"
#include "common/ir/attributes/op_attributes.h"
#include "common/ir/op.h"
#include "common/status.h"

namespace acceld::ir {

// Returns the typed attributes of an op as a dictionary, without the fields that equal their
// defaults. Generic text, the wire and the fingerprint carry this form.
AttributeDictionary ToDictionary(const OpAttributes& attributes);

// The inverse of ToDictionary, for the struct that ops.def gives `kind`. A missing field has its
// default. INVALID_ARGUMENT, naming op and field, for a field of the wrong kind and an enum keyword
// that does not exist. A name that no field has is an error, unless it has a dialect prefix
// ("mhlo.sharding", "jax.x") or is one of a few hints that have no effect here (channel ids,
// layouts, result_accuracy).
absl::StatusOr<OpAttributes> FromDictionary(OpKind kind, const AttributeDictionary& dictionary);

}  // namespace acceld::ir

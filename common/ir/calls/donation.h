#pragma once

#include <cstddef>
#include <optional>

#include "common/ir/attributes/attribute.h"
#include "common/ir/module.h"
#include "common/status.h"

// Donation: a program may say of a parameter that the caller gives its array away, so that the
// memory can be used for a result. JAX writes `tf.aliasing_output = N : i32` where it has chosen
// result N, and `jax.buffer_donor = true` where the compiler shall choose (jax.jit's
// donate_argnums). It is kept with the function and written again, and checked. It donates nothing
// by itself: whoever executes the program says which arguments are donated, and the executable is
// the same in either case.
namespace acceld::ir {

// What a parameter's attributes say, if anything. Errors: INVALID_ARGUMENT when a value of theirs
// is not of the form above.
absl::StatusOr<absl::optional<Donation>> ReadDonation(const AttributeDictionary& attributes,
                                                      size_t parameter);

// True for the names of attributes that ReadDonation reads.
bool IsDonationAttribute(absl::string_view name);

// The attributes that say the same.
AttributeDictionary DonationAttributes(const Donation& donation);

// Each donation names a parameter, in ascending order and once, and a result that the function has.
absl::Status CheckDonations(const Function& function);

}  // namespace acceld::ir

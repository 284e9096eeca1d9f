#pragma once

#include <cstddef>
#include <optional>

#include "common/ir/attributes/attribute.h"
#include "common/ir/module.h"
#include "common/status.h"

// Donation: a program may declare that the caller gives up the array of a parameter, so that its
// memory can be used for a result. JAX (donate_argnums of jax.jit) writes `tf.aliasing_output = N :
// i32` where it has chosen result N, and `jax.buffer_donor = true` where the compiler shall choose
// the result. Donations are kept with the function, checked, and written with it. They have no
// effect by themselves: the caller of an execution says which arguments it donates, and the
// executable is the same whether it donates them or not.
namespace acceld::ir {

// Returns the donation that a parameter's attributes declare; nullopt if they declare none.
// INVALID_ARGUMENT when a value has none of the forms above.
absl::StatusOr<absl::optional<Donation>> ReadDonation(const AttributeDictionary& attributes,
                                                      size_t parameter);

// Whether ReadDonation reads an attribute of this name.
bool IsDonationAttribute(absl::string_view name);

// The inverse of ReadDonation: returns the attributes that declare the donation.
AttributeDictionary DonationAttributes(const Donation& donation);

// Checks that the donations are in ascending order, each for another parameter, and that their
// parameters and results exist.
absl::Status CheckDonations(const Function& function);

}  // namespace acceld::ir

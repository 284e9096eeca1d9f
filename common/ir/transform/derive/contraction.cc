// Derivatives of products: they are linear in each operand.

#include "common/ir/transform/derivation.h"

namespace acceld::ir {
namespace {

absl::Status DeriveBilinear(Derivation& d) {
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (d.IsActive(i)) d.AddTangent(d.CopyForTangents({i}));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status DeriveConvolution(Derivation& d) { return DeriveBilinear(d); }
absl::Status DeriveDotGeneral(Derivation& d) { return DeriveBilinear(d); }

// Older programs have these; what makes programs now writes dot_general.
absl::Status DeriveEinsum(Derivation& d) { return d.Refuse("write it as dot_general"); }
absl::Status DeriveUnaryEinsum(Derivation& d) {
  return d.Refuse("write it as reduce and transpose");
}

}  // namespace acceld::ir

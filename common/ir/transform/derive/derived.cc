// Ops that the compiler replaces by others.

#include "common/ir/transform/derivation.h"

namespace acceld::ir {

absl::Status DeriveMap(Derivation& d) {
  return d.Refuse("write its function with elementwise ops");
}
// Random numbers have no derivative with respect to the bounds of their distribution.
absl::Status DeriveRng(Derivation& d) {
  return d.Refuse("draw from a standard distribution, then scale and shift");
}
absl::Status DeriveRngBitGenerator(Derivation&) { return absl::OkStatus(); }

absl::Status DeriveTorchIndexSelect(Derivation& d) { return d.Refuse("write it as gather"); }

}  // namespace acceld::ir

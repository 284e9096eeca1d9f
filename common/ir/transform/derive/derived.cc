// Ops that the compiler replaces by others.

#include "common/ir/transform/derivation.h"

namespace acceld::ir {
namespace {

absl::Status RefuseBatchNorm(Derivation& d) {
  return d.Refuse("write the normalization as ops that have derivatives");
}

}  // namespace

absl::Status DeriveBatchNormGrad(Derivation& d) { return RefuseBatchNorm(d); }
absl::Status DeriveBatchNormInference(Derivation& d) { return RefuseBatchNorm(d); }
absl::Status DeriveBatchNormTraining(Derivation& d) { return RefuseBatchNorm(d); }
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

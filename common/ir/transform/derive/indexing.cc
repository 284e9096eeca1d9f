// Derivatives of ops that move elements: they are linear in what they move.

#include "common/ir/transform/derivation.h"

namespace acceld::ir {
namespace {

absl::Status DeriveLinear(Derivation& d) {
  d.AddTangent(d.CopyForTangents({0}));
  return absl::OkStatus();
}

}  // namespace

// Bits have no derivative, as in JAX.
absl::Status DeriveBitcastConvert(Derivation&) { return absl::OkStatus(); }
absl::Status DeriveIota(Derivation&) { return absl::OkStatus(); }

absl::Status DeriveBroadcastInDim(Derivation& d) { return DeriveLinear(d); }
absl::Status DeriveDynamicSlice(Derivation& d) { return DeriveLinear(d); }
absl::Status DeriveGather(Derivation& d) { return DeriveLinear(d); }
absl::Status DeriveReshape(Derivation& d) { return DeriveLinear(d); }
absl::Status DeriveReverse(Derivation& d) { return DeriveLinear(d); }
absl::Status DeriveSlice(Derivation& d) { return DeriveLinear(d); }
absl::Status DeriveTranspose(Derivation& d) { return DeriveLinear(d); }

absl::Status DeriveConcatenate(Derivation& d) {
  std::vector<ValueId> parts;
  for (size_t i = 0; i < d.num_operands(); ++i) parts.push_back(d.TangentOrZeros(i));
  d.AddTangent(d.linear.Op(OpKind::kConcatenate, std::move(parts), d.op().attributes));
  return absl::OkStatus();
}

absl::Status DerivePad(Derivation& d) {
  d.AddTangent(d.CopyForTangents({0, 1}));
  return absl::OkStatus();
}

}  // namespace acceld::ir

// Constants, tuples, barriers, and calls of what is not a function of the module.

#include "absl/strings/str_cat.h"
#include "common/ir/transform/derivation.h"

namespace acceld::ir {

// These have no operands that could be active.
absl::Status DeriveAfterAll(Derivation&) { return absl::OkStatus(); }
absl::Status DeriveConstant(Derivation&) { return absl::OkStatus(); }
absl::Status DeriveCreateToken(Derivation&) { return absl::OkStatus(); }

absl::Status DeriveGetTupleElement(Derivation& d) { return d.Refuse("tuples have no tangents"); }
absl::Status DeriveTuple(Derivation& d) { return d.Refuse("tuples have no tangents"); }

absl::Status DeriveCustomCall(Derivation& d) {
  return d.Refuse(absl::StrCat("no derivative of '", d.As<CustomCallAttributes>().call_target_name,
                               "' is known"));
}

// The tangents of the barrier's results wait for each other, too.
absl::Status DeriveOptimizationBarrier(Derivation& d) {
  FunctionDerivation& f = d.function();
  const std::vector<ValueId> known = d.known.OpWithRegions(
      OpKind::kOptimizationBarrier, f.KnownOf(d.op().operands), {}, {}, d.op().results.size());
  std::vector<ValueId> tangents;
  for (size_t i = 0; i < d.num_operands(); ++i) {
    d.ReplaceResult(i, known[i]);
    if (d.IsActive(i)) tangents.push_back(d.tangent(i));
  }
  const size_t count = tangents.size();
  tangents =
      d.linear.OpWithRegions(OpKind::kOptimizationBarrier, std::move(tangents), {}, {}, count);
  size_t next = 0;
  for (size_t i = 0; i < d.num_operands(); ++i) {
    if (d.IsActive(i)) d.AddTangent(tangents[next++], i);
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir

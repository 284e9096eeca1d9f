// Ops that only the compiler makes: functions are differentiated before.

#include "common/ir/transform/derivation.h"

namespace acceld::ir {
namespace {

absl::Status RefuseInternal(Derivation& d) { return d.Refuse("it is an op of the compiler"); }

}  // namespace

absl::Status DeriveDigitSort(Derivation& d) { return RefuseInternal(d); }
absl::Status DeriveFusion(Derivation& d) { return RefuseInternal(d); }
absl::Status DeriveMergeRuns(Derivation& d) { return RefuseInternal(d); }
absl::Status DerivePartialSort(Derivation& d) { return RefuseInternal(d); }
absl::Status DeriveSortRuns(Derivation& d) { return RefuseInternal(d); }

}  // namespace acceld::ir

#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "server/compiler/spmd/exchange.h"

namespace acceld::compiler::spmd {

// Copies ops that compute on the values of one process, from a manual computation along all axes or
// a local program: their collectives stay as they are, and the numbers of the process become
// values. Must not outlive its
// arguments. Thread-compatible.
class ManualRegion {
 public:
  // `replica` and `partition` are the numbers of the process, scalars ui32. `values` maps values of
  // `source` to those of the builder.
  ManualRegion(const ir::Module& module, const ir::Function& source, const CanonicalMesh& mesh,
               ir::FunctionBuilder& builder, Exchange& exchange, ir::ValueId replica,
               ir::ValueId partition, absl::flat_hash_map<ir::ValueId, ir::ValueId>& values);

  // Copies the ops of a region, whose parameters must be in `values`. Returns its results.
  absl::StatusOr<std::vector<ir::ValueId>> Copy(const ir::Region& region);

 private:
  absl::Status CopyOp(const ir::Op& op);
  absl::Status CopyManualComputation(const ir::Op& op);
  std::vector<ir::ValueId> Mapped(const std::vector<ir::ValueId>& ids) const;

  const ir::Module& module_;
  const ir::Function& source_;
  const CanonicalMesh& mesh_;
  ir::FunctionBuilder& builder_;
  Exchange& exchange_;
  const ir::ValueId replica_, partition_;
  absl::flat_hash_map<ir::ValueId, ir::ValueId>& values_;
};

// Returns the manual axes of a manual computation, ascending; the meshes of its shardings may
// differ.
Axes ManualAxes(const ir::Module& module, const ir::Op& op, const CanonicalMesh& mesh);
// Whether no axis is left of the mesh besides these two lists, which may overlap: those of the
// manual computations outside of one, and its own.
bool AreAllManual(const Axes& outside, const Axes& axes, const CanonicalMesh& mesh);
// Returns the layout of a sharding of a manual computation along its manual axes only. These are
// the first ones of each dimension.
Layout ManualLayout(const ir::Module& module, const ir::Sharding& sharding,
                    const std::vector<int64_t>& manual_axes, int64_t rank,
                    const CanonicalMesh& mesh);

}  // namespace acceld::compiler::spmd

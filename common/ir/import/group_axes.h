#pragma once

#include "absl/types/span.h"
#include "common/ir/attributes/sharding.h"
#include "common/ir/processes/mesh.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

namespace acceld::ir {

// Returns the groups of partitions that differ only along these axes, as the matrix of a
// collective's replica_groups: the groups in the order of their first positions in the mesh, the
// members in the order of the axes, the first of which is the major one. Source: StableHLO,
// #stablehlo.replica_group_mesh_axes. INVALID_ARGUMENT for axes that overlap or are no axes of the
// mesh, and for more than limits::kMaxProcesses devices.
absl::StatusOr<Literal> GroupsAlong(absl::Span<const AxisRef> axes, const Mesh& mesh);

}  // namespace acceld::ir

#pragma once

#include "acceld/v1/program.pb.h"
#include "common/ir/processes/mesh.h"
#include "common/ir/verify/memory_budget.h"
#include "common/status.h"

namespace acceld::ir {

// Converts a mesh to protobuf, into an empty message, and back. Reading charges the memory of the
// mesh to a budget and does not check the mesh.
void ToProto(const Mesh& mesh, v1::Mesh& proto);
absl::StatusOr<Mesh> MeshFromProto(const v1::Mesh& proto, MemoryBudget& budget);

}  // namespace acceld::ir

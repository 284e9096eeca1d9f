#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/attributes/sharding.h"
#include "common/ir/processes/mesh.h"
#include "common/ir/types/type.h"
#include "tests/unit/compiler/random/random_function.h"

// Random meshes and shardings.
namespace acceld::compiler::spmd {

// A set of axes of one mesh: bit i stands for axis i.
using AxisSet = uint32_t;

// Whether the set contains the axis.
inline bool Contains(AxisSet axes, int64_t axis) { return (axes >> axis & 1) != 0; }
// Returns the set of all axes of the mesh.
AxisSet AllAxesOf(const ir::Mesh& mesh);

// Returns one or two meshes for the partitions, whose axes are runs of common parts. Some have axes
// of size 1.
std::vector<ir::Mesh> RandomMeshes(Dice& dice, int64_t num_partitions);

// Returns a sharding on meshes[mesh] for a value of these dimensions. It names the axes of `among`
// only, some of them in parts. With `divides`, it divides each dimension into equal shards;
// otherwise not always.
ir::Sharding RandomSharding(Dice& dice, absl::Span<const ir::Mesh> meshes, int64_t mesh,
                            const ir::Dims& dims, AxisSet among, bool divides);

}  // namespace acceld::compiler::spmd

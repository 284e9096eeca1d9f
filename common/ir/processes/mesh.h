#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/status.h"

// Meshes of devices. Sources: Shardy, sdy.mesh; StableHLO, #stablehlo.mesh.
namespace acceld::ir {

struct MeshAxis {
  std::string name;
  int64_t size = 1;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

// Arranges the partitions of a program in a grid. A mesh without axes whose device_ids has one
// element stands for that partition alone.
struct Mesh {
  std::string name;
  std::vector<MeshAxis> axes;  // the major one first
  // The partition at each position of the grid, in row-major order; empty: 0, 1, 2, ....
  std::vector<int64_t> device_ids;
  friend bool operator==(const Mesh&, const Mesh&) = default;
};

// Returns the number of positions, the product of the axes' sizes. It may saturate.
int64_t NumDevices(const Mesh& mesh);

// Returns the coordinate of a partition along each axis. The mesh must be valid for more
// partitions than `partition`.
std::vector<int64_t> PositionOf(const Mesh& mesh, int64_t partition);
// The inverse of PositionOf.
int64_t PartitionAt(const Mesh& mesh, absl::Span<const int64_t> position);

// INVALID_ARGUMENT, with the mesh's name, unless the axes have different names and sizes of at
// least 1, the mesh has as many positions as the program has partitions (or none of its axes is
// longer than 1), and device_ids, if there are any, are a permutation of the partitions.
absl::Status CheckMesh(const Mesh& mesh, int64_t num_partitions);

}  // namespace acceld::ir

#include "common/ir/import/group_axes.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/processes/sharding.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir {

absl::StatusOr<Literal> GroupsAlong(absl::Span<const AxisRef> axes, const Mesh& mesh) {
  const int64_t devices = NumDevices(mesh);
  if (devices < 1 || devices > limits::kMaxProcesses) {
    return absl::InvalidArgumentError(absl::StrCat(
        "mesh @", mesh.name, " has ", devices, " devices, expected 1 to ", limits::kMaxProcesses));
  }
  // The only device of a mesh may have any number, but the program has one process then.
  if (devices == 1 && axes.empty()) return Literal::Zeros({DType::kI64, {1, 1}});
  ACCELD_RETURN_IF_ERROR(Annotate(CheckMesh(mesh, devices), "replica_groups"));
  // The groups differ in the coordinates that a tensor divided along `axes` does not have.
  const Sharding along{.dimensions = {{.axes = {axes.begin(), axes.end()}}}};
  ACCELD_RETURN_IF_ERROR(
      Annotate(CheckSharding(along, TensorType{DType::kI1, {1}}, {&mesh, 1}), "replica_groups"));
  const DimensionSharding& dimension = along.dimensions[0];
  const int64_t members = NumShards(dimension, mesh);
  std::map<std::vector<int64_t>, std::vector<int64_t>> groups;  // by what identifies a group
  for (int64_t index = 0; index < devices; ++index) {
    const int64_t partition =
        mesh.device_ids.empty() ? index : mesh.device_ids[static_cast<size_t>(index)];
    std::vector<int64_t> position = PositionOf(mesh, partition);
    for (const AxisRef& axis : axes) {
      // Removes the coordinate along the axis, or along its part.
      int64_t& coordinate = position[static_cast<size_t>(axis.axis)];
      const int64_t size = SizeOf(axis, mesh);
      const int64_t post = mesh.axes[static_cast<size_t>(axis.axis)].size / (axis.pre_size * size);
      coordinate -= coordinate / post % size * post;
    }
    std::vector<int64_t>& group = groups[position];
    group.resize(static_cast<size_t>(members));
    group[static_cast<size_t>(ShardOf(dimension, mesh, partition))] = partition;
  }
  std::vector<int64_t> flat;
  for (const auto& [first, group] : groups) flat.insert(flat.end(), group.begin(), group.end());
  return Literal::FromValues<int64_t>({DType::kI64, {devices / members, members}}, flat);
}

}  // namespace acceld::ir

#include "common/ir/wire/mesh_wire.h"

namespace acceld::ir {

void ToProto(const Mesh& mesh, v1::Mesh& proto) {
  proto.set_name(mesh.name);
  for (const MeshAxis& axis : mesh.axes) {
    v1::Mesh::Axis& to = *proto.add_axes();
    to.set_name(axis.name);
    to.set_size(axis.size);
  }
  proto.mutable_device_ids()->Add(mesh.device_ids.begin(), mesh.device_ids.end());
}

absl::StatusOr<Mesh> MeshFromProto(const v1::Mesh& proto, MemoryBudget& budget) {
  ACCELD_RETURN_IF_ERROR(
      budget.Charge(static_cast<int64_t>(sizeof(Mesh)) +
                        proto.axes_size() * static_cast<int64_t>(sizeof(MeshAxis)) +
                        proto.device_ids_size() * static_cast<int64_t>(sizeof(int64_t)),
                    "a mesh"));
  Mesh mesh{.name = proto.name()};
  for (const v1::Mesh::Axis& axis : proto.axes()) mesh.axes.push_back({axis.name(), axis.size()});
  mesh.device_ids.assign(proto.device_ids().begin(), proto.device_ids().end());
  return mesh;
}

}  // namespace acceld::ir

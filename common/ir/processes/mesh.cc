#include "common/ir/processes/mesh.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir {
namespace {

int64_t SaturatingProduct(int64_t a, int64_t b) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  return b != 0 && a > most / b ? most : a * b;
}

template <typename... Parts>
absl::Status Refuse(const Mesh& mesh, const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat("mesh @", mesh.name, ": ", parts...));
}

}  // namespace

int64_t NumDevices(const Mesh& mesh) {
  int64_t devices = 1;
  for (const MeshAxis& axis : mesh.axes) devices = SaturatingProduct(devices, axis.size);
  return devices;
}

std::vector<int64_t> PositionOf(const Mesh& mesh, int64_t partition) {
  const std::vector<int64_t>& ids = mesh.device_ids;
  int64_t index =
      ids.empty() ? partition : std::find(ids.begin(), ids.end(), partition) - ids.begin();
  std::vector<int64_t> position(mesh.axes.size());
  for (size_t i = mesh.axes.size(); i-- > 0; index /= mesh.axes[i].size) {
    position[i] = index % mesh.axes[i].size;
  }
  return position;
}

int64_t PartitionAt(const Mesh& mesh, absl::Span<const int64_t> position) {
  int64_t index = 0;
  for (size_t i = 0; i < mesh.axes.size(); ++i) index = index * mesh.axes[i].size + position[i];
  return mesh.device_ids.empty() ? index : mesh.device_ids[static_cast<size_t>(index)];
}

absl::Status CheckMesh(const Mesh& mesh, int64_t num_partitions) {
  if (mesh.name.empty()) return Refuse(mesh, "it has no name");
  if (static_cast<int64_t>(mesh.axes.size()) > limits::kMaxMeshAxes) {
    return Refuse(mesh, "it has ", mesh.axes.size(), " axes, above the limit of ",
                  limits::kMaxMeshAxes);
  }
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    const MeshAxis& axis = mesh.axes[i];
    if (axis.name.empty()) return Refuse(mesh, "axis ", i, " has no name");
    for (const std::string* name : {&mesh.name, &axis.name}) {
      if (static_cast<int64_t>(name->size()) <= limits::kMaxNameBytes) continue;
      return absl::InvalidArgumentError(absl::StrCat("the name of a mesh or an axis has ",
                                                     name->size(), " bytes, above the limit of ",
                                                     limits::kMaxNameBytes));
    }
    if (axis.size < 1) {
      return Refuse(mesh, "axis \"", axis.name, "\" has ", axis.size,
                    " devices, expected 1 or more");
    }
    const auto is_same = [&](const MeshAxis& other) { return other.name == axis.name; };
    if (std::any_of(mesh.axes.begin(), mesh.axes.begin() + static_cast<int64_t>(i), is_same)) {
      return Refuse(mesh, "two axes are named \"", axis.name, "\"");
    }
  }
  const int64_t devices = NumDevices(mesh);
  if (devices != num_partitions && devices != 1) {
    return Refuse(mesh, "it has ", devices, " devices, but the program has ", num_partitions,
                  " partitions (mhlo.num_partitions)");
  }
  if (mesh.device_ids.empty()) return absl::OkStatus();
  if (static_cast<int64_t>(mesh.device_ids.size()) != devices) {
    return Refuse(mesh, mesh.device_ids.size(), " device_ids for ", devices, " devices");
  }
  std::vector<int64_t> sorted = mesh.device_ids;
  std::sort(sorted.begin(), sorted.end());
  const bool repeats = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  if (repeats || sorted.front() < 0 || sorted.back() >= num_partitions) {
    return Refuse(mesh, "device_ids must be different numbers below ", num_partitions);
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir

#include "server/compiler/spmd/canonical_mesh.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/processes/sharding.h"

namespace acceld::compiler::spmd {
namespace {

// Collects the strides at which the numbers of the partitions are cut: those of all axes of the
// meshes, and of the parts of axes that shardings name.
class Cuts {
 public:
  Cuts(const ir::Module& module) : module_(module), cuts_{1, module.grid.num_partitions} {}

  absl::StatusOr<std::set<int64_t>> Find() {
    for (const ir::Mesh& mesh : module_.meshes) ACCELD_RETURN_IF_ERROR(CutAxes(mesh));
    for (const ir::Function& function : module_.functions) {
      for (const auto* shardings : {&function.parameter_shardings, &function.result_shardings}) {
        for (const std::optional<ir::Sharding>& sharding : *shardings) {
          if (sharding.has_value()) CutParts(*sharding);
        }
      }
      CutParts(function.body);
    }
    return cuts_;
  }

 private:
  absl::Status CutAxes(const ir::Mesh& mesh) {
    if (ir::NumDevices(mesh) == 1) return absl::OkStatus();
    for (size_t i = 0; i < mesh.device_ids.size(); ++i) {
      if (mesh.device_ids[i] == static_cast<int64_t>(i)) continue;
      return absl::UnimplementedError(
          absl::StrCat("mesh @", mesh.name,
                       " has device_ids in another order than 0, 1, 2, ...; give the order "
                       "of the devices when the program is run"));
    }
    int64_t stride = 1;
    for (size_t i = mesh.axes.size(); i-- > 0;) cuts_.insert(stride *= mesh.axes[i].size);
    return absl::OkStatus();
  }

  void CutParts(const ir::Sharding& sharding) {
    const ir::Mesh& mesh = module_.meshes[static_cast<size_t>(sharding.mesh)];
    for (const ir::DimensionSharding& dimension : sharding.dimensions) {
      for (const ir::AxisRef& axis : dimension.axes) CutPart(axis, mesh);
    }
    for (const ir::AxisRef& axis : sharding.unreduced) CutPart(axis, mesh);
  }

  void CutPart(const ir::AxisRef& axis, const ir::Mesh& mesh) {
    if (axis.size == 0) return;
    const auto number = static_cast<size_t>(axis.axis);
    int64_t stride = 1;
    for (size_t i = mesh.axes.size(); --i > number;) stride *= mesh.axes[i].size;
    const int64_t whole = mesh.axes[number].size;
    cuts_.insert(stride * (whole / axis.pre_size));
    cuts_.insert(stride * (whole / (axis.pre_size * axis.size)));
  }

  // Recurses as deep as regions nest, which the verifier has bounded.
  void CutParts(const ir::Region& region) {
    for (const ir::Op& op : region.ops) {
      if (op.kind == ir::OpKind::kShardingConstraint) {
        CutParts(op.As<ir::ShardingConstraintAttributes>().sharding);
      } else if (op.kind == ir::OpKind::kManualComputation) {
        const auto& attributes = op.As<ir::ManualComputationAttributes>();
        for (const ir::Sharding& sharding : attributes.in_shardings) CutParts(sharding);
        for (const ir::Sharding& sharding : attributes.out_shardings) CutParts(sharding);
      }
      for (const ir::Region& inner : op.regions) CutParts(inner);
    }
  }

  const ir::Module& module_;
  std::set<int64_t> cuts_;
};

ir::OpKind CombinerOf(ir::Reduction reduction) {
  switch (reduction) {
    case ir::Reduction::kSum:
      return ir::OpKind::kAdd;
    case ir::Reduction::kMax:
      return ir::OpKind::kMaximum;
    case ir::Reduction::kMin:
      return ir::OpKind::kMinimum;
  }
  return ir::OpKind::kAdd;
}

}  // namespace

Layout Layout::WithParts(Axes axes, ir::OpKind kind) const {
  std::sort(axes.begin(), axes.end());
  const ir::OpKind combiner = axes.empty() ? ir::OpKind::kAdd : kind;
  return {.dimensions = dimensions, .unreduced = std::move(axes), .combiner = combiner};
}

bool Layout::IsReplicated() const {
  return unreduced.empty() && std::all_of(dimensions.begin(), dimensions.end(),
                                          [](const Axes& axes) { return axes.empty(); });
}

bool Layout::Uses(int axis) const {
  if (std::find(unreduced.begin(), unreduced.end(), axis) != unreduced.end()) return true;
  return std::any_of(dimensions.begin(), dimensions.end(), [&](const Axes& axes) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  });
}

absl::StatusOr<CanonicalMesh> CanonicalMesh::Of(const ir::Module& module) {
  ACCELD_ASSIGN_OR_RETURN(const std::set<int64_t> cuts, Cuts(module).Find());
  CanonicalMesh mesh;
  mesh.num_partitions_ = module.grid.num_partitions;
  const std::vector<int64_t> ordered(cuts.begin(), cuts.end());
  for (size_t i = ordered.size(); --i > 0;) {
    if (ordered[i] % ordered[i - 1] != 0) {
      return absl::UnimplementedError(absl::StrCat(
          "the meshes of the program cut its ", mesh.num_partitions_, " partitions into runs of ",
          ordered[i - 1], " and of ", ordered[i], ", which have no common parts"));
    }
    mesh.sizes_.push_back(ordered[i] / ordered[i - 1]);
    mesh.strides_.push_back(ordered[i - 1]);
  }
  return mesh;
}

int64_t CanonicalMesh::SizeOf(absl::Span<const int> axes) const {
  int64_t size = 1;
  for (const int axis : axes) size *= SizeOf(axis);
  return size;
}

Axes CanonicalMesh::AxesOf(const ir::AxisRef& axis, const ir::Mesh& mesh) const {
  const auto number = static_cast<size_t>(axis.axis);
  int64_t stride = 1;
  for (size_t i = mesh.axes.size(); --i > number;) stride *= mesh.axes[i].size;
  const int64_t whole = mesh.axes[number].size;
  const int64_t begin = stride * (whole / (axis.pre_size * ir::SizeOf(axis, mesh)));
  const int64_t end = stride * (whole / axis.pre_size);
  Axes axes;
  for (int i = 0; i < num_axes(); ++i) {
    if (StrideOf(i) >= begin && StrideOf(i) < end) axes.push_back(i);
  }
  return axes;
}

Axes CanonicalMesh::AxesOf(absl::Span<const ir::AxisRef> axes, const ir::Mesh& mesh) const {
  Axes all;
  for (const ir::AxisRef& axis : axes) {
    const Axes more = AxesOf(axis, mesh);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

Layout CanonicalMesh::LayoutOf(const ir::Sharding& sharding, absl::Span<const ir::Mesh> meshes,
                               int64_t rank) const {
  const ir::Mesh& mesh = meshes[static_cast<size_t>(sharding.mesh)];
  Layout layout = Layout::Replicated(rank);
  for (size_t i = 0; i < sharding.dimensions.size(); ++i) {
    layout.dimensions[i] = AxesOf(sharding.dimensions[i].axes, mesh);
  }
  return layout.WithParts(AxesOf(sharding.unreduced, mesh), CombinerOf(sharding.reduction));
}

ir::Sharding CanonicalMesh::ToSharding(const Layout& layout) const {
  ir::Sharding sharding;
  for (const Axes& axes : layout.dimensions) {
    ir::DimensionSharding& dimension = sharding.dimensions.emplace_back();
    for (const int axis : axes) dimension.axes.push_back({.axis = axis});
  }
  for (const int axis : layout.unreduced) sharding.unreduced.push_back({.axis = axis});
  for (const ir::Reduction reduction :
       {ir::Reduction::kSum, ir::Reduction::kMax, ir::Reduction::kMin}) {
    if (CombinerOf(reduction) == layout.combiner) sharding.reduction = reduction;
  }
  return sharding;
}

ir::Mesh CanonicalMesh::ToMesh() const {
  ir::Mesh mesh{.name = "mesh"};
  for (int i = 0; i < num_axes(); ++i) mesh.axes.push_back({absl::StrCat("axis_", i), SizeOf(i)});
  return mesh;
}

int64_t CanonicalMesh::ShardOf(absl::Span<const int> axes, int64_t partition) const {
  int64_t shard = 0;
  for (const int axis : axes) {
    shard = shard * SizeOf(axis) + partition / StrideOf(axis) % SizeOf(axis);
  }
  return shard;
}

ir::Literal CanonicalMesh::GroupsAlong(absl::Span<const int> axes, int64_t num_replicas) const {
  const int64_t members = SizeOf(axes);
  // By the number of the first member, which has the coordinate 0 along all of the axes.
  std::map<int64_t, std::vector<int64_t>> groups;
  for (int64_t process = 0; process < num_replicas * num_partitions_; ++process) {
    const int64_t partition = process % num_partitions_;
    int64_t first = process;
    for (const int axis : axes) {
      first -= partition / StrideOf(axis) % SizeOf(axis) * StrideOf(axis);
    }
    std::vector<int64_t>& group = groups[first];
    group.resize(static_cast<size_t>(members));
    group[static_cast<size_t>(ShardOf(axes, partition))] = process;
  }
  std::vector<int64_t> flat;
  for (const auto& [first, group] : groups) flat.insert(flat.end(), group.begin(), group.end());
  const auto rows = static_cast<int64_t>(groups.size());
  return ir::Literal::FromValues<int64_t>({ir::DType::kI64, {rows, members}}, flat);
}

ir::TensorType ShardType(const ir::TensorType& type, const Layout& layout,
                         const CanonicalMesh& mesh) {
  ir::TensorType shard = type;
  for (size_t i = 0; i < shard.dims.size(); ++i) shard.dims[i] /= mesh.SizeOf(layout.dimensions[i]);
  return shard;
}

bool Divides(const ir::TensorType& type, const Layout& layout, const CanonicalMesh& mesh) {
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (type.dims[i] % mesh.SizeOf(layout.dimensions[i]) != 0) return false;
  }
  return true;
}

}  // namespace acceld::compiler::spmd

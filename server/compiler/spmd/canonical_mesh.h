#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

namespace acceld::compiler::spmd {

// Axes of the canonical mesh, by number, the major one first. Each stands at most once.
using Axes = std::vector<int>;

// How one tensor is distributed: the axes along which each dimension is divided, and those along
// which each process has a part of the whole tensor. Along all other axes it is replicated.
struct Layout {
  std::vector<Axes> dimensions;
  // The value is the combination of the parts. Ascending.
  Axes unreduced;
  // Combines two parts (neutral_element.h, CombinerOf); kAdd if there are none. Sums of i1 are
  // disjunctions.
  ir::OpKind combiner = ir::OpKind::kAdd;

  static Layout Replicated(int64_t rank) {
    return {.dimensions = std::vector<Axes>(static_cast<size_t>(rank)), .unreduced = {}};
  }
  // The same with parts along `axes`, in any order.
  Layout WithParts(Axes axes, ir::OpKind kind) const;
  Layout WithoutParts() const { return {.dimensions = dimensions, .unreduced = {}}; }
  bool IsReplicated() const;
  // Whether the value is divided, or is in parts, along the axis.
  bool Uses(int axis) const;
  friend bool operator==(const Layout&, const Layout&) = default;
};

// The mesh on which a program is partitioned. Its axes are parts of the axes of all meshes of the
// program, so that each axis of theirs, and each part that a sharding names, is a run of these.
class CanonicalMesh {
 public:
  // UNIMPLEMENTED for meshes that have no such common parts (2x3 and 3x2, for example), and for
  // meshes that arrange the partitions in another order than 0, 1, 2, ....
  static absl::StatusOr<CanonicalMesh> Of(const ir::Module& module);

  int num_axes() const { return static_cast<int>(sizes_.size()); }
  int64_t num_partitions() const { return num_partitions_; }
  int64_t SizeOf(int axis) const { return sizes_[static_cast<size_t>(axis)]; }
  int64_t SizeOf(absl::Span<const int> axes) const;
  // The partitions whose numbers differ by this much are neighbours along the axis.
  int64_t StrideOf(int axis) const { return strides_[static_cast<size_t>(axis)]; }

  Axes AxesOf(const ir::AxisRef& axis, const ir::Mesh& mesh) const;
  Axes AxesOf(absl::Span<const ir::AxisRef> axes, const ir::Mesh& mesh) const;
  // Returns the layout that a sharding of the module describes, for a tensor of this rank. The
  // sharding on a mesh of one device need not name dimensions.
  Layout LayoutOf(const ir::Sharding& sharding, absl::Span<const ir::Mesh> meshes,
                  int64_t rank) const;
  // Returns the layout, whose combiner is that of a sharding, as a closed sharding of the mesh
  // ToMesh().
  ir::Sharding ToSharding(const Layout& layout) const;
  ir::Mesh ToMesh() const;

  // Returns which of the shards along `axes` the partition has.
  int64_t ShardOf(absl::Span<const int> axes, int64_t partition) const;
  // Returns the groups of processes that differ along `axes` only, as the replica_groups of a
  // collective with global device ids. The members of a group are in the order of their shards.
  ir::Literal GroupsAlong(absl::Span<const int> axes, int64_t num_replicas) const;

 private:
  std::vector<int64_t> sizes_;
  std::vector<int64_t> strides_;
  int64_t num_partitions_ = 1;
};

// Returns the type of one shard. All dimensions must be divisible by the number of their shards.
ir::TensorType ShardType(const ir::TensorType& type, const Layout& layout,
                         const CanonicalMesh& mesh);
// Whether each dimension is divisible by the number of its shards.
bool Divides(const ir::TensorType& type, const Layout& layout, const CanonicalMesh& mesh);

}  // namespace acceld::compiler::spmd

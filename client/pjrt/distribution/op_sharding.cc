#include "client/pjrt/distribution/op_sharding.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/ir/processes/sharding.h"

namespace acceld::pjrt {
namespace {

// How many participants have copies of the same part of the value, and into how many parts of a sum
// it is divided.
struct Groups {
  int64_t copies = 1, parts = 1;
};

bool AreWhole(const std::vector<ir::AxisRef>& axes) {
  return std::all_of(axes.begin(), axes.end(),
                     [](const ir::AxisRef& axis) { return axis.size == 0; });
}

// Whether the participants of the shards are 0, 1, 2, ... reshaped to the mesh's axes and
// transposed.
bool IsTransposition(const ir::Sharding& sharding, const ir::Mesh& mesh) {
  return mesh.device_ids.empty() && AreWhole(sharding.unreduced) &&
         std::all_of(sharding.dimensions.begin(), sharding.dimensions.end(),
                     [](const ir::DimensionSharding& d) { return AreWhole(d.axes); });
}

// Describes the participants by the axes: those of the dimensions, then those along which the value
// is replicated, then those along which it is a sum. XLA compares shardings in this form, and JAX
// can only use a result's sharding for another program if it has it.
void AddTransposition(const ir::Sharding& sharding, const ir::Mesh& mesh, OpSharding& message) {
  enum class Use : uint8_t { kCopies, kDimension, kParts };
  std::vector<Use> uses(mesh.axes.size(), Use::kCopies);
  for (const ir::AxisRef& axis : sharding.unreduced) {
    uses[static_cast<size_t>(axis.axis)] = Use::kParts;
  }
  for (const ir::DimensionSharding& dimension : sharding.dimensions) {
    for (const ir::AxisRef& axis : dimension.axes) {
      uses[static_cast<size_t>(axis.axis)] = Use::kDimension;
      message.add_iota_transpose_perm(static_cast<int32_t>(axis.axis));
    }
  }
  for (const Use use : {Use::kCopies, Use::kParts}) {
    for (size_t i = 0; i < uses.size(); ++i) {
      if (uses[i] == use) message.add_iota_transpose_perm(static_cast<int32_t>(i));
    }
  }
  for (const ir::MeshAxis& axis : mesh.axes) message.add_iota_reshape_dims(axis.size);
}

// Lists the participants: by shard, row-major, then by copy, then by part of a sum.
void AddDevices(const ir::Sharding& sharding, const ir::Mesh& mesh, const Groups& groups,
                OpSharding& message) {
  ir::DimensionSharding parts{.axes = sharding.unreduced};
  std::sort(parts.axes.begin(), parts.axes.end(), [](const ir::AxisRef& a, const ir::AxisRef& b) {
    return std::pair(a.axis, a.pre_size) < std::pair(b.axis, b.pre_size);
  });
  const int64_t devices = ir::NumDevices(mesh);
  // The participants that have each part of each shard, ascending.
  std::vector<std::vector<int64_t>> copies(static_cast<size_t>(devices / groups.copies));
  for (int64_t partition = 0; partition < devices; ++partition) {
    int64_t shard = 0;
    for (const ir::DimensionSharding& dimension : sharding.dimensions) {
      shard = shard * ir::NumShards(dimension, mesh) + ir::ShardOf(dimension, mesh, partition);
    }
    const int64_t part = shard * groups.parts + ir::ShardOf(parts, mesh, partition);
    copies[static_cast<size_t>(part)].push_back(partition);
  }
  const auto num_parts = static_cast<size_t>(groups.parts);
  for (size_t shard = 0; shard < copies.size(); shard += num_parts) {
    for (size_t copy = 0; copy < static_cast<size_t>(groups.copies); ++copy) {
      for (size_t part = 0; part < num_parts; ++part) {
        message.add_tile_assignment_devices(copies[shard + part][copy]);
      }
    }
  }
}

}  // namespace

OpSharding ToOpSharding(const ir::Sharding& sharding, const ir::Mesh& mesh) {
  OpSharding message;
  int64_t shards = 1;
  for (const ir::DimensionSharding& dimension : sharding.dimensions) {
    message.add_tile_assignment_dimensions(ir::NumShards(dimension, mesh));
    shards *= ir::NumShards(dimension, mesh);
  }
  Groups groups;
  for (const ir::AxisRef& axis : sharding.unreduced) groups.parts *= ir::SizeOf(axis, mesh);
  groups.copies = ir::NumDevices(mesh) / (shards * groups.parts);
  if (shards == 1 && groups.parts == 1) return OpSharding();
  message.set_type(OpSharding::OTHER);
  if (groups.copies > 1) message.add_tile_assignment_dimensions(groups.copies);
  if (groups.parts > 1) {
    message.add_tile_assignment_dimensions(groups.parts);
    if (groups.copies > 1) message.add_last_tile_dims(OpSharding::REPLICATED);
    message.add_last_tile_dims(OpSharding::UNREDUCED);
    if (sharding.reduction != ir::Reduction::kSum) {
      OpSharding::Metadata& metadata = *message.add_metadata();
      metadata.set_op_type("sdy::reduction_op");
      metadata.set_op_name(sharding.reduction == ir::Reduction::kMax ? "MAX" : "MIN");
    }
  } else if (groups.copies > 1) {
    message.set_replicate_on_last_tile_dim(true);
  }
  if (IsTransposition(sharding, mesh)) {
    AddTransposition(sharding, mesh, message);
  } else {
    AddDevices(sharding, mesh, groups, message);
  }
  return message;
}

SerializedShardings::SerializedShardings(absl::Span<const ir::Sharding> shardings,
                                         const ir::Mesh& mesh) {
  for (const ir::Sharding& sharding : shardings) {
    messages_.push_back(ToOpSharding(sharding, mesh).SerializeAsString());
  }
  for (const std::string& message : messages_) {
    pointers_.push_back(message.data());
    sizes_.push_back(message.size());
  }
}

}  // namespace acceld::pjrt

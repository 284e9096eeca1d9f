#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "common/ir/attributes/sharding.h"
#include "common/ir/processes/mesh.h"
#include "common/ir/types/type.h"
#include "common/status.h"

// Computes with shardings (attributes/sharding.h). The mesh of each function is the one that the
// sharding names.
namespace acceld::ir {

// Returns the number of devices along an axis, or along its part.
int64_t SizeOf(const AxisRef& axis, const Mesh& mesh);
// Returns into how many shards a dimension is divided along all of its axes, or only along those
// whose numbers `among` contains.
int64_t NumShards(const DimensionSharding& dimension, const Mesh& mesh);
int64_t NumShards(const DimensionSharding& dimension, const Mesh& mesh,
                  absl::Span<const int64_t> among);
// Returns which of the shards of a dimension the partition has.
int64_t ShardOf(const DimensionSharding& dimension, const Mesh& mesh, int64_t partition);
int64_t ShardOf(const DimensionSharding& dimension, const Mesh& mesh, int64_t partition,
                absl::Span<const int64_t> among);

// Returns the type of one shard. INVALID_ARGUMENT, with both numbers, if a dimension's size is not
// divisible by the number of its shards. A dynamic dimension stays dynamic.
absl::StatusOr<TensorType> ShardType(const TensorType& type, const Sharding& sharding,
                                     const Mesh& mesh);
// Divides only along the axes whose numbers `among` contains.
absl::StatusOr<TensorType> ShardType(const TensorType& type, const Sharding& sharding,
                                     const Mesh& mesh, absl::Span<const int64_t> among);

// Whether each device has the whole value.
bool IsReplicated(const Sharding& sharding, const Mesh& mesh);

// INVALID_ARGUMENT unless the sharding names a mesh of `meshes`, has one entry for each dimension
// of the type (it may have none if the mesh has one device) with a priority from 0 to
// limits::kMaxShardingPriority, and names parts of axes that exist, each at most once.
absl::Status CheckSharding(const Sharding& sharding, const Type& type,
                           absl::Span<const Mesh> meshes);

// Returns Shardy's text: <@mesh, [{"x"}, {?}], replicated={"y"}>. Numbers out of range are written
// as "#3", so that invalid shardings have a text too.
std::string ToString(const Sharding& sharding, absl::Span<const Mesh> meshes);

}  // namespace acceld::ir

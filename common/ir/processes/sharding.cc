#include "common/ir/processes/sharding.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute.h"
#include "common/ir/types/literal_text.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir {
namespace {

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

bool Contains(absl::Span<const int64_t> values, int64_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::vector<int64_t> AllAxes(const Mesh& mesh) {
  std::vector<int64_t> all(mesh.axes.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// The range of an axis' divisors that a part takes: it stands for the digits of the coordinate
// whose weights lie between `pre_size` and `pre_size` times `size`.
struct Part {
  AxisRef axis;
  int64_t end = 0;  // pre_size times size
};

class ShardingChecker {
 public:
  ShardingChecker(const Sharding& sharding, const Mesh& mesh) : sharding_(sharding), mesh_(mesh) {}

  absl::Status Check() {
    for (const DimensionSharding& dimension : sharding_.dimensions) {
      if (dimension.priority < 0 || dimension.priority > limits::kMaxShardingPriority) {
        return Refuse("priority ", dimension.priority, ", expected 0 to ",
                      limits::kMaxShardingPriority);
      }
      ACCELD_RETURN_IF_ERROR(Use(dimension.axes));
    }
    ACCELD_RETURN_IF_ERROR(Use(sharding_.replicated));
    return Use(sharding_.unreduced);
  }

 private:
  absl::Status Use(absl::Span<const AxisRef> axes) {
    for (const AxisRef& axis : axes) ACCELD_RETURN_IF_ERROR(Use(axis));
    return absl::OkStatus();
  }
  absl::Status Use(const AxisRef& axis) {
    if (axis.axis < 0 || axis.axis >= static_cast<int64_t>(mesh_.axes.size())) {
      return Refuse("axis ", axis.axis, " of a mesh with ", mesh_.axes.size(), " axes");
    }
    const MeshAxis& whole = mesh_.axes[static_cast<size_t>(axis.axis)];
    const bool is_whole = axis.size == 0;
    const bool divides =
        axis.pre_size >= 1 && axis.size >= 0 && axis.pre_size <= whole.size &&
        axis.size <= whole.size &&
        (is_whole ? axis.pre_size == 1
                  : axis.size > 1 && whole.size % (axis.pre_size * axis.size) == 0);
    if (!divides) {
      return Refuse("\"", whole.name, "\":(", axis.pre_size, ")", axis.size,
                    " is no part of an axis of ", whole.size, " devices");
    }
    const int64_t end = is_whole ? whole.size : axis.pre_size * axis.size;
    for (const Part& used : used_) {
      if (used.axis.axis != axis.axis) continue;
      // An axis of one device has no parts that could overlap.
      const bool overlap = axis.pre_size < used.end && used.axis.pre_size < end;
      if (overlap || whole.size == 1) return Refuse("axis \"", whole.name, "\" is used twice");
    }
    used_.push_back({axis, end});
    return absl::OkStatus();
  }

  const Sharding& sharding_;
  const Mesh& mesh_;
  std::vector<Part> used_;
};

std::string AxisText(const AxisRef& axis, const Mesh* mesh) {
  const bool is_known =
      mesh != nullptr && axis.axis >= 0 && axis.axis < static_cast<int64_t>(mesh->axes.size());
  std::string text = is_known ? QuoteText(mesh->axes[static_cast<size_t>(axis.axis)].name)
                              : absl::StrCat("#", axis.axis);
  if (axis.size != 0) absl::StrAppend(&text, ":(", axis.pre_size, ")", axis.size);
  return text;
}

std::string AxesText(absl::Span<const AxisRef> axes, const Mesh* mesh) {
  std::string text;
  for (const AxisRef& axis : axes) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", AxisText(axis, mesh));
  }
  return text;
}

}  // namespace

int64_t SizeOf(const AxisRef& axis, const Mesh& mesh) {
  return axis.size != 0 ? axis.size : mesh.axes[static_cast<size_t>(axis.axis)].size;
}

int64_t NumShards(const DimensionSharding& dimension, const Mesh& mesh) {
  return NumShards(dimension, mesh, AllAxes(mesh));
}

int64_t NumShards(const DimensionSharding& dimension, const Mesh& mesh,
                  absl::Span<const int64_t> among) {
  int64_t shards = 1;
  for (const AxisRef& axis : dimension.axes) {
    if (Contains(among, axis.axis)) shards *= SizeOf(axis, mesh);
  }
  return shards;
}

int64_t ShardOf(const DimensionSharding& dimension, const Mesh& mesh, int64_t partition) {
  return ShardOf(dimension, mesh, partition, AllAxes(mesh));
}

int64_t ShardOf(const DimensionSharding& dimension, const Mesh& mesh, int64_t partition,
                absl::Span<const int64_t> among) {
  const std::vector<int64_t> position = PositionOf(mesh, partition);
  int64_t shard = 0;
  for (const AxisRef& axis : dimension.axes) {
    if (!Contains(among, axis.axis)) continue;
    const int64_t whole = mesh.axes[static_cast<size_t>(axis.axis)].size;
    const int64_t size = SizeOf(axis, mesh);
    // How many neighbouring coordinates of the axis have the same coordinate in the part.
    const int64_t post_size = whole / (axis.pre_size * size);
    shard = shard * size + position[static_cast<size_t>(axis.axis)] / post_size % size;
  }
  return shard;
}

absl::StatusOr<TensorType> ShardType(const TensorType& type, const Sharding& sharding,
                                     const Mesh& mesh) {
  return ShardType(type, sharding, mesh, AllAxes(mesh));
}

absl::StatusOr<TensorType> ShardType(const TensorType& type, const Sharding& sharding,
                                     const Mesh& mesh, absl::Span<const int64_t> among) {
  TensorType shard = type;
  for (size_t i = 0; i < sharding.dimensions.size(); ++i) {
    if (shard.dims[i] == kDynamicDim) continue;
    const int64_t shards = NumShards(sharding.dimensions[i], mesh, among);
    if (shard.dims[i] % shards != 0) {
      return Refuse("dimension ", i, " of ", Type(type).ToString(), " cannot be divided into ",
                    shards, " equal shards");
    }
    shard.dims[i] /= shards;
  }
  return shard;
}

bool IsReplicated(const Sharding& sharding, const Mesh& mesh) {
  const auto is_whole = [&](const DimensionSharding& d) { return NumShards(d, mesh) == 1; };
  return std::all_of(sharding.dimensions.begin(), sharding.dimensions.end(), is_whole) &&
         sharding.unreduced.empty();
}

absl::Status CheckSharding(const Sharding& sharding, const Type& type,
                           absl::Span<const Mesh> meshes) {
  if (sharding.mesh < 0 || sharding.mesh >= static_cast<int64_t>(meshes.size())) {
    return Refuse("a sharding is for mesh ", sharding.mesh, " of ", meshes.size());
  }
  const absl::Status axes =
      ShardingChecker(sharding, meshes[static_cast<size_t>(sharding.mesh)]).Check();
  if (!axes.ok()) {
    return Annotate(axes, absl::StrCat("sharding ", ToString(sharding, meshes)));
  }
  // A value that is no tensor, a token for example, can only be replicated.
  const int64_t rank = type.IsTensor() ? type.tensor().rank() : 0;
  const bool is_of_one_device =
      NumDevices(meshes[static_cast<size_t>(sharding.mesh)]) == 1 && sharding.dimensions.empty();
  if (is_of_one_device) return absl::OkStatus();
  if (static_cast<int64_t>(sharding.dimensions.size()) != rank) {
    return Refuse("sharding ", ToString(sharding, meshes), " has ", sharding.dimensions.size(),
                  " dimensions, ", type.ToString(), " has ", rank);
  }
  return absl::OkStatus();
}

std::string ToString(const Sharding& sharding, absl::Span<const Mesh> meshes) {
  const bool is_known = sharding.mesh >= 0 && sharding.mesh < static_cast<int64_t>(meshes.size());
  const Mesh* mesh = is_known ? &meshes[static_cast<size_t>(sharding.mesh)] : nullptr;
  std::string text = "<";
  absl::StrAppend(&text,
                  is_known ? ToString(Attribute{SymbolAttribute{mesh->name}})
                           : absl::StrCat("#", sharding.mesh),
                  ", [");
  for (size_t i = 0; i < sharding.dimensions.size(); ++i) {
    const DimensionSharding& dimension = sharding.dimensions[i];
    absl::StrAppend(&text, i == 0 ? "{" : ", {", AxesText(dimension.axes, mesh));
    if (!dimension.is_closed) absl::StrAppend(&text, dimension.axes.empty() ? "?" : ", ?");
    text += '}';
    if (dimension.priority != 0) absl::StrAppend(&text, "p", dimension.priority);
  }
  text += ']';
  if (!sharding.replicated.empty()) {
    absl::StrAppend(&text, ", replicated={", AxesText(sharding.replicated, mesh), "}");
  }
  if (!sharding.unreduced.empty()) {
    const bool is_sum = sharding.reduction == Reduction::kSum;
    absl::StrAppend(
        &text, ", unreduced=",
        is_sum ? "" : EnumKeywords(sharding.reduction)[static_cast<size_t>(sharding.reduction)],
        "{", AxesText(sharding.unreduced, mesh), "}");
  }
  return text + ">";
}

}  // namespace acceld::ir

#include "tests/unit/compiler/spmd/random/random_sharding.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/processes/sharding.h"

namespace acceld::compiler::spmd {
namespace {

// The sizes of the common parts of all meshes, the major one first.
std::vector<int64_t> RandomParts(Dice& dice, int64_t num_partitions) {
  std::vector<int64_t> parts;
  for (const int64_t prime : {2, 3}) {
    for (; num_partitions % prime == 0; num_partitions /= prime) {
      const auto at = dice.Below(static_cast<int64_t>(parts.size()) + 1);
      parts.insert(parts.begin() + at, prime);
    }
  }
  return parts;
}

// Returns the axis whole, or, if its size is a power of two, sometimes as two parts.
std::vector<ir::AxisRef> PartsOf(Dice& dice, const ir::Mesh& mesh, int64_t axis) {
  const int64_t size = mesh.axes[static_cast<size_t>(axis)].size;
  for (const int64_t major : {2, 4}) {
    const bool is_divisible = size % major == 0 && size % 3 != 0 && size > major;
    if (!is_divisible || !dice.OneIn(4)) continue;
    return {{.axis = axis, .pre_size = 1, .size = major},
            {.axis = axis, .pre_size = major, .size = size / major}};
  }
  return {{.axis = axis}};
}

template <typename T>
void Shuffle(Dice& dice, std::vector<T>& list) {
  for (size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[static_cast<size_t>(dice.Below(static_cast<int64_t>(i)))]);
  }
}

}  // namespace

AxisSet AllAxesOf(const ir::Mesh& mesh) { return (AxisSet{1} << mesh.axes.size()) - 1; }

std::vector<ir::Mesh> RandomMeshes(Dice& dice, int64_t num_partitions) {
  const std::vector<int64_t> parts = RandomParts(dice, num_partitions);
  std::vector<ir::Mesh> meshes(dice.OneIn(4) ? 2 : 1);
  for (size_t i = 0; i < meshes.size(); ++i) {
    ir::Mesh& mesh = meshes[i];
    mesh.name = absl::StrCat("mesh", i);
    const auto add = [&](int64_t size) {
      mesh.axes.push_back({std::string(1, static_cast<char>('a' + mesh.axes.size())), size});
    };
    for (const int64_t part : parts) {
      if (dice.OneIn(8)) add(1);
      if (!mesh.axes.empty() && dice.OneIn(3)) {
        mesh.axes.back().size *= part;
      } else {
        add(part);
      }
    }
    if (mesh.axes.empty()) add(1);
  }
  return meshes;
}

ir::Sharding RandomSharding(Dice& dice, absl::Span<const ir::Mesh> meshes, int64_t mesh,
                            const ir::Dims& dims, AxisSet among, bool divides) {
  const ir::Mesh& own = meshes[static_cast<size_t>(mesh)];
  ir::Sharding sharding{.mesh = mesh};
  sharding.dimensions.resize(dims.size());
  for (ir::DimensionSharding& dimension : sharding.dimensions) {
    dimension.is_closed = !dice.OneIn(3);
    if (!dimension.is_closed && dice.OneIn(4)) dimension.priority = dice.Below(3);
  }
  std::vector<ir::AxisRef> axes;
  for (int64_t axis = 0; axis < static_cast<int64_t>(own.axes.size()); ++axis) {
    if (!Contains(among, axis)) continue;
    for (const ir::AxisRef& part : PartsOf(dice, own, axis)) axes.push_back(part);
  }
  Shuffle(dice, axes);
  const bool may_be_uneven = !divides && dice.OneIn(6);
  for (const ir::AxisRef& axis : axes) {
    if (dice.OneIn(10)) {
      sharding.replicated.push_back(axis);
      continue;
    }
    if (dims.empty() || dice.OneIn(3)) continue;
    for (int tries = 0; tries < 2; ++tries) {
      const auto at = static_cast<size_t>(dice.Below(static_cast<int64_t>(dims.size())));
      ir::DimensionSharding& dimension = sharding.dimensions[at];
      const int64_t shards = ir::NumShards(dimension, own) * ir::SizeOf(axis, own);
      if (dims[at] % shards != 0 && !may_be_uneven) continue;
      dimension.axes.push_back(axis);
      break;
    }
  }
  return sharding;
}

}  // namespace acceld::compiler::spmd

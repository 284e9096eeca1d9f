#include "common/ir/op_numbers.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/ir/calls/call_graph.h"

namespace acceld::ir {
namespace {

// Recurses as deep as the regions nest, which the verifier bounds.
void NumberRegion(Region& region, std::vector<uint32_t>& location_of_op) {
  for (Op& op : region.ops) {
    location_of_op.push_back(std::exchange(op.location.index, 0));
    op.location.op = static_cast<uint32_t>(location_of_op.size());
    for (Region& inner : op.regions) NumberRegion(inner, location_of_op);
  }
}

}  // namespace

absl::string_view OpLocations::LocationOf(uint32_t op) const {
  const uint32_t location = op == 0 || op > location_of_op.size() ? 0 : location_of_op[op - 1];
  return location == 0 || location > source_locations.size() ? absl::string_view()
                                                             : source_locations[location - 1];
}

int64_t OpLocations::MemoryBytes() const {
  size_t bytes = sizeof(OpLocations) + location_of_op.capacity() * sizeof(uint32_t);
  for (const std::string& text : source_locations) bytes += sizeof(text) + text.capacity();
  return static_cast<int64_t>(bytes);
}

OpLocations NumberOps(Module& module, absl::string_view entry) {
  absl::flat_hash_map<absl::string_view, Function*> by_name;
  for (Function& function : module.functions) by_name[function.name] = &function;
  OpLocations numbered{.source_locations = std::exchange(module.source_locations, {})};
  // The functions, in the order of their first call.
  std::vector<std::string> order = {std::string(entry)};
  absl::flat_hash_set<std::string> seen = {order[0]};
  for (size_t i = 0; i < order.size(); ++i) {
    const auto found = by_name.find(order[i]);
    if (found == by_name.end()) continue;
    NumberRegion(found->second->body, numbered.location_of_op);
    for (std::string& callee : CalleesOf(found->second->body)) {
      if (seen.insert(callee).second) order.push_back(std::move(callee));
    }
  }
  return numbered;
}

}  // namespace acceld::ir

#include "common/ir/cost/cost.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/calls/call_graph.h"
#include "common/ir/cost/accessed_bytes.h"
#include "common/ir/cost/arithmetic.h"
#include "common/ir/cost/trip_count.h"

namespace acceld::ir {
namespace {

class Counter {
 public:
  explicit Counter(const Module& module) : module_(module) {}

  // Counts callees first, so that the recursion over regions does not nest in that over calls.
  const Cost& Of(const Function& function) {
    if (const auto found = functions_.find(function.name); found != functions_.end()) {
      return found->second;
    }
    for (const std::string& callee : CalleesOf(function.body)) {
      if (const Function* called = module_.Find(callee); called != nullptr) (void)Of(*called);
    }
    const Definitions definitions(function);
    const Cost cost = Of(function, definitions, function.body);
    return functions_.emplace(function.name, cost).first->second;
  }

 private:
  Cost Of(const Function& function, const Definitions& definitions, const Region& region) {
    Cost cost;
    for (const Op& op : region.ops) cost += Of(function, definitions, op);
    return cost;
  }

  Cost Of(const Function& function, const Definitions& definitions, const Op& op) {
    if (const std::string* callee = CalleeOf(op); callee != nullptr) {
      const auto found = functions_.find(*callee);
      return found == functions_.end() ? Cost() : found->second;
    }
    if (op.kind == OpKind::kWhile) {
      const absl::optional<int64_t> trips = TripCountOf(definitions, op);
      const double iterations = trips.has_value() ? static_cast<double>(*trips) : 1;
      Cost cost =
          Of(function, definitions, op.regions[0]) * (trips.has_value() ? iterations + 1 : 1);
      cost += Of(function, definitions, op.regions[1]) * iterations;
      return cost;
    }
    if (op.kind == OpKind::kIf || op.kind == OpKind::kCase) {
      Cost most;
      for (const Region& branch : op.regions) {
        const Cost cost = Of(function, definitions, branch);
        most.flops = std::max(most.flops, cost.flops);
        most.transcendentals = std::max(most.transcendentals, cost.transcendentals);
        most.bytes_accessed = std::max(most.bytes_accessed, cost.bytes_accessed);
      }
      return most;
    }
    // The regions of other ops access the elements that the op itself accesses.
    std::vector<Arithmetic> regions;
    for (const Region& region : op.regions) {
      const Cost cost = Of(function, definitions, region);
      regions.push_back({cost.flops, cost.transcendentals});
    }
    const Arithmetic arithmetic = ArithmeticOf(function, op, regions);
    return {.flops = arithmetic.flops,
            .transcendentals = arithmetic.transcendentals,
            .bytes_accessed = AccessedBytesOf(function, op)};
  }

  const Module& module_;
  absl::flat_hash_map<std::string, Cost> functions_;
};

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  flops += other.flops;
  transcendentals += other.transcendentals;
  bytes_accessed += other.bytes_accessed;
  return *this;
}

Cost Cost::operator*(double times) const {
  return {flops * times, transcendentals * times, bytes_accessed * times};
}

absl::StatusOr<Cost> CostOf(const Module& module, absl::string_view entry) {
  ACCELD_ASSIGN_OR_RETURN(const Function* function, module.Entry(entry));
  return Counter(module).Of(*function);
}

}  // namespace acceld::ir

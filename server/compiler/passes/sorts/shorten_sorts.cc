#include "server/compiler/passes/sorts/shorten_sorts.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/passes/sorts/sort_keys.h"

namespace acceld::compiler {
namespace {

constexpr int64_t kMaxLimit = 64;
// How many times as many elements the sorted dimension must have as are kept.
constexpr int64_t kMinRatio = 4;

using Limits = absl::flat_hash_map<ir::ValueId, int64_t>;

// Whether the comparator is certainly a strict weak order.
bool IsOrder(const ir::Function& function, const ir::Region& region) {
  const auto keys = FindSortKeys(function, region);
  return keys.has_value() &&
         std::none_of(keys->begin(), keys->end(), [](const SortKey& key) { return key.by_value; });
}

int64_t DimensionOf(const ir::Function& function, const ir::Op& sort) {
  const int64_t dimension = sort.As<ir::SortAttributes>().dimension;
  return dimension < 0 ? dimension + function.TensorOf(sort.results[0]).rank() : dimension;
}

// Returns how many elements along `dimension` the user reads: all, or those before the limit of a
// slice.
int64_t TakenBy(const ir::Function& function, const ir::Op& user, int64_t dimension) {
  if (user.kind != ir::OpKind::kSlice) return function.TensorOf(user.operands[0]).dims[dimension];
  return user.As<ir::SliceAttributes>().limit_indices[dimension];
}

// Returns for each sort that is worth shortening, by its first result, how many elements its users
// read.
Limits LimitsOf(const ir::Function& function) {
  std::vector<const ir::Op*> sorts;
  absl::flat_hash_map<ir::ValueId, int64_t> dimension_of;  // of results of sorts
  ForEachOp(function.body, [&](const ir::Op& op) {
    if (op.kind != ir::OpKind::kSort || function.TensorOf(op.results[0]).rank() == 0) return;
    if (!IsOrder(function, op.regions[0])) return;
    sorts.push_back(&op);
    for (const ir::ValueId id : op.results) dimension_of[id] = DimensionOf(function, op);
  });
  if (sorts.empty()) return {};

  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  Limits taken;  // by result
  const auto take = [&](ir::ValueId id, int64_t count) {
    if (!dimension_of.contains(id)) return;
    int64_t& most = taken[id];
    most = std::max(most, count);
  };
  const auto take_all = [&](const std::vector<ir::ValueId>& ids) {
    for (const ir::ValueId id : ids) take(id, kAll);
  };
  ForEachOp(function.body, [&](const ir::Op& op) {
    if (op.kind == ir::OpKind::kSlice) {
      const auto found = dimension_of.find(op.operands[0]);
      if (found != dimension_of.end()) take(found->first, TakenBy(function, op, found->second));
    } else {
      take_all(op.operands);
    }
    for (const ir::Region& region : op.regions) take_all(region.results);
  });
  take_all(function.body.results);

  Limits limits;
  for (const ir::Op* sort : sorts) {
    int64_t limit = 0;
    for (const ir::ValueId id : sort->results) limit = std::max(limit, taken[id]);
    const int64_t length = function.TensorOf(sort->results[0]).dims[dimension_of[sort->results[0]]];
    if (limit > 0 && limit <= kMaxLimit && limit <= length / kMinRatio) {
      limits[sort->results[0]] = limit;
    }
  }
  return limits;
}

class Shortener {
 public:
  explicit Shortener(Limits limits) : limits_(std::move(limits)) {}

  absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op) {
    if (op.kind == ir::OpKind::kSort) return VisitSort(rewriter, op);
    if (op.kind == ir::OpKind::kSlice) return VisitSlice(rewriter, op);
    return false;
  }

 private:
  bool VisitSort(Rewriter& rewriter, ir::Op& op) {
    const auto limit = limits_.find(op.results[0]);
    if (limit == limits_.end()) return false;
    const int64_t dimension = DimensionOf(rewriter.function(), op);
    ir::Op partial = std::move(op);
    partial.kind = ir::OpKind::kPartialSort;
    partial.attributes = ir::PartialSortAttributes{dimension, limit->second};
    for (ir::ValueId& id : partial.results) {
      ir::TensorType type = rewriter.TensorOf(id);
      type.dims[dimension] = limit->second;
      id = shortened_[id] = rewriter.NewValue(std::move(type));
    }
    rewriter.Append(std::move(partial));
    return true;
  }

  bool VisitSlice(Rewriter& rewriter, ir::Op& op) {
    const auto found = shortened_.find(op.operands[0]);
    if (found == shortened_.end()) return false;
    op.operands[0] = found->second;
    if (rewriter.TensorOf(found->second) != rewriter.TensorOf(op.results[0])) return false;
    rewriter.Replace(op.results[0], found->second);
    return true;
  }

  Limits limits_;
  absl::flat_hash_map<ir::ValueId, ir::ValueId> shortened_;
};

}  // namespace

absl::StatusOr<ir::Module> ShortenSorts(const ir::Module& module) {
  ir::Module out = module.WithoutFunctions();
  for (const ir::Function& function : module.functions) {
    Limits limits = LimitsOf(function);
    if (limits.empty()) {
      out.functions.push_back(function);
      continue;
    }
    Shortener shortener(std::move(limits));
    ACCELD_ASSIGN_OR_RETURN(ir::Function shortened,
                            Rewriter::Run(function, [&](Rewriter& rewriter, ir::Op& op) {
                              return shortener.Visit(rewriter, op);
                            }));
    out.functions.push_back(std::move(shortened));
  }
  return out;
}

}  // namespace acceld::compiler

#include "server/compiler/passes/sorts/order_nan.h"

#include <utility>

#include "absl/container/flat_hash_set.h"

namespace acceld::compiler {
namespace {

using ir::ComparisonDirection;
using ir::OpKind;

// Appends the ops that replace a comparison of x and y to `out`:
//   x < y becomes   x < y || (x == x && y is NaN)
//   x > y becomes   x > y || (x is NaN && y == y)
//   x == y becomes  x == y || (x is NaN && y is NaN)
void OrderNan(Rewriter& rewriter, ir::Op compare, std::vector<ir::Op>& out) {
  const ir::ValueId result = compare.results[0], x = compare.operands[0], y = compare.operands[1];
  const ir::CompareAttributes attributes = compare.As<ir::CompareAttributes>();
  const auto add = [&](OpKind kind, std::vector<ir::ValueId> operands, ir::OpAttributes how) {
    const ir::ValueId value = rewriter.NewValue(ir::TensorType{ir::DType::kI1, {}});
    out.push_back(ir::MakeOp(kind, std::move(operands), std::move(how), {value}, compare.location));
    return value;
  };
  const auto is_nan = [&](ir::ValueId value, bool wanted) {
    const auto direction = wanted ? ComparisonDirection::kNe : ComparisonDirection::kEq;
    return add(OpKind::kCompare, {value, value},
               ir::CompareAttributes{direction, ir::ComparisonType::kFloat});
  };
  const ComparisonDirection direction = attributes.comparison_direction;
  const ir::ValueId as_numbers = add(OpKind::kCompare, {x, y}, attributes);
  const ir::ValueId of_x = is_nan(x, direction != ComparisonDirection::kLt);
  const ir::ValueId of_y = is_nan(y, direction != ComparisonDirection::kGt);
  const ir::ValueId as_nan = add(OpKind::kAnd, {of_x, of_y}, ir::NoAttributes{});
  compare.kind = OpKind::kOr;
  compare.attributes = ir::NoAttributes{};
  compare.operands = {as_numbers, as_nan};
  compare.results = {result};
  out.push_back(std::move(compare));
}

}  // namespace

void OrderNan(Rewriter& rewriter, const std::vector<SortKey>& keys, ir::Region& comparator) {
  absl::flat_hash_set<ir::ValueId> by_value;
  for (const SortKey& key : keys) {
    if (key.by_value) by_value.insert(key.comparisons.begin(), key.comparisons.end());
  }
  if (by_value.empty()) return;
  std::vector<ir::Op> ops;
  for (ir::Op& op : comparator.ops) {
    if (op.results.size() == 1 && by_value.contains(op.results[0])) {
      OrderNan(rewriter, std::move(op), ops);
    } else {
      ops.push_back(std::move(op));
    }
  }
  comparator.ops = std::move(ops);
}

}  // namespace acceld::compiler

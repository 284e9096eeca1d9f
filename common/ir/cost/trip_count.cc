#include "common/ir/cost/trip_count.h"

#include <algorithm>

#include "common/ir/types/element.h"

namespace acceld::ir {
namespace {

absl::optional<int64_t> ConstantOf(const Definitions& definitions, ValueId id) {
  const Op* op = definitions.Of(id);
  if (op == nullptr || op->kind != OpKind::kConstant) return absl::nullopt;
  const Literal& value = op->As<ConstantAttributes>().value;
  const DType dtype = value.type().dtype;
  if (value.type().rank() != 0 || (dtype != DType::kI32 && dtype != DType::kI64)) {
    return absl::nullopt;
  }
  return ReadInt(dtype, value.bytes().data(), 0);
}

// Returns the comparison with exchanged operands.
ComparisonDirection Mirrored(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq:
    case ComparisonDirection::kNe:
      return direction;
    case ComparisonDirection::kGe:
      return ComparisonDirection::kLe;
    case ComparisonDirection::kGt:
      return ComparisonDirection::kLt;
    case ComparisonDirection::kLe:
      return ComparisonDirection::kGe;
    case ComparisonDirection::kLt:
      return ComparisonDirection::kGt;
  }
  return direction;
}

// The condition under which the loop continues: `counter direction limit`.
struct Condition {
  size_t counter = 0;  // the index of the carried value
  ComparisonDirection direction = ComparisonDirection::kLt;
  int64_t limit = 0;
};

absl::optional<Condition> ConditionOf(const Definitions& definitions, const Region& region) {
  const Op* compare = definitions.Of(region.results[0]);
  if (compare == nullptr || compare->kind != OpKind::kCompare) return absl::nullopt;
  Condition condition{.direction = compare->As<CompareAttributes>().comparison_direction};
  absl::optional<int64_t> limit = ConstantOf(definitions, compare->operands[1]);
  ValueId counter = compare->operands[0];
  if (!limit.has_value()) {
    limit = ConstantOf(definitions, compare->operands[0]);
    counter = compare->operands[1];
    condition.direction = Mirrored(condition.direction);
  }
  const auto position = std::find(region.parameters.begin(), region.parameters.end(), counter);
  if (!limit.has_value() || position == region.parameters.end()) return absl::nullopt;
  condition.counter = static_cast<size_t>(position - region.parameters.begin());
  condition.limit = *limit;
  return condition;
}

// Returns by how much the carried value changes in an iteration.
absl::optional<int64_t> StepOf(const Definitions& definitions, const Region& body, size_t number) {
  const Op* op = definitions.Of(body.results[number]);
  if (op == nullptr) return absl::nullopt;
  const ValueId counter = body.parameters[number];
  if (op->kind == OpKind::kAdd && op->operands[0] == counter) {
    return ConstantOf(definitions, op->operands[1]);
  }
  if (op->kind == OpKind::kAdd && op->operands[1] == counter) {
    return ConstantOf(definitions, op->operands[0]);
  }
  if (op->kind != OpKind::kSubtract || op->operands[0] != counter) return absl::nullopt;
  const absl::optional<int64_t> less = ConstantOf(definitions, op->operands[1]);
  if (!less.has_value() || *less == INT64_MIN) return absl::nullopt;
  return -*less;
}

// Returns the number of iterations with values from `first` up to at most `last`; step > 0.
absl::optional<int64_t> IterationsTo(int64_t first, int64_t last, int64_t step) {
  if (first > last) return 0;
  int64_t distance = 0;
  if (__builtin_sub_overflow(last, first, &distance)) return absl::nullopt;
  return distance / step + 1;
}

// Returns how often the body runs for the values of the counter.
absl::optional<int64_t> CountIterations(const Condition& condition, int64_t first, int64_t step) {
  // The most negative numbers cannot be negated; no real loop has them.
  constexpr int64_t kMost = INT64_MAX - 1;
  const auto is_usual = [](int64_t value) { return value >= -kMost && value <= kMost; };
  if (!is_usual(first) || !is_usual(step) || !is_usual(condition.limit)) return absl::nullopt;
  const int64_t limit = condition.limit;
  switch (condition.direction) {
    case ComparisonDirection::kLt:
      if (step > 0 || first >= limit)
        return IterationsTo(first, limit - 1, std::max<int64_t>(step, 1));
      return absl::nullopt;
    case ComparisonDirection::kLe:
      if (step > 0 || first > limit) return IterationsTo(first, limit, std::max<int64_t>(step, 1));
      return absl::nullopt;
    case ComparisonDirection::kGt:
      if (step < 0 || first <= limit)
        return IterationsTo(-first, -limit - 1, std::max<int64_t>(-step, 1));
      return absl::nullopt;
    case ComparisonDirection::kGe:
      if (step < 0 || first < limit)
        return IterationsTo(-first, -limit, std::max<int64_t>(-step, 1));
      return absl::nullopt;
    case ComparisonDirection::kEq:
    case ComparisonDirection::kNe:
      return absl::nullopt;
  }
  return absl::nullopt;
}

}  // namespace

Definitions::Definitions(const Function& function) : ops_(function.value_types.size(), nullptr) {
  Add(function.body);
}

void Definitions::Add(const Region& region) {
  for (const Op& op : region.ops) {
    for (const ValueId id : op.results) ops_[id] = &op;
    for (const Region& inner : op.regions) Add(inner);
  }
}

absl::optional<LoopCounter> CounterOf(const Definitions& definitions, const Op& loop) {
  const absl::optional<Condition> condition = ConditionOf(definitions, loop.regions[0]);
  if (!condition.has_value()) return absl::nullopt;
  const absl::optional<int64_t> first = ConstantOf(definitions, loop.operands[condition->counter]);
  const absl::optional<int64_t> step = StepOf(definitions, loop.regions[1], condition->counter);
  if (!first.has_value() || !step.has_value()) return absl::nullopt;
  const absl::optional<int64_t> count = CountIterations(*condition, *first, *step);
  if (!count.has_value()) return absl::nullopt;
  return LoopCounter{condition->counter, *first, *step, *count};
}

absl::optional<int64_t> TripCountOf(const Definitions& definitions, const Op& loop) {
  const absl::optional<LoopCounter> counter = CounterOf(definitions, loop);
  if (!counter.has_value()) return absl::nullopt;
  return counter->trip_count;
}

}  // namespace acceld::ir

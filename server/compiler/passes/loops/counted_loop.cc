#include "server/compiler/passes/loops/counted_loop.h"

#include <algorithm>
#include <limits>

namespace acceld::compiler {
namespace {

using ir::ComparisonDirection;
using ir::OpKind;

// The deepest expression that ProgressionOf analyzes. Index arithmetic is shallow.
constexpr int kMaxDepth = 16;

bool IsIndex(ir::DType dtype) { return dtype == ir::DType::kI32 || dtype == ir::DType::kI64; }

}  // namespace

absl::optional<CountedLoop> CountedLoop::Match(const Rewriter& rewriter, const ir::Op& loop) {
  CountedLoop counted(rewriter, loop);
  if (!counted.MatchCondition() || !counted.MatchCounter() || counted.num_iterations() == 0) {
    return absl::nullopt;
  }
  return counted;
}

absl::optional<int64_t> CountedLoop::NumIterationsOf(const Rewriter& rewriter, const ir::Op& loop) {
  CountedLoop counted(rewriter, loop);
  if (!counted.MatchCondition() || !counted.MatchCounter()) return absl::nullopt;
  return counted.num_iterations();
}

CountedLoop::CountedLoop(const Rewriter& rewriter, const ir::Op& loop)
    : rewriter_(&rewriter), loop_(&loop) {
  for (const ir::Region& region : loop.regions) {
    for (const ir::ValueId id : region.parameters) inside_[id] = nullptr;
    for (const ir::Op& op : region.ops) {
      for (const ir::ValueId id : op.results) inside_[id] = &op;
    }
    CountReads(region);
  }
}

void CountedLoop::CountReads(const ir::Region& region) {
  for (const ir::ValueId id : region.results) ++reads_[id];
  ForEachOp(region, [this](const ir::Op& op) {
    for (const ir::ValueId id : op.operands) ++reads_[id];
    for (const ir::Region& inner : op.regions) {
      for (const ir::ValueId id : inner.results) ++reads_[id];
    }
  });
}

int CountedLoop::ReadsOf(ir::ValueId id) const {
  const auto found = reads_.find(id);
  return found == reads_.end() ? 0 : found->second;
}

// Matches a condition of the form counter < limit or limit > counter.
bool CountedLoop::MatchCondition() {
  const ir::Region& condition = loop_->regions[0];
  const ir::Op* compare = DefinitionOf(condition.results[0]);
  if (compare == nullptr || compare->kind != OpKind::kCompare) return false;
  const ComparisonDirection direction = compare->As<ir::CompareAttributes>().comparison_direction;
  const bool is_less = direction == ComparisonDirection::kLt;
  if (!is_less && direction != ComparisonDirection::kGt) return false;
  const ir::ValueId counter = compare->operands[is_less ? 0 : 1];
  const absl::optional<int64_t> limit = ConstantOf(compare->operands[is_less ? 1 : 0]);
  const auto position =
      std::find(condition.parameters.begin(), condition.parameters.end(), counter);
  if (position == condition.parameters.end() || !limit.has_value()) return false;
  counter_ = static_cast<size_t>(position - condition.parameters.begin());
  limit_ = *limit;
  return true;
}

bool CountedLoop::MatchCounter() {
  const ir::Region& body = loop_->regions[1];
  const ir::TensorType& type = rewriter_->TensorOf(loop_->operands[counter_]);
  const absl::optional<int64_t> first = ConstantOf(loop_->operands[counter_]);
  if (!IsIndex(type.dtype) || type.rank() != 0 || !first.has_value()) return false;
  const ir::Op* add = DefinitionOf(body.results[counter_]);
  if (add == nullptr || add->kind != OpKind::kAdd) return false;
  const int other = add->operands[0] == body.parameters[counter_] ? 1 : 0;
  if (add->operands[1 - other] != body.parameters[counter_]) return false;
  if (ConstantOf(add->operands[other]).value_or(0) != 1) return false;
  first_ = *first;
  return first_ >= limit_ || !__builtin_sub_overflow(limit_, first_, &num_iterations_);
}

bool CountedLoop::IsInvariant(ir::ValueId id) const { return !inside_.contains(id); }

const ir::Op* CountedLoop::DefinitionOf(ir::ValueId id) const {
  const auto found = inside_.find(id);
  return found == inside_.end() ? rewriter_->DefinitionOf(id) : found->second;
}

absl::optional<int64_t> CountedLoop::ConstantOf(ir::ValueId id) const {
  const ir::Op* op = DefinitionOf(id);
  if (op == nullptr || op->kind != OpKind::kConstant) return absl::nullopt;
  const ir::Literal& value = op->As<ir::ConstantAttributes>().value;
  if (!IsIndex(value.type().dtype) || value.type().rank() != 0) return absl::nullopt;
  return ir::ReadInt(value.type().dtype, value.bytes().data(), 0);
}

absl::optional<Progression> CountedLoop::ProgressionOf(ir::ValueId id) const {
  return ProgressionOf(id, 0);
}

absl::optional<Progression> CountedLoop::ProgressionOf(ir::ValueId id, int depth) const {
  if (depth > kMaxDepth) return absl::nullopt;
  if (id == loop_->regions[1].parameters[counter_]) return Progression{first_, 1};
  if (const absl::optional<int64_t> constant = ConstantOf(id)) return Progression{*constant, 0};
  const ir::Op* op = DefinitionOf(id);
  if (op == nullptr || IsInvariant(id)) return absl::nullopt;
  if (op->kind == OpKind::kSelect) return SelectedOf(*op, depth);
  if (op->kind != OpKind::kAdd && op->kind != OpKind::kSubtract) return absl::nullopt;
  const absl::optional<Progression> x = ProgressionOf(op->operands[0], depth + 1);
  const absl::optional<Progression> y = ProgressionOf(op->operands[1], depth + 1);
  if (!x.has_value() || !y.has_value()) return absl::nullopt;
  Progression out;
  const bool adds = op->kind == OpKind::kAdd;
  const bool overflows = adds ? __builtin_add_overflow(x->first, y->first, &out.first) ||
                                    __builtin_add_overflow(x->step, y->step, &out.step)
                              : __builtin_sub_overflow(x->first, y->first, &out.first) ||
                                    __builtin_sub_overflow(x->step, y->step, &out.step);
  return overflows ? absl::nullopt : absl::optional<Progression>(out);
}

// Matches x < 0 ? ... : x, which equals x if x is never negative.
absl::optional<Progression> CountedLoop::SelectedOf(const ir::Op& select, int depth) const {
  const ir::Op* compare = DefinitionOf(select.operands[0]);
  if (compare == nullptr || compare->kind != OpKind::kCompare ||
      compare->As<ir::CompareAttributes>().comparison_direction != ComparisonDirection::kLt ||
      compare->operands[0] != select.operands[2] ||
      ConstantOf(compare->operands[1]).value_or(-1) != 0) {
    return absl::nullopt;
  }
  const absl::optional<Progression> x = ProgressionOf(select.operands[2], depth + 1);
  int64_t last = -1;
  if (!x.has_value() || __builtin_mul_overflow(x->step, num_iterations_ - 1, &last) ||
      __builtin_add_overflow(x->first, last, &last)) {
    return absl::nullopt;
  }
  // Up to this value neither i32 nor i64 overflows.
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  const bool fits = std::min(x->first, last) >= 0 && std::max(x->first, last) <= kMax;
  return fits ? x : absl::nullopt;
}

bool CountedLoop::Covers(const Progression& progression, int64_t size) const {
  if (num_iterations_ != size) return false;
  return (progression.step == 1 && progression.first == 0) ||
         (progression.step == -1 && progression.first == size - 1);
}

absl::optional<LoopRow> CountedLoop::RowOf(ir::ValueId value) const {
  const ir::Op* reshape = DefinitionOf(value);
  if (reshape == nullptr || reshape->kind != OpKind::kReshape) return absl::nullopt;
  const ir::Op* slice = DefinitionOf(reshape->operands[0]);
  if (slice == nullptr || slice->kind != OpKind::kDynamicSlice) return absl::nullopt;
  const ir::ValueId array = slice->operands[0];
  const ir::Dims& dims = rewriter_->TensorOf(array).dims;
  const ir::Dims& row = rewriter_->TensorOf(value).dims;
  if (!IsInvariant(array) || dims.size() != row.size() + 1 ||
      !std::equal(row.begin(), row.end(), dims.begin() + 1) ||
      slice->As<ir::DynamicSliceAttributes>().slice_sizes[0] != 1) {
    return absl::nullopt;
  }
  // The slice has as many elements as the row, so it comprises the other dimensions completely and
  // begins at 0 there.
  const absl::optional<Progression> rows = ProgressionOf(slice->operands[1]);
  if (!rows.has_value() || !Covers(*rows, dims[0])) return absl::nullopt;
  return LoopRow{array, slice->operands[1], *rows};
}

}  // namespace acceld::compiler

#include "server/compiler/fusion/groups/row_alignment.h"

#include <algorithm>

#include "kernels/lowering/lower.h"
#include "kernels/lowering/reducer.h"
#include "server/compiler/fusion/cost.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// The most accumulators that are carried from row to row: they should leave room for rows in the
// first-level cache.
constexpr int64_t kMaxBlockSums = 4096;

int64_t Product(const ir::Dims& dims, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t d = begin; d < end; ++d) product *= dims[d];
  return product;
}

}  // namespace

int64_t RowSpace::rows() const { return Product(dims, 0, num_row_dims); }
int64_t RowSpace::columns() const { return Product(dims, num_row_dims, dims.size()); }

absl::optional<RowSpace> RowSpaceOf(const ir::Function& function, const ir::Op& op) {
  if (op.kind != OpKind::kReduce || !ir::IsSimpleReducer(function, op.regions[0])) {
    return absl::nullopt;
  }
  const ir::Dims& dims = function.TensorOf(op.operands[0]).dims;
  std::vector<int64_t> reduced = op.As<ir::DimensionsAttributes>().dimensions;
  std::sort(reduced.begin(), reduced.end());
  if (reduced.empty() || reduced.size() == dims.size()) return absl::nullopt;
  const size_t kept = dims.size() - reduced.size();
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i] != static_cast<int64_t>(kept + i)) return absl::nullopt;
  }
  return RowSpace{dims, kept};
}

absl::optional<RowAlignment::Kind> RowAlignment::KindOf(ir::ValueId id) const {
  const auto it = kinds_.find(id);
  if (it == kinds_.end()) return absl::nullopt;
  return it->second;
}

bool RowAlignment::HasRowShape(ir::ValueId id) const {
  // Compare without dimensions of size 1, which do not affect the order of elements.
  const auto long_dims = [](const ir::Dims& dims, size_t count) {
    std::vector<int64_t> out;
    std::copy_if(dims.begin(), dims.begin() + count, std::back_inserter(out),
                 [](int64_t dim) { return dim != 1; });
    return out;
  };
  const ir::Dims& dims = function_.TensorOf(id).dims;
  return long_dims(dims, dims.size()) == long_dims(space_.dims, space_.num_row_dims);
}

bool RowAlignment::IsInBlocks(const ir::Dims& dims) const {
  const size_t rows = space_.num_row_dims;
  const bool split =
      dims.size() == space_.dims.size() - rows + 2 && dims[1] > 1 &&
      dims[0] * dims[1] == space_.rows() &&
      std::equal(dims.begin() + 2, dims.end(), space_.dims.begin() + static_cast<int64_t>(rows));
  return split && (!blocks_.has_value() || dims == *blocks_);
}

bool RowAlignment::ReducesBlocks(const ir::Op& op) const {
  return kernels::ReducesBlocks(function_, op) &&
         IsInBlocks(function_.TensorOf(op.operands[0]).dims) &&
         std::none_of(
             op.results.begin(), op.results.end(),
             [&](ir::ValueId id) { return ir::IsComplex(function_.TensorOf(id).dtype); }) &&
         ir::IsSimpleReducer(function_, op.regions[0]);
}

bool RowAlignment::FollowReduce(const ir::Op& op, const std::vector<ir::ValueId>& operands) {
  const bool rows = RowSpaceOf(function_, op) == space_;
  if (!rows && !ReducesBlocks(op)) return false;
  const Kind wanted = rows ? Kind::kElement : Kind::kBlockElement;
  const size_t n = op.results.size();
  for (size_t i = 0; i < 2 * n; ++i) {
    const absl::optional<Kind> kind = KindOf(operands[i]);
    if (kind.has_value() && (i >= n || *kind != wanted)) return false;
  }
  for (ir::ValueId id : op.results) kinds_[id] = rows ? Kind::kRow : Kind::kBlockColumn;
  if (rows) return true;
  blocks_ = function_.TensorOf(op.operands[0]).dims;
  block_sums_ += space_.columns() * static_cast<int64_t>(n);
  return block_sums_ <= kMaxBlockSums;
}

bool RowAlignment::FollowBroadcast(const ir::Op& op, Kind operand) {
  const ir::Dims& from = function_.TensorOf(op.operands[0]).dims;
  const ir::Dims& to = function_.TensorOf(op.results[0]).dims;
  const auto& mapping = op.As<ir::BroadcastInDimAttributes>().broadcast_dimensions;
  if (operand == Kind::kElement) {
    if (from != to || !std::is_sorted(mapping.begin(), mapping.end())) return false;
    kinds_[op.results[0]] = Kind::kElement;
    return true;
  }
  int64_t previous = -1;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1) continue;
    // Each dimension longer than 1 keeps its size and its order among the others.
    if (to[mapping[i]] != from[i] || mapping[i] <= previous) return false;
    previous = mapping[i];
  }
  if (to == space_.dims) {
    if (previous >= static_cast<int64_t>(space_.num_row_dims)) return false;
    kinds_[op.results[0]] = Kind::kElement;
    return true;
  }
  kinds_[op.results[0]] = Kind::kRow;
  return HasRowShape(op.results[0]);
}

bool RowAlignment::AddOp(const ir::Op& op, const std::vector<ir::ValueId>& operands) {
  if (op.kind == OpKind::kConstant) return kernels::CanFuseAsProducer(function_, op);
  std::vector<Kind> kinds;
  for (ir::ValueId id : operands) {
    if (const absl::optional<Kind> kind = KindOf(id)) kinds.push_back(*kind);
  }
  if (op.kind == OpKind::kReduce) return FollowReduce(op, operands);
  if (!op.regions.empty() || !kernels::CanFuseAsProducer(function_, op)) return false;
  if (kinds.empty()) return true;
  if (std::any_of(kinds.begin(), kinds.end(), [](Kind kind) {
        return kind == Kind::kBlockElement || kind == Kind::kBlockColumn;
      })) {
    return false;
  }
  if (op.kind == OpKind::kBroadcastInDim) return FollowBroadcast(op, kinds[0]);
  const ir::ValueId result = op.results[0];
  const ir::Dims& dims = function_.TensorOf(result).dims;
  if (op.kind == OpKind::kReshape) {
    if (kinds[0] == Kind::kElement && dims != space_.dims && IsInBlocks(dims)) {
      kinds_[result] = Kind::kBlockElement;
      return true;
    }
    kinds_[result] = kinds[0];
    return kinds[0] == Kind::kElement ? dims == space_.dims : HasRowShape(result);
  }
  if (!IsPointwise(op)) return false;
  for (size_t i = 0; i < operands.size(); ++i) {
    const absl::optional<Kind> kind = KindOf(operands[i]);
    if (!kind.has_value()) continue;
    if (*kind != kinds[0] || function_.TensorOf(operands[i]).dims != dims) return false;
  }
  kinds_[result] = kinds[0];
  return true;
}

bool RowAlignment::AddPartResult(ir::ValueId id) {
  if (const absl::optional<Kind> kind = KindOf(id)) return *kind != Kind::kBlockElement;
  const bool element = function_.TensorOf(id).dims == space_.dims;
  if (!element && !HasRowShape(id)) return false;
  kinds_[id] = element ? Kind::kElement : Kind::kRow;
  return true;
}

}  // namespace acceld::compiler

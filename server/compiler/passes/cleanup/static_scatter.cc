#include "server/compiler/passes/cleanup/static_scatter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/types/optional.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// A box of the operand.
struct Window {
  std::vector<int64_t> starts, sizes;
};

// The only window of a scatter; nullopt if there are several, or if it is not known to lie inside.
absl::optional<Window> WindowOf(const Rewriter& rewriter, const ir::Op& op) {
  const auto& numbers = op.As<ir::ScatterAttributes>().scatter_dimension_numbers;
  const ir::Literal* const indices = rewriter.ConstantOf(op.operands[1]);
  const ir::TensorType& operand = rewriter.TensorOf(op.operands[0]);
  const ir::TensorType& updates = rewriter.TensorOf(op.operands[2]);
  if (indices == nullptr || !numbers.input_batching_dims.empty()) return absl::nullopt;
  const auto& mapped = numbers.scatter_dims_to_operand_dims;
  if (indices->type().num_elements() != static_cast<int64_t>(mapped.size())) return absl::nullopt;
  Window window{std::vector<int64_t>(operand.rank(), 0), {}};
  int64_t elements = 1;
  for (size_t i = 0; i < mapped.size(); ++i) {
    const auto element = indices->is_splat() ? 0 : static_cast<int64_t>(i);
    window.starts[mapped[i]] = ir::ReadInt(indices->type().dtype, indices->bytes().data(), element);
  }
  size_t next = 0;
  for (int64_t dim = 0; dim < operand.rank(); ++dim) {
    const auto& inserted = numbers.inserted_window_dims;
    const bool is_inserted = std::find(inserted.begin(), inserted.end(), dim) != inserted.end();
    const int64_t size = is_inserted ? 1 : updates.dims[numbers.update_window_dims[next++]];
    window.sizes.push_back(size);
    elements *= size;
    if (window.starts[dim] < 0 || window.starts[dim] > operand.dims[dim] - size) {
      return absl::nullopt;
    }
  }
  // With index vectors of no elements there may be several windows at the same place.
  if (updates.num_elements() != elements) return absl::nullopt;
  return window;
}

// Whether the region returns the update, its second parameter.
bool TakesUpdate(const ir::Region& region) {
  return region.results.size() == 1 && region.results[0] == region.parameters[1];
}

// Whether the region returns what one elementwise op gives for its parameters.
bool IsOneOp(const ir::Region& region) {
  return region.ops.size() == 1 && region.results == region.ops[0].results &&
         ir::FamilyOf(region.ops[0].kind) == ir::OpFamily::kElementwise &&
         std::all_of(region.ops[0].operands.begin(), region.ops[0].operands.end(),
                     [&](ir::ValueId id) {
                       return id == region.parameters[0] || id == region.parameters[1];
                     });
}

}  // namespace

bool ReplaceStaticScatter(Rewriter& rewriter, const ir::Op& op) {
  if (op.results.size() != 1) return false;
  const ir::Region& region = op.regions[0];
  if (!TakesUpdate(region) && !IsOneOp(region)) return false;
  const absl::optional<Window> window = WindowOf(rewriter, op);
  if (!window.has_value()) return false;

  const ir::ValueId operand = op.operands[0];
  const ir::TensorType type = rewriter.TensorOf(operand);
  const ir::TensorType part{type.dtype, {window->sizes.begin(), window->sizes.end()}};
  ir::ValueId updates = op.operands[2];
  if (rewriter.TensorOf(updates) != part) {
    updates = rewriter.Emit(OpKind::kReshape, {updates}, ir::NoAttributes{}, part, op.location);
  }
  if (!TakesUpdate(region)) {
    ir::SliceAttributes slice;
    slice.start_indices = window->starts;
    for (size_t i = 0; i < window->starts.size(); ++i) {
      slice.limit_indices.push_back(window->starts[i] + window->sizes[i]);
    }
    slice.strides.assign(window->starts.size(), 1);
    const ir::ValueId old =
        rewriter.Emit(OpKind::kSlice, {operand}, std::move(slice), part, op.location);
    const ir::Op& combine = region.ops[0];
    std::vector<ir::ValueId> operands;
    for (const ir::ValueId id : combine.operands) {
      operands.push_back(id == region.parameters[0] ? old : updates);
    }
    updates = rewriter.Emit(combine.kind, std::move(operands), combine.attributes, part,
                            combine.location);
  }
  std::vector<ir::ValueId> operands = {operand, updates};
  for (const int64_t start : window->starts) {
    operands.push_back(rewriter.EmitConstant(
        ir::Literal::FromValues<int64_t>({ir::DType::kI64, {}}, {start}), op.location));
  }
  rewriter.Replace(op.results[0], rewriter.Emit(OpKind::kDynamicUpdateSlice, std::move(operands),
                                                ir::NoAttributes{}, type, op.location));
  return true;
}

}  // namespace acceld::compiler

#include "server/compiler/passes/loops/hoist_products.h"

#include <utility>
#include <vector>

#include "server/compiler/passes/loops/counted_loop.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/plan/steps/matmul.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// With fewer multiplications in all iterations together nothing is gained.
constexpr int64_t kMinWork = 256 * 1024;
// A product of more rows is as fast within the loop.
constexpr int64_t kMaxRows = 128;
// The most bytes of the products of all iterations together.
constexpr int64_t kMaxBytes = int64_t{64} << 20;

// A product that moves out of the loop.
struct Hoisted {
  size_t op;  // its position in the loop's body
  LoopRow row;
  // Attributes and type of the product of the whole array.
  ir::DotGeneralAttributes attributes;
  ir::TensorType type;
};

absl::optional<Hoisted> Match(const Rewriter& rewriter, const CountedLoop& counted,
                              const ir::Op& op, size_t position) {
  if (op.kind != OpKind::kDotGeneral || !counted.IsInvariant(op.operands[1])) {
    return absl::nullopt;
  }
  const absl::optional<LoopRow> row = counted.RowOf(op.operands[0]);
  if (!row.has_value()) return absl::nullopt;
  Hoisted hoisted{position, *row, op.As<ir::DotGeneralAttributes>(),
                  rewriter.TensorOf(op.results[0])};
  ir::DotDimensionNumbers& numbers = hoisted.attributes.dot_dimension_numbers;
  if (!numbers.lhs_batching_dimensions.empty()) return absl::nullopt;
  const auto single =
      MatchMatmul(rewriter.TensorOf(op.operands[0]), rewriter.TensorOf(op.operands[1]),
                  hoisted.type, op.As<ir::DotGeneralAttributes>());
  for (int64_t& dim : numbers.lhs_contracting_dimensions) ++dim;
  hoisted.type.dims.insert(hoisted.type.dims.begin(), counted.num_iterations());
  const auto whole =
      MatchMatmul(rewriter.TensorOf(hoisted.row.array), rewriter.TensorOf(op.operands[1]),
                  hoisted.type, hoisted.attributes);
  if (!single.has_value() || !whole.has_value() || single->m > kMaxRows ||
      counted.num_iterations() < 2 ||
      static_cast<double>(whole->m) * whole->n * whole->k < kMinWork ||
      hoisted.type.size_bytes() > kMaxBytes) {
    return absl::nullopt;
  }
  return hoisted;
}

// Appends ops to the body that replace the product `dot` by its slice of `product`, the product of
// all iterations.
void AppendRows(Rewriter& rewriter, const Hoisted& hoisted, ir::ValueId product, const ir::Op& dot,
                std::vector<ir::Op>& ops) {
  const auto append = [&](OpKind kind, std::vector<ir::ValueId> operands,
                          ir::OpAttributes attributes, ir::ValueId result) {
    ops.push_back(
        ir::MakeOp(kind, std::move(operands), std::move(attributes), {result}, dot.location));
    return result;
  };
  const ir::TensorType index = rewriter.TensorOf(hoisted.row.index);
  ir::TensorType row = hoisted.type;
  row.dims[0] = 1;
  const ir::ValueId zero =
      append(OpKind::kConstant, {}, ir::ConstantAttributes{ir::Literal::Zeros(index)},
             rewriter.NewValue(index));
  std::vector<ir::ValueId> operands = {product, hoisted.row.index};
  operands.resize(1 + row.dims.size(), zero);
  const ir::ValueId slice =
      append(OpKind::kDynamicSlice, std::move(operands),
             ir::DynamicSliceAttributes{std::vector<int64_t>(row.dims.begin(), row.dims.end())},
             rewriter.NewValue(row));
  append(OpKind::kReshape, {slice}, ir::NoAttributes{}, dot.results[0]);
}

absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op) {
  if (op.kind != OpKind::kWhile) return false;
  const absl::optional<CountedLoop> counted = CountedLoop::Match(rewriter, op);
  if (!counted.has_value()) return false;
  std::vector<ir::Op>& body = op.regions[1].ops;
  std::vector<Hoisted> hoisted;
  for (size_t i = 0; i < body.size(); ++i) {
    if (auto one = Match(rewriter, *counted, body[i], i)) hoisted.push_back(*std::move(one));
  }
  if (hoisted.empty()) return false;
  std::vector<ir::Op> ops;
  size_t next = 0;
  for (size_t i = 0; i < body.size(); ++i) {
    if (next == hoisted.size() || hoisted[next].op != i) {
      ops.push_back(std::move(body[i]));
      continue;
    }
    const Hoisted& one = hoisted[next++];
    const ir::ValueId product =
        rewriter.Emit(OpKind::kDotGeneral, {one.row.array, body[i].operands[1]}, one.attributes,
                      one.type, body[i].location);
    AppendRows(rewriter, one, product, body[i], ops);
  }
  body = std::move(ops);
  return false;
}

}  // namespace

absl::StatusOr<ir::Module> HoistProducts(const ir::Module& module) {
  return RewriteEach(module, Visit);
}

}  // namespace acceld::compiler

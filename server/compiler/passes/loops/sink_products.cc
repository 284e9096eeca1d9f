#include "server/compiler/passes/loops/sink_products.h"

#include <algorithm>
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
// The most bytes of an array that collects an operand of all iterations.
constexpr int64_t kMaxStackedBytes = int64_t{256} << 20;

// A sum that the loop carries and the product that each iteration adds to it.
struct Accumulation {
  size_t carried;  // the position of the sum among the carried values
  const ir::Op* add;
  const ir::Op* dot;
};

// One operand of a product in all iterations, as rows of one array.
struct Rows {
  ir::ValueId value;  // the operand in one iteration, a value of the body
  ir::ValueId array;  // the array if it exists already; else kNone
  ir::ValueId index;  // the number of the row, a value of the body
  Progression rows;   // the values of `index`
  static constexpr ir::ValueId kNone = static_cast<ir::ValueId>(-1);
};

// Applies the pass to one loop.
class LoopSinker {
 public:
  LoopSinker(Rewriter& rewriter, ir::Op& loop, CountedLoop counted)
      : rewriter_(rewriter), loop_(loop), counted_(std::move(counted)) {}

  // Moves all products that can be moved, and appends the loop to the rewriter's region. Returns
  // false, with nothing changed, if there are none.
  bool Run() {
    std::vector<Sunk> sunk;
    for (size_t i = 0; i < loop_.operands.size(); ++i) {
      const absl::optional<Accumulation> sum = MatchSum(i);
      if (!sum.has_value()) continue;
      if (const absl::optional<Sunk> one = Plan(*sum)) sunk.push_back(*one);
    }
    if (sunk.empty()) return false;
    // From here on ops are added to the body, which invalidates pointers into it.
    for (Sunk& one : sunk) {
      one.lhs.array = ArrayOf(one.lhs);
      one.rhs.array = ArrayOf(one.rhs);
    }
    Finish(sunk);
    return true;
  }

 private:
  // A product that moves to after the loop.
  struct Sunk {
    size_t carried;  // the position of the sum among the carried values
    Rows lhs, rhs;
    ir::DotGeneralAttributes attributes;  // of the product over all iterations
    ir::Location location;
  };
  // A new array that collects an operand of all iterations, as a carried value of the loop. The
  // loop fills it row by row.
  struct Stack {
    Rows rows;
    ir::ValueId initial, condition_parameter, body_parameter, next, result;
  };

  absl::optional<Accumulation> MatchSum(size_t carried) const {
    const ir::Region& body = loop_.regions[1];
    const ir::ValueId sum = body.parameters[carried];
    const ir::ValueId next = body.results[carried];
    const ir::DType dtype = rewriter_.TensorOf(sum).dtype;
    if ((dtype != ir::DType::kF32 && dtype != ir::DType::kF64) || counted_.IsInvariant(next) ||
        counted_.ReadsOf(sum) != 1 || counted_.ReadsOf(loop_.regions[0].parameters[carried]) != 0 ||
        counted_.ReadsOf(next) != 1) {
      return absl::nullopt;
    }
    const ir::Op* add = counted_.DefinitionOf(next);
    if (add == nullptr || add->kind != OpKind::kAdd) return absl::nullopt;
    for (int i = 0; i < 2; ++i) {
      if (add->operands[i] != sum || counted_.IsInvariant(add->operands[1 - i])) continue;
      const ir::Op* dot = counted_.DefinitionOf(add->operands[1 - i]);
      if (dot == nullptr || dot->kind != OpKind::kDotGeneral ||
          counted_.ReadsOf(dot->results[0]) != 1) {
        return absl::nullopt;
      }
      return Accumulation{carried, add, dot};
    }
    return absl::nullopt;
  }

  // Returns the value as a row of an array from outside if it is one; otherwise sets only `value`.
  Rows RowsOf(ir::ValueId value) const {
    const absl::optional<LoopRow> row = counted_.RowOf(value);
    if (!row.has_value()) return {value, Rows::kNone, Rows::kNone, {}};
    return {value, row->array, row->index, row->rows};
  }

  ir::TensorType StackedType(ir::ValueId value) const {
    ir::TensorType type = rewriter_.TensorOf(value);
    type.dims.insert(type.dims.begin(), counted_.num_iterations());
    return type;
  }

  absl::optional<Sunk> Plan(const Accumulation& sum) const {
    Sunk sunk{sum.carried, RowsOf(sum.dot->operands[0]), RowsOf(sum.dot->operands[1]),
              sum.dot->As<ir::DotGeneralAttributes>(), sum.dot->location};
    ir::DotDimensionNumbers& numbers = sunk.attributes.dot_dimension_numbers;
    if (!numbers.lhs_batching_dimensions.empty()) return absl::nullopt;
    for (std::vector<int64_t>* dims :
         {&numbers.lhs_contracting_dimensions, &numbers.rhs_contracting_dimensions}) {
      for (int64_t& dim : *dims) ++dim;
      dims->insert(dims->begin(), 0);
    }
    const ir::TensorType lhs = StackedType(sunk.lhs.value), rhs = StackedType(sunk.rhs.value);
    const auto step =
        MatchMatmul(lhs, rhs, rewriter_.TensorOf(sum.dot->results[0]), sunk.attributes);
    if (!step.has_value() || lhs.dtype != rewriter_.TensorOf(sum.dot->results[0]).dtype ||
        static_cast<double>(step->m) * step->n * step->k < kMinWork ||
        lhs.size_bytes() > kMaxStackedBytes || rhs.size_bytes() > kMaxStackedBytes) {
      return absl::nullopt;
    }
    return Aligned(sunk.lhs, sunk.rhs) ? absl::optional<Sunk>(sunk) : absl::nullopt;
  }

  // Chooses the order in which rows are collected: that of the other operand if it is an existing
  // array, or else that of the iterations. Returns false if both are existing arrays that are read
  // in different orders.
  bool Aligned(Rows& lhs, Rows& rhs) const {
    if (lhs.array != Rows::kNone && rhs.array != Rows::kNone) {
      return lhs.rows.first == rhs.rows.first;
    }
    const Rows& leader = lhs.array != Rows::kNone ? lhs : rhs;
    ir::ValueId index = leader.index;
    Progression rows = leader.rows;
    if (leader.array == Rows::kNone) {
      index = loop_.regions[1].parameters[counted_.counter()];
      const absl::optional<Progression> counter = counted_.ProgressionOf(index);
      if (!counter.has_value() || !counted_.Covers(*counter, counted_.num_iterations()))
        return false;
      rows = *counter;
    }
    for (Rows* side : {&lhs, &rhs}) {
      if (side->array != Rows::kNone) continue;
      side->index = index;
      side->rows = rows;
    }
    return true;
  }

  // Returns the array of the rows as a value after the loop. Adds a new carried array if needed.
  ir::ValueId ArrayOf(const Rows& rows) {
    if (rows.array != Rows::kNone) return rows.array;
    for (const Stack& stack : stacks_) {
      if (stack.rows.value == rows.value && stack.rows.rows.first == rows.rows.first) {
        return stack.result;
      }
    }
    const ir::TensorType type = StackedType(rows.value);
    const ir::ValueId zero =
        rewriter_.EmitConstant(ir::Literal::Zeros(ir::TensorType{type.dtype, {}}), loop_.location);
    Stack stack{rows,
                rewriter_.Emit(OpKind::kBroadcastInDim, {zero}, ir::BroadcastInDimAttributes{},
                               type, loop_.location),
                rewriter_.NewValue(type),
                rewriter_.NewValue(type),
                rewriter_.NewValue(type),
                rewriter_.NewValue(type)};
    AppendUpdate(stack, type);
    stacks_.push_back(stack);
    return stack.result;
  }

  // Adds ops to the body that store the row of one iteration into its array.
  void AppendUpdate(const Stack& stack, const ir::TensorType& type) {
    ir::TensorType row = type;
    row.dims[0] = 1;
    const ir::TensorType index = rewriter_.TensorOf(stack.rows.index);
    const ir::ValueId zero =
        AppendToBody(OpKind::kConstant, {}, ir::ConstantAttributes{ir::Literal::Zeros(index)},
                     rewriter_.NewValue(index));
    std::vector<ir::ValueId> operands = {stack.body_parameter,
                                         AppendToBody(OpKind::kReshape, {stack.rows.value},
                                                      ir::NoAttributes{}, rewriter_.NewValue(row)),
                                         stack.rows.index};
    operands.resize(2 + type.dims.size(), zero);
    AppendToBody(OpKind::kDynamicUpdateSlice, std::move(operands), ir::NoAttributes{}, stack.next);
  }

  ir::ValueId AppendToBody(OpKind kind, std::vector<ir::ValueId> operands,
                           ir::OpAttributes attributes, ir::ValueId result) {
    new_ops_.push_back(
        ir::MakeOp(kind, std::move(operands), std::move(attributes), {result}, loop_.location));
    return result;
  }

  // Removes the sums from the loop, adds the new arrays to it, and appends the products after it.
  void Finish(const std::vector<Sunk>& sunk) {
    ir::Region& condition = loop_.regions[0];
    ir::Region& body = loop_.regions[1];
    for (ir::Op& op : new_ops_) body.ops.push_back(std::move(op));
    std::vector<std::pair<ir::ValueId, ir::ValueId>> sums;  // initial value, result
    for (size_t i = sunk.size(); i-- > 0;) {
      const auto position = static_cast<int64_t>(sunk[i].carried);
      sums.emplace_back(loop_.operands[position], loop_.results[position]);
      DropUnread(body, body.results[position]);
      for (std::vector<ir::ValueId>* ids : {&loop_.operands, &loop_.results, &condition.parameters,
                                            &body.parameters, &body.results}) {
        ids->erase(ids->begin() + position);
      }
    }
    std::reverse(sums.begin(), sums.end());
    for (const Stack& stack : stacks_) {
      loop_.operands.push_back(stack.initial);
      loop_.results.push_back(stack.result);
      condition.parameters.push_back(stack.condition_parameter);
      body.parameters.push_back(stack.body_parameter);
      body.results.push_back(stack.next);
    }
    const ir::Location location = loop_.location;
    rewriter_.Append(std::move(loop_));
    for (size_t i = 0; i < sunk.size(); ++i) {
      const ir::TensorType type = rewriter_.TensorOf(sums[i].second);
      const ir::ValueId product =
          rewriter_.Emit(OpKind::kDotGeneral, {sunk[i].lhs.array, sunk[i].rhs.array},
                         sunk[i].attributes, type, sunk[i].location);
      // A sum that starts with zero is the product itself.
      const bool from_zero = IsZero(sums[i].first);
      rewriter_.Replace(sums[i].second, from_zero
                                            ? product
                                            : rewriter_.Emit(OpKind::kAdd, {sums[i].first, product},
                                                             ir::NoAttributes{}, type, location));
    }
  }

  // Whether all elements of the value, which is defined before the loop, are zero.
  bool IsZero(ir::ValueId id) const {
    const ir::Op* op = rewriter_.DefinitionOf(id);
    if (op != nullptr && op->kind == OpKind::kBroadcastInDim) {
      op = rewriter_.DefinitionOf(op->operands[0]);
    }
    if (op == nullptr || op->kind != OpKind::kConstant) return false;
    const ir::Literal& value = op->As<ir::ConstantAttributes>().value;
    return value == ir::Literal::Zeros(value.type());
  }

  // Removes the addition from the body, because it reads a parameter that is about to be removed.
  // The product stays without users; dead code elimination removes it.
  static void DropUnread(ir::Region& body, ir::ValueId sum) {
    const auto add = std::find_if(body.ops.begin(), body.ops.end(), [&](const ir::Op& op) {
      return !op.results.empty() && op.results[0] == sum;
    });
    body.ops.erase(add);
  }

  Rewriter& rewriter_;
  ir::Op& loop_;
  const CountedLoop counted_;
  std::vector<Stack> stacks_;
  std::vector<ir::Op> new_ops_;  // of the body
};

absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op) {
  if (op.kind != OpKind::kWhile) return false;
  absl::optional<CountedLoop> counted = CountedLoop::Match(rewriter, op);
  return counted.has_value() && LoopSinker(rewriter, op, *std::move(counted)).Run();
}

}  // namespace

absl::StatusOr<ir::Module> SinkProducts(const ir::Module& module) {
  return RewriteEach(module, Visit);
}

}  // namespace acceld::compiler

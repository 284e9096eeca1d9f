#include "common/ir/import/lapack_layouts.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_read.h"

namespace acceld::ir {
namespace {

using Order = std::vector<int64_t>;

bool IsPermutation(const Order& order) {
  std::vector<bool> seen(order.size());
  for (const int64_t dim : order) {
    if (dim < 0 || dim >= static_cast<int64_t>(order.size()) || seen[dim]) return false;
    seen[dim] = true;
  }
  return true;
}

absl::StatusOr<std::vector<Order>> ReadOrders(const ImportedOp& op, const std::string& name,
                                              absl::Span<const Type> types) {
  std::vector<Order> orders;
  const auto found = op.attributes.find(name);
  if (found == op.attributes.end()) return orders;
  const auto* list = std::get_if<ArrayAttribute>(&found->second.value);
  const auto wrong = [&] {
    return absl::InvalidArgumentError(absl::StrCat(name, " ", ToString(found->second),
                                                   " has not one order of dimensions for each of (",
                                                   ToString(types), ")"));
  };
  if (list == nullptr) return wrong();
  if (list->elements.empty()) return orders;
  if (list->elements.size() != types.size()) return wrong();
  for (size_t i = 0; i < types.size(); ++i) {
    ACCELD_RETURN_IF_ERROR(Annotate(ReadField(list->elements[i], orders.emplace_back()), name));
    if (!types[i].IsTensor() ||
        types[i].tensor().rank() != static_cast<int64_t>(orders[i].size()) ||
        !IsPermutation(orders[i])) {
      return wrong();
    }
  }
  return orders;
}

// Returns the layout, from minor to major, that the function uses for a value of this rank.
Order UsualOrder(int64_t rank, int64_t matrix_rank) {
  Order order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  if (rank == matrix_rank) std::swap(order[0], order[1]);
  return order;
}

absl::StatusOr<ValueId> Transposed(FunctionBuilder& builder, ValueId value, Order permutation,
                                   Location location) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return value;
  return builder.AddOne(OpKind::kTranspose, {value}, TransposeAttributes{std::move(permutation)},
                        {}, location);
}

// Returns the value of the same type that has in order `to` the bytes that `value` has in order
// `from`.
absl::StatusOr<ValueId> WithLayout(FunctionBuilder& builder, ValueId value, const Order& from,
                                   const Order& to, Location location) {
  if (from == to) return value;
  const TensorType type = builder.TypeOf(value).tensor();
  if (!type.IsStatic()) {
    return absl::UnimplementedError(absl::StrCat(
        "a custom call of LAPACK lays out a value of dynamic size, ", type.ToString()));
  }
  const Order permutation(to.rbegin(), to.rend());
  TensorType bytes{type.dtype, {}};
  Order back(to.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    bytes.dims.push_back(type.dims[permutation[i]]);
    back[permutation[i]] = static_cast<int64_t>(i);
  }
  ACCELD_ASSIGN_OR_RETURN(value,
                          Transposed(builder, value, {from.rbegin(), from.rend()}, location));
  const Type declared = bytes;
  ACCELD_ASSIGN_OR_RETURN(
      value, builder.AddOne(OpKind::kReshape, {value}, NoAttributes{}, {&declared, 1}, location));
  return Transposed(builder, value, std::move(back), location);
}

}  // namespace

absl::StatusOr<LapackLayouts> ReadLapackLayouts(const FunctionBuilder& builder,
                                                const ImportedOp& op) {
  LapackLayouts layouts;
  const auto target = op.attributes.find("call_target_name");
  if (op.name != NameOf(OpKind::kCustomCall) || target == op.attributes.end()) return layouts;
  std::string name;
  ACCELD_RETURN_IF_ERROR(ReadField(target->second, name));
  if (!absl::StartsWith(name, "lapack_") || !absl::EndsWith(name, "_ffi")) return layouts;
  const std::vector<Type> operands = builder.function().TypesOf(op.operands);
  ACCELD_ASSIGN_OR_RETURN(layouts.operands, ReadOrders(op, "operand_layouts", operands));
  ACCELD_ASSIGN_OR_RETURN(layouts.results, ReadOrders(op, "result_layouts", op.result_types));
  // Each function has a matrix among its operands or results, and no value of higher rank.
  layouts.matrix_rank = 2;
  for (const std::vector<Order>* orders : {&layouts.operands, &layouts.results}) {
    for (const Order& order : *orders) {
      layouts.matrix_rank = std::max(layouts.matrix_rank, static_cast<int64_t>(order.size()));
    }
  }
  return layouts;
}

absl::StatusOr<std::vector<ValueId>> LayOutOperands(FunctionBuilder& builder,
                                                    const LapackLayouts& layouts,
                                                    std::vector<ValueId> operands,
                                                    Location location) {
  for (size_t i = 0; i < layouts.operands.size(); ++i) {
    const Order& order = layouts.operands[i];
    const auto rank = static_cast<int64_t>(order.size());
    ACCELD_ASSIGN_OR_RETURN(
        operands[i],
        WithLayout(builder, operands[i], order, UsualOrder(rank, layouts.matrix_rank), location));
  }
  return operands;
}

absl::StatusOr<std::vector<ValueId>> LayOutResults(FunctionBuilder& builder,
                                                   const LapackLayouts& layouts,
                                                   std::vector<ValueId> results,
                                                   Location location) {
  for (size_t i = 0; i < layouts.results.size(); ++i) {
    const Order& order = layouts.results[i];
    const auto rank = static_cast<int64_t>(order.size());
    ACCELD_ASSIGN_OR_RETURN(
        results[i],
        WithLayout(builder, results[i], UsualOrder(rank, layouts.matrix_rank), order, location));
  }
  return results;
}

}  // namespace acceld::ir

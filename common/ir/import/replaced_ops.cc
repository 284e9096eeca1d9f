#include "common/ir/import/replaced_ops.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_dictionary.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/chlo/chlo.h"
#include "common/ir/chlo/expansions.h"
#include "common/ir/import/approx_top_k.h"

namespace acceld::ir {
namespace {

using Replacement = absl::StatusOr<std::vector<ValueId>>;

absl::Status CheckOperands(const FunctionBuilder& builder, const ImportedOp& op, size_t count) {
  bool fits = op.operands.size() == count;
  for (ValueId id : op.operands) fits = fits && builder.TypeOf(id).IsTensor();
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("op '", op.name, "' takes ", count, " tensors, it has (",
                   ToString(builder.function().TypesOf(op.operands)), ")"));
}

// Prepends dimensions.
Replacement Broadcast(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckOperands(builder, op, 1));
  std::vector<int64_t> sizes;
  if (const auto entry = op.attributes.find("broadcast_sizes"); entry != op.attributes.end()) {
    ACCELD_RETURN_IF_ERROR(Annotate(ReadField(entry->second, sizes), "broadcast_sizes"));
  }
  TensorType type = builder.TypeOf(op.operands[0]).tensor();
  BroadcastInDimAttributes attributes;
  attributes.broadcast_dimensions.resize(type.dims.size());
  std::iota(attributes.broadcast_dimensions.begin(), attributes.broadcast_dimensions.end(),
            static_cast<int64_t>(sizes.size()));
  type.dims.insert(type.dims.begin(), sizes.begin(), sizes.end());
  const Type declared = type;
  return builder.Add(OpKind::kBroadcastInDim, op.operands, std::move(attributes), {},
                     {&declared, 1}, op.location);
}

// Contracts the last dimension of the left operand with the first of the right one; for vectors and
// matrices.
Replacement Dot(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckOperands(builder, op, 2));
  const int64_t lhs_rank = builder.TypeOf(op.operands[0]).tensor().rank();
  const int64_t rhs_rank = builder.TypeOf(op.operands[1]).tensor().rank();
  if (lhs_rank < 1 || lhs_rank > 2 || rhs_rank < 1 || rhs_rank > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("op 'stablehlo.dot' is of vectors and matrices, not of (",
                     ToString(builder.function().TypesOf(op.operands)), ")"));
  }
  ACCELD_ASSIGN_OR_RETURN(OpAttributes read, FromDictionary(OpKind::kDotGeneral, op.attributes));
  auto& attributes = std::get<DotGeneralAttributes>(read);
  attributes.dot_dimension_numbers.lhs_contracting_dimensions = {lhs_rank - 1};
  attributes.dot_dimension_numbers.rhs_contracting_dimensions = {0};
  return builder.Add(OpKind::kDotGeneral, op.operands, std::move(read), {}, op.result_types,
                     op.location);
}

// An all_reduce for each operand, which adds.
Replacement CrossReplicaSum(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_ASSIGN_OR_RETURN(const OpAttributes attributes,
                          FromDictionary(OpKind::kAllReduce, op.attributes));
  std::vector<ValueId> sums;
  for (const ValueId operand : op.operands) {
    if (!builder.TypeOf(operand).IsTensor()) return CheckOperands(builder, op, op.operands.size());
    const Type scalar = TensorType{builder.TypeOf(operand).tensor().dtype, {}};
    const std::vector<ValueId> values = builder.BeginRegion({scalar, scalar});
    ACCELD_ASSIGN_OR_RETURN(const ValueId sum, builder.AddOne(OpKind::kAdd, values));
    std::vector<Region> regions;
    regions.push_back(builder.EndRegion({sum}));
    ACCELD_ASSIGN_OR_RETURN(const std::vector<ValueId> results,
                            builder.Add(OpKind::kAllReduce, {operand}, attributes,
                                        std::move(regions), {}, op.location));
    sums.push_back(results[0]);
  }
  return sums;
}

struct Entry {
  absl::string_view name;
  Replacement (*replace)(FunctionBuilder&, const ImportedOp&);
};

constexpr Entry kEntries[] = {
    {kApproxTopK, ReplaceApproxTopK},
    {kDynamicApproxTopK, ReplaceApproxTopK},
    {"stablehlo.broadcast", Broadcast},
    {"stablehlo.cross-replica-sum", CrossReplicaSum},
    {"stablehlo.dot", Dot},
    {"stablehlo.dynamic_top_k", ExpandDynamicTopK},
};

const Entry* Find(absl::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace

bool IsReplacedOp(absl::string_view name) { return Find(name) != nullptr || IsChloOp(name); }

std::vector<absl::string_view> ReplacedOps() {
  std::vector<absl::string_view> names = ChloOps();
  for (const Entry& entry : kEntries) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::vector<ValueId>> ReplaceOp(FunctionBuilder& builder, const ImportedOp& op) {
  const Entry* entry = Find(op.name);
  return entry != nullptr ? entry->replace(builder, op) : ExpandChlo(builder, op);
}

}  // namespace acceld::ir

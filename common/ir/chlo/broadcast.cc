#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/ir/attributes/attribute_dictionary.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/chlo/chlo.h"
#include "common/ir/chlo/expansions.h"

namespace acceld::ir {
namespace {

// The shape that all operands are broadcast to.
absl::StatusOr<Dims> CommonShape(const FunctionBuilder& builder, const ImportedOp& op) {
  Dims common;
  for (ValueId id : op.operands) {
    const Dims& dims = builder.TypeOf(id).tensor().dims;
    if (dims.size() > common.size()) common.insert(common.begin(), dims.size() - common.size(), 1);
    const size_t offset = common.size() - dims.size();
    for (size_t d = 0; d < dims.size(); ++d) {
      int64_t& size = common[offset + d];
      if (size != dims[d] && size != 1 && dims[d] != 1) {
        return absl::InvalidArgumentError(
            absl::StrCat(op.name, ": ", ToString(builder.function().TypesOf(op.operands)),
                         " do not broadcast to one shape"));
      }
      if (size == 1) size = dims[d];
    }
  }
  return common;
}

// Refuses `broadcast_dimensions` that put the shorter operand anywhere but at the end.
absl::Status CheckDimensions(const FunctionBuilder& builder, const ImportedOp& op, int64_t rank) {
  const auto entry = op.attributes.find("broadcast_dimensions");
  if (entry == op.attributes.end()) return absl::OkStatus();
  std::vector<int64_t> dimensions;
  ACCELD_RETURN_IF_ERROR(ReadField(entry->second, dimensions));
  int64_t shortest = rank;
  for (ValueId id : op.operands) {
    shortest = std::min(shortest, builder.TypeOf(id).tensor().rank());
  }
  std::vector<int64_t> expected(shortest);
  std::iota(expected.begin(), expected.end(), rank - shortest);
  if (dimensions == expected) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("op '", op.name,
                                               "' is supported where it broadcasts as NumPy does, "
                                               "not with broadcast_dimensions of its own"));
}

absl::StatusOr<ValueId> BroadcastTo(FunctionBuilder& builder, ValueId x, const Dims& dims,
                                    Location location) {
  const TensorType from = builder.TypeOf(x).tensor();
  if (from.dims == dims) return x;
  const Type to = TensorType{from.dtype, dims};
  BroadcastInDimAttributes attributes;
  attributes.broadcast_dimensions.resize(from.dims.size());
  std::iota(attributes.broadcast_dimensions.begin(), attributes.broadcast_dimensions.end(),
            static_cast<int64_t>(dims.size() - from.dims.size()));
  return builder.AddOne(OpKind::kBroadcastInDim, {x}, std::move(attributes), {&to, 1}, location);
}

}  // namespace

Expansion ExpandBroadcast(FunctionBuilder& builder, const ImportedOp& op) {
  ImportedOp inner = op;
  inner.regions.clear();
  inner.name = std::string(absl::StripPrefix(op.name, "chlo.broadcast_"));
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, inner.name == "select" ? 3 : 2));
  for (ValueId id : op.operands) {
    if (!builder.TypeOf(id).tensor().IsStatic()) return absl::UnimplementedError("");
  }
  ACCELD_ASSIGN_OR_RETURN(const Dims dims, CommonShape(builder, op));
  ACCELD_RETURN_IF_ERROR(CheckDimensions(builder, op, static_cast<int64_t>(dims.size())));
  inner.attributes.erase("broadcast_dimensions");
  for (ValueId& id : inner.operands) {
    ACCELD_ASSIGN_OR_RETURN(id, BroadcastTo(builder, id, dims, op.location));
  }
  if (const std::string chlo = absl::StrCat("chlo.", inner.name); IsChloOp(chlo)) {
    inner.name = chlo;
    return ExpandChlo(builder, inner);
  }
  const auto kind = FindOp(absl::StrCat("stablehlo.", inner.name));
  if (!kind) return absl::UnimplementedError("");
  ACCELD_ASSIGN_OR_RETURN(OpAttributes attributes, FromDictionary(*kind, inner.attributes));
  return builder.Add(*kind, std::move(inner.operands), std::move(attributes), {}, {}, op.location);
}

}  // namespace acceld::ir

#include "common/ir/import/approx_top_k.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/import/custom_calls.h"
#include "common/ir/import/take_first.h"

namespace acceld::ir {
namespace {

absl::Status Wrong(const ImportedOp& op, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("custom call '", op.name, "': ", what));
}

// Returns reduction_dim from the configuration of the call.
absl::StatusOr<int64_t> ReductionDimension(const ImportedOp& op) {
  AttributeDictionary configuration;
  if (const auto found = op.attributes.find("mhlo.backend_config"); found != op.attributes.end()) {
    ACCELD_RETURN_IF_ERROR(Annotate(ReadField(found->second, configuration), op.name));
  }
  const auto found = configuration.find("reduction_dim");
  if (found == configuration.end()) return Wrong(op, "needs a reduction_dim");
  int64_t dimension = 0;
  ACCELD_RETURN_IF_ERROR(Annotate(ReadField(found->second, dimension), op.name));
  return dimension;
}

}  // namespace

absl::StatusOr<std::vector<ValueId>> ReplaceApproxTopK(FunctionBuilder& builder,
                                                       const ImportedOp& op) {
  // The operands are the inputs; as many initial values, which replace missing elements; k, if it
  // is an operand; and, where sizes are dynamic, the shape of each result, which follows from the
  // rest.
  const bool has_k = op.name == kDynamicApproxTopK;
  const size_t count = op.result_types.size();
  const size_t least = 2 * count + (has_k ? 1 : 0);
  if (count == 0 || (op.operands.size() != least && op.operands.size() != least + count)) {
    return Wrong(op, absl::StrCat(op.operands.size(), " operands for ", count, " results"));
  }
  ACCELD_ASSIGN_OR_RETURN(const int64_t dimension, ReductionDimension(op));
  ACCELD_ASSIGN_OR_RETURN(FunctionName comparator, CalledComputation(op));
  std::vector<Type> elements;
  for (size_t i = 0; i < count; ++i) {
    const Type& type = builder.TypeOf(op.operands[i]);
    if (!type.IsTensor() || dimension < 0 || dimension >= type.tensor().rank() ||
        !op.result_types[i].IsTensor() ||
        op.result_types[i].tensor().rank() != type.tensor().rank()) {
      return Wrong(op, absl::StrCat("dimension ", dimension, " of ", type.ToString(), ", giving ",
                                    op.result_types[i].ToString()));
    }
    const Type element = TensorType{type.tensor().dtype, {}};
    elements.insert(elements.end(), {element, element});
  }

  const std::vector<ValueId> pairs = builder.BeginRegion(elements);
  const Type predicate = TensorType{DType::kI1, {}};
  std::vector<Region> regions;
  regions.push_back(builder.EndRegion(builder.AddUnchecked(
      OpKind::kCall, pairs, CallAttributes{std::move(comparator)}, {}, {&predicate, 1})));
  const std::vector<ValueId> inputs(op.operands.begin(), op.operands.begin() + count);
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> sorted,
                          builder.Add(OpKind::kSort, inputs, SortAttributes{dimension, true},
                                      std::move(regions), {}, op.location));
  if (has_k) {
    return TakeFirst(builder, std::move(sorted), dimension, op.operands[2 * count], op.result_types,
                     op.location);
  }
  const int64_t wanted = op.result_types[0].tensor().dims[dimension];
  if (wanted == kDynamicDim) return Wrong(op, "a static k, and a result of dynamic size");
  return TakeFirst(builder, std::move(sorted), dimension, wanted, op.result_types, op.location);
}

}  // namespace acceld::ir

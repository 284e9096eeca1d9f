#include <algorithm>
#include <bit>

#include "common/ir/infer/rules.h"

// Rules of sorts, and of the ops into which the compiler splits large sorts.
namespace acceld::ir {
namespace {

InferResult SortedTypes(const InferContext& context, int64_t dimension) {
  const auto rank = context.operand(0).rank();
  if (dimension < -rank || dimension >= rank) {
    return Refuse("dimension ", dimension, " is outside [", -rank, ", ", rank, ")");
  }
  Dims dims = context.operand(0).dims;
  std::vector<DType> dtypes;
  std::vector<DType> parameters;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const TensorType& input = context.operand(i);
    if (!MayEqual(dims, input.dims)) {
      return Refuse("inputs 0 and ", i, " differ in shape: ", context.operand(0).ToString(),
                    " and ", input.ToString());
    }
    dims = Refined(dims, input.dims);
    dtypes.push_back(input.dtype);
    parameters.insert(parameters.end(), 2, input.dtype);
  }
  ACCELD_RETURN_IF_ERROR(CheckScalarRegion(context.regions[0], parameters, {DType::kI1}));
  return TypesOfShape(dtypes, dims);
}

}  // namespace

InferResult InferSort(const InferContext& context) {
  return SortedTypes(context, context.As<SortAttributes>().dimension);
}

InferResult InferPartialSort(const InferContext& context) {
  const auto& attributes = context.As<PartialSortAttributes>();
  if (attributes.dimension < 0) return Refuse("dimension ", attributes.dimension, " is negative");
  ACCELD_ASSIGN_OR_RETURN(std::vector<Type> types, SortedTypes(context, attributes.dimension));
  for (Type& type : types) {
    TensorType tensor = type.tensor();
    int64_t& size = tensor.dims[attributes.dimension];
    if (attributes.limit < 0 || attributes.limit > size) {
      return Refuse("limit ", attributes.limit, " is outside [0, ", DimText(size), "]");
    }
    size = attributes.limit;
    type = std::move(tensor);
  }
  return types;
}

namespace {

constexpr int64_t kMaxRun = int64_t{1} << 31;

absl::Status CheckPowerOfTwo(absl::string_view what, int64_t value, int64_t most) {
  if (value < 1 || value > most || !std::has_single_bit(static_cast<uint64_t>(value))) {
    return Refuse(what, " ", value, " is no power of two in [1, ", most, "]");
  }
  return absl::OkStatus();
}

absl::Status CheckRows(const TensorType& type) {
  if (type.rank() == 2 && type.IsStatic()) return absl::OkStatus();
  return Refuse("the operand ", type.ToString(), " is not rows of a known size");
}

}  // namespace

InferResult InferSortRuns(const InferContext& context) {
  const auto& attributes = context.As<SortRunsAttributes>();
  ACCELD_RETURN_IF_ERROR(CheckRows(context.operand(0)));
  ACCELD_RETURN_IF_ERROR(CheckPowerOfTwo("run", attributes.run, kMaxRun));
  ACCELD_RETURN_IF_ERROR(CheckPowerOfTwo("piece", attributes.piece, attributes.run));
  if (attributes.keep < 1 || attributes.keep > attributes.run) {
    return Refuse("keep ", attributes.keep, " is outside [1, ", attributes.run, "]");
  }
  ACCELD_ASSIGN_OR_RETURN(std::vector<Type> types, SortedTypes(context, 1));
  for (Type& type : types) {
    TensorType tensor = type.tensor();
    const int64_t size = tensor.dims[1];
    tensor.dims[1] =
        size / attributes.run * attributes.keep + std::min(size % attributes.run, attributes.keep);
    type = std::move(tensor);
  }
  return types;
}

InferResult InferMergeRuns(const InferContext& context) {
  const auto& attributes = context.As<MergeRunsAttributes>();
  ACCELD_RETURN_IF_ERROR(CheckRows(context.operand(0)));
  ACCELD_RETURN_IF_ERROR(CheckPowerOfTwo("run", attributes.run, kMaxRun));
  ACCELD_RETURN_IF_ERROR(CheckPowerOfTwo("piece", attributes.piece, 2 * attributes.run));
  return SortedTypes(context, 1);
}

// The last result has, for each row, digit and tile, the number of elements with this digit in the
// tiles before; for the index after the last tile, the number in the whole row.
InferResult InferDigitSort(const InferContext& context) {
  const auto& attributes = context.As<DigitSortAttributes>();
  const TensorType& keys = context.operand(0);
  ACCELD_RETURN_IF_ERROR(CheckRows(keys));
  if (!IsUnsigned(keys.dtype) || BitsOf(keys.dtype) < 8) {
    return Refuse("the keys ", keys.ToString(), " are not unsigned integers of 8 bits or more");
  }
  if (attributes.tile < 1 || attributes.tile % kDigitSortTile != 0) {
    return Refuse("tile ", attributes.tile, " is no multiple of ", kDigitSortTile);
  }
  if (keys.dims[1] > kMaxRun) return Refuse("rows of ", keys.dims[1], " elements are too long");
  std::vector<Type> types = {keys};
  if (context.operands.size() > 1) {
    const TensorType values{DType::kUI32, keys.dims};
    if (context.operand(1) != values) {
      return Refuse("the values are ", context.operand(1).ToString(), ", not ", values.ToString());
    }
    types.push_back(values);
  }
  const int64_t tiles = (keys.dims[1] + attributes.tile - 1) / attributes.tile;
  types.push_back(TensorType{DType::kUI32, {keys.dims[0], 256, tiles + 1}});
  return types;
}

}  // namespace acceld::ir

#include "common/ir/infer/rules.h"
#include "common/ir/verify/limits.h"

// Rules of ops that exchange values between processes. The groups of processes and their sizes are
// checked when the number of processes is known: processes/verify_processes.h.
namespace acceld::ir {
namespace {

absl::Status CheckMatrix(absl::string_view what, const Literal& matrix) {
  if (matrix.type().rank() == 2 && matrix.type().dtype == DType::kI64) return absl::OkStatus();
  return Refuse(what, " is a ", Type(matrix.type()).ToString(), ", expected a matrix of i64");
}

absl::Status CheckDimension(absl::string_view what, int64_t dimension, const TensorType& type) {
  if (dimension >= 0 && dimension < type.rank()) return absl::OkStatus();
  return Refuse(what, " is ", dimension, ", expected a dimension of ", Type(type).ToString());
}

// Returns the declared type of a result, which must be that of the operand but for the size of
// `dimension`: there the larger one of the two is a multiple of the smaller one.
absl::StatusOr<Type> DeclaredMultiple(const InferContext& context, int i, int64_t dimension,
                                      bool is_larger) {
  TensorType type = context.operand(i);
  if (static_cast<size_t>(i) >= context.declared.size()) {
    return Refuse("the type of result ", i, " must be declared");
  }
  const Type& declared = context.declared[static_cast<size_t>(i)];
  const auto at = static_cast<size_t>(dimension);
  if (!declared.IsTensor() || declared.tensor().rank() != type.rank()) {
    return Refuse("result ", i, " is declared ", declared.ToString(), ", but operand ", i, " is ",
                  Type(type).ToString());
  }
  const int64_t small = is_larger ? type.dims[at] : declared.tensor().dims[at];
  const int64_t large = is_larger ? declared.tensor().dims[at] : type.dims[at];
  const bool is_multiple = small == kDynamicDim || large == kDynamicDim ||
                           (small == 0 ? large == 0 : large % small == 0 && large >= small);
  if (!is_multiple) {
    return Refuse("dimension ", dimension, " of result ", i, " has ",
                  DimText(declared.tensor().dims[at]), " elements, which does not fit the ",
                  DimText(type.dims[at]), " of operand ", i);
  }
  type.dims[at] = declared.tensor().dims[at];
  return Type(std::move(type));
}

// Returns the element type that the region combines values in: that of its two scalar parameters
// and of its result.
absl::StatusOr<DType> CombinedType(const InferContext& context) {
  const InferContext::RegionSignature& region = context.regions[0];
  const bool has_result = region.results.size() == 1 && region.results[0].IsTensor();
  if (!has_result) return Refuse("its region gives (", ToString(region.results), "), not a scalar");
  const DType dtype = region.results[0].tensor().dtype;
  ACCELD_RETURN_IF_ERROR(CheckScalarRegion(region, {dtype, dtype}, {dtype}));
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const DType operand = context.operand(static_cast<int>(i)).dtype;
    const bool may_promote = ClassOf(operand) == ClassOf(dtype) && BitsOf(operand) <= BitsOf(dtype);
    if (!may_promote) {
      return Refuse("operand ", i, " is ", context.operands[i].ToString(),
                    ", which is not promoted to ", DTypeName(dtype));
    }
  }
  return dtype;
}

// Returns the types of the first `count` operands with another element type.
std::vector<Type> OperandsAs(const InferContext& context, DType dtype, size_t count) {
  std::vector<Type> types;
  for (size_t i = 0; i < count; ++i) {
    TensorType type = context.operand(static_cast<int>(i));
    type.dtype = dtype;
    types.emplace_back(std::move(type));
  }
  return types;
}

// Checks the last operand of an op with a dynamic root: an integer for each group. Returns the
// number of operands without it.
absl::StatusOr<size_t> OperandsWithoutRoot(const InferContext& context, bool has_root) {
  const size_t count = context.operands.size();
  if (!has_root) return count;
  if (count < 2) return Refuse("it has no operand besides its root");
  const TensorType& root = context.operand(static_cast<int>(count) - 1);
  if (!IsInteger(root.dtype) || root.rank() > 1) {
    return Refuse("the root is a ", Type(root).ToString(), ", expected a vector of integers");
  }
  return count - 1;
}

}  // namespace

InferResult InferAllGather(const InferContext& context) {
  const auto& attributes = context.As<AllGatherAttributes>();
  ACCELD_RETURN_IF_ERROR(CheckMatrix("replica_groups", attributes.replica_groups));
  std::vector<Type> results;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const auto number = static_cast<int>(i);
    ACCELD_RETURN_IF_ERROR(
        CheckDimension("all_gather_dim", attributes.all_gather_dim, context.operand(number)));
    ACCELD_ASSIGN_OR_RETURN(results.emplace_back(),
                            DeclaredMultiple(context, number, attributes.all_gather_dim, true));
  }
  return results;
}

InferResult InferAllReduce(const InferContext& context) {
  ACCELD_RETURN_IF_ERROR(
      CheckMatrix("replica_groups", context.As<AllReduceAttributes>().replica_groups));
  ACCELD_ASSIGN_OR_RETURN(const DType dtype, CombinedType(context));
  return OperandsAs(context, dtype, context.operands.size());
}

InferResult InferAllToAll(const InferContext& context) {
  const auto& attributes = context.As<AllToAllAttributes>();
  ACCELD_RETURN_IF_ERROR(CheckMatrix("replica_groups", attributes.replica_groups));
  if (attributes.split_count < 1) {
    return Refuse("split_count is ", attributes.split_count, ", expected at least 1");
  }
  std::vector<Type> results;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    TensorType type = context.operand(static_cast<int>(i));
    ACCELD_RETURN_IF_ERROR(CheckDimension("split_dimension", attributes.split_dimension, type));
    ACCELD_RETURN_IF_ERROR(CheckDimension("concat_dimension", attributes.concat_dimension, type));
    int64_t& split = type.dims[static_cast<size_t>(attributes.split_dimension)];
    if (split != kDynamicDim) {
      if (split % attributes.split_count != 0) {
        return Refuse("dimension ", attributes.split_dimension, " of operand ", i, " has ", split,
                      " elements, which are not divisible by split_count ", attributes.split_count);
      }
      split /= attributes.split_count;
    }
    int64_t& concat = type.dims[static_cast<size_t>(attributes.concat_dimension)];
    if (concat != kDynamicDim) {
      if (concat > limits::kMaxTensorBytes / attributes.split_count) {
        return Refuse("dimension ", attributes.concat_dimension, " of result ", i, " is too large");
      }
      concat *= attributes.split_count;
    }
    results.emplace_back(std::move(type));
  }
  return results;
}

InferResult InferCollectiveBroadcast(const InferContext& context) {
  const auto& attributes = context.As<CollectiveBroadcastAttributes>();
  ACCELD_RETURN_IF_ERROR(CheckMatrix("replica_groups", attributes.replica_groups));
  ACCELD_ASSIGN_OR_RETURN(const size_t count,
                          OperandsWithoutRoot(context, attributes.has_dynamic_root));
  return std::vector<Type>(context.operands.begin(),
                           context.operands.begin() + static_cast<int64_t>(count));
}

InferResult InferCollectivePermute(const InferContext& context) {
  ACCELD_RETURN_IF_ERROR(CheckMatrix(
      "source_target_pairs", context.As<CollectivePermuteAttributes>().source_target_pairs));
  return std::vector<Type>{context.operands[0]};
}

InferResult InferCollectiveReduce(const InferContext& context) {
  const auto& attributes = context.As<CollectiveReduceAttributes>();
  ACCELD_RETURN_IF_ERROR(CheckMatrix("replica_groups", attributes.replica_groups));
  ACCELD_ASSIGN_OR_RETURN(const size_t count,
                          OperandsWithoutRoot(context, attributes.has_dynamic_root));
  const InferContext values{context.kind, context.attributes, context.operands.subspan(0, count),
                            context.regions, context.declared};
  ACCELD_ASSIGN_OR_RETURN(const DType dtype, CombinedType(values));
  return OperandsAs(context, dtype, count);
}

InferResult InferProcessNumber(const InferContext&) {
  return std::vector<Type>{TensorType{DType::kUI32, {}}};
}

InferResult InferReduceScatter(const InferContext& context) {
  const auto& attributes = context.As<ReduceScatterAttributes>();
  ACCELD_RETURN_IF_ERROR(CheckMatrix("replica_groups", attributes.replica_groups));
  ACCELD_ASSIGN_OR_RETURN(const DType dtype, CombinedType(context));
  ACCELD_RETURN_IF_ERROR(
      CheckDimension("scatter_dimension", attributes.scatter_dimension, context.operand(0)));
  ACCELD_ASSIGN_OR_RETURN(const Type shard,
                          DeclaredMultiple(context, 0, attributes.scatter_dimension, false));
  TensorType type = shard.tensor();
  type.dtype = dtype;
  return std::vector<Type>{std::move(type)};
}

}  // namespace acceld::ir

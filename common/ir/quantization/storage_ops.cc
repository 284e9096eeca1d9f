#include "common/ir/quantization/storage_ops.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_dictionary.h"
#include "common/ir/infer/rules.h"
#include "common/ir/quantization/quantized_types.h"

namespace acceld::ir {
namespace {

// Whether this is an op without a kind in ops.def that returns its operands.
bool IsMove(absl::string_view name) { return name == "stablehlo.broadcast"; }

// Adds the different quantizations of these types, in their order.
void Collect(absl::Span<const Type> types, std::vector<Quantization>& all) {
  for (const Type& type : types) {
    Collect(type.elements(), all);
    if (!type.IsQuantized()) continue;
    if (std::find(all.begin(), all.end(), type.quantization()) == all.end()) {
      all.push_back(type.quantization());
    }
  }
}

std::vector<Quantization> QuantizationsOf(const TypedOp& typed) {
  std::vector<Quantization> all;
  Collect(typed.operands, all);
  Collect(typed.results(), all);
  for (const InferContext::RegionSignature& region : typed.regions) {
    Collect(region.parameters, all);
    Collect(region.results, all);
  }
  return all;
}

absl::Status Disagreement(const TypedOp& typed) {
  return Refuse("op '", typed.op.name, "': the quantized types of (", ToString(typed.operands),
                ") -> (", ToString(typed.results()), ") do not go together");
}

// Replaces each quantization by an element type of its own, so that the op's inference rule checks
// which quantizations must be equal.
class PlaceholderTypes {
 public:
  explicit PlaceholderTypes(std::vector<Quantization> quantizations)
      : quantizations_(std::move(quantizations)) {}

  static constexpr DType kDTypes[] = {
      DType::kF8E3M4,
      DType::kF8E4M3,
      DType::kF8E4M3FN,
      DType::kF8E4M3FNUZ,
      DType::kF8E4M3B11FNUZ,
      DType::kF8E5M2,
      DType::kF8E5M2FNUZ,
      DType::kF8E8M0FNU,
      DType::kI2,
      DType::kUI2,
      DType::kI4,
      DType::kUI4,
  };

  std::vector<Type> operator()(absl::Span<const Type> types) const {
    std::vector<Type> all;
    for (const Type& type : types) all.push_back((*this)(type));
    return all;
  }

 private:
  Type operator()(const Type& type) const {
    if (type.kind() == Type::Kind::kTuple) return Type::Tuple((*this)(type.elements()));
    if (!type.IsQuantized()) return type;
    const auto at = std::find(quantizations_.begin(), quantizations_.end(), type.quantization());
    return TensorType{kDTypes[at - quantizations_.begin()], type.tensor().dims};
  }

  std::vector<Quantization> quantizations_;
};

absl::Status CheckByRule(const TypedOp& typed, OpKind kind, const OpAttributes& attributes) {
  std::vector<Quantization> quantizations = QuantizationsOf(typed);
  if (quantizations.size() > std::size(PlaceholderTypes::kDTypes)) {
    return absl::UnimplementedError(absl::StrCat("op '", typed.op.name, "': ", quantizations.size(),
                                                 " different quantizations, more than ",
                                                 std::size(PlaceholderTypes::kDTypes)));
  }
  const PlaceholderTypes stand_ins(std::move(quantizations));
  const std::vector<Type> operands = stand_ins(typed.operands);
  const std::vector<Type> results = stand_ins(typed.results());
  std::vector<InferContext::RegionSignature> regions;
  for (const InferContext::RegionSignature& region : typed.regions) {
    regions.push_back({stand_ins(region.parameters), stand_ins(region.results)});
  }
  const auto inferred = InferResultTypes({kind, attributes, operands, regions, results});
  if (!inferred.ok() || !CheckDeclaredTypes(kind, results, *inferred).ok()) {
    return Disagreement(typed);
  }
  return absl::OkStatus();
}

// Whether a reshape leaves dimension `a` of `from` as dimension `b` of `to`.
bool SurvivesReshape(const Dims& from, int64_t a, const Dims& to, int64_t b) {
  if (from[a] != to[b]) return false;
  const auto elements_before = [](const Dims& dims, int64_t end) {
    int64_t count = 1;
    for (int64_t d = 0; d < end; ++d)
      count = dims[d] == kDynamicDim ? kDynamicDim : count * dims[d];
    return count;
  };
  const auto has_dynamic = [](const Dims& dims) {
    return std::find(dims.begin(), dims.end(), kDynamicDim) != dims.end();
  };
  if (has_dynamic(from) || has_dynamic(to)) return true;  // it cannot be checked
  return elements_before(from, a) == elements_before(to, b);
}

// Checks ops that move the dimensions of their first operand: the axis must move with them.
absl::Status CheckAxis(const TypedOp& typed, OpKind kind, const OpAttributes& attributes) {
  if (typed.operands.empty() || typed.results().empty() || !typed.operands[0].IsQuantized() ||
      !typed.results()[0].IsQuantized()) {
    return Disagreement(typed);
  }
  Quantization from = typed.operands[0].quantization();
  const Quantization& to = typed.results()[0].quantization();
  if (!from.axis.has_value() || !to.axis.has_value()) {
    return from == to ? absl::OkStatus() : Disagreement(typed);
  }
  const Dims& from_dims = typed.operands[0].tensor().dims;
  const Dims& to_dims = typed.results()[0].tensor().dims;
  const int64_t axis = *from.axis;
  bool fits = false;
  // Lists of another length are refused later, by the op's rule.
  const auto broadcasts_to = [&](const std::vector<int64_t>& dimensions) {
    if (dimensions.size() != from_dims.size()) return true;
    if (from_dims[axis] == 1) {
      from.scales.resize(to.scales.size(), from.scales[0]);
      from.zero_points.resize(to.zero_points.size(), from.zero_points[0]);
    }
    return dimensions[axis] == *to.axis;
  };
  switch (kind) {
    case OpKind::kTranspose: {
      const auto& permutation = std::get<TransposeAttributes>(attributes).permutation;
      fits = permutation.size() != to_dims.size() || permutation[*to.axis] == axis;
      break;
    }
    case OpKind::kBroadcastInDim:
      fits = broadcasts_to(std::get<BroadcastInDimAttributes>(attributes).broadcast_dimensions);
      break;
    case OpKind::kDynamicBroadcastInDim:
      fits =
          broadcasts_to(std::get<DynamicBroadcastInDimAttributes>(attributes).broadcast_dimensions);
      break;
    default:
      fits = SurvivesReshape(from_dims, axis, to_dims, *to.axis);
  }
  from.axis = to.axis;
  return fits && from == to ? absl::OkStatus() : Disagreement(typed);
}

}  // namespace

bool RunsOnStorage(const TypedOp& typed) {
  const absl::optional<OpKind> kind = FindOp(typed.op.name);
  if (!kind.has_value()) return IsMove(typed.op.name);
  switch (*kind) {
    case OpKind::kDynamicConv:
    case OpKind::kDynamicIota:
    case OpKind::kIota:
      return false;
    case OpKind::kMap:
    case OpKind::kTorchIndexSelect:
      return true;
    case OpKind::kClamp:
    case OpKind::kCompare:
    case OpKind::kMaximum:
    case OpKind::kMinimum:
    case OpKind::kSelect: {
      // Integers with the same scale have the same order as the real numbers that they represent.
      const std::vector<Quantization> quantizations = QuantizationsOf(typed);
      const auto is_real = [](const Type& type) {
        return type.IsTensor() && IsFloat(type.tensor().dtype);
      };
      return quantizations.size() == 1 && !quantizations[0].axis.has_value() &&
             std::none_of(typed.operands.begin(), typed.operands.end(), is_real) &&
             std::none_of(typed.results().begin(), typed.results().end(), is_real);
    }
    case OpKind::kCollectivePermute:
      // It may make zeros, and the stored integer 0 may stand for another number.
      return false;
    default:
      break;
  }
  switch (FamilyOf(*kind)) {
    case OpFamily::kIndexing:
    case OpFamily::kNest:
    case OpFamily::kDynamic:
    case OpFamily::kCollective:
    case OpFamily::kSharding:
    case OpFamily::kStructure:
      return true;
    case OpFamily::kElementwise:
    case OpFamily::kContraction:
    case OpFamily::kRoutine:
    case OpFamily::kDerived:
      return false;
  }
  return false;
}

absl::Status CheckQuantizations(const TypedOp& typed) {
  const absl::optional<OpKind> kind = FindOp(typed.op.name);
  if (!kind.has_value()) {
    return QuantizationsOf(typed).size() == 1 ? absl::OkStatus() : Disagreement(typed);
  }
  ACCELD_ASSIGN_OR_RETURN(const OpAttributes attributes,
                          FromDictionary(*kind, typed.op.attributes));
  switch (*kind) {
    case OpKind::kBitcastConvert:
    case OpKind::kConstant:    // of the integers
    case OpKind::kCall:        // the callee may be unknown yet
    case OpKind::kComposite:   // the same
    case OpKind::kCustomCall:  // gets the stored integers
    case OpKind::kGetDimensionSize:
      return absl::OkStatus();
    case OpKind::kBroadcastInDim:
    case OpKind::kDynamicBroadcastInDim:
    case OpKind::kDynamicReshape:
    case OpKind::kReshape:
    case OpKind::kTranspose:
      return CheckAxis(typed, *kind, attributes);
    default:
      break;
  }
  if (FamilyOf(*kind) != OpFamily::kStructure) {
    for (const Quantization& quantization : QuantizationsOf(typed)) {
      if (!quantization.axis.has_value()) continue;
      return Refuse("op '", typed.op.name, "' is not defined for ", quantization.ToString(),
                    ", which has scales for each index of a dimension");
    }
  }
  return CheckByRule(typed, *kind, attributes);
}

}  // namespace acceld::ir

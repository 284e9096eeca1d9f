#include "kernels/ir/collective.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace acceld::kernels {
namespace {

using Kind = Collective::Kind;
using Combiner = Collective::Combiner;

const char* CombinerName(Combiner combiner) {
  switch (combiner) {
    case Combiner::kAdd:
      return "add";
    case Combiner::kMultiply:
      return "multiply";
    case Combiner::kMinimum:
      return "minimum";
    case Combiner::kMaximum:
      return "maximum";
    case Combiner::kAnd:
      return "and";
    case Combiner::kOr:
      return "or";
    case Combiner::kXor:
      return "xor";
  }
  return "";
}

std::string FactorText(const Collective& collective) {
  return collective.factor.has_value() ? absl::StrCat(" * ", *collective.factor) : "";
}

// Returns the fields that only some kinds have: " add * 0.5 dim=1".
std::string ParametersText(const Collective& collective) {
  switch (collective.kind) {
    case Kind::kAllGather:
      return absl::StrCat(" dim=", collective.dimension);
    case Kind::kAllReduce:
      return absl::StrCat(" ", CombinerName(collective.combiner), FactorText(collective));
    case Kind::kAllToAll:
      return absl::StrCat(" split=", collective.dimension, " concat=", collective.concat_dimension);
    case Kind::kBroadcast:
    case Kind::kPermute:
      return "";
    case Kind::kReduceScatter:
      return absl::StrCat(" ", CombinerName(collective.combiner), FactorText(collective),
                          " dim=", collective.dimension);
  }
  return "";
}

std::string TypeList(const std::vector<ir::TensorType>& types) {
  return absl::StrJoin(types, ", ", [](std::string* out, const ir::TensorType& type) {
    absl::StrAppend(out, type.ToString());
  });
}

// Checks collectives. Its functions return what is wrong; Run adds the name of the op.
class Checker {
 public:
  explicit Checker(const Collective& collective) : collective_(collective) {}

  absl::Status Run() const {
    ACCELD_RETURN_IF_ERROR(CheckGroups());
    if (collective_.operands.size() != collective_.results.size()) {
      return Refuse(collective_.operands.size(), " operands, but ", collective_.results.size(),
                    " results");
    }
    const bool is_reduction =
        collective_.kind == Kind::kAllReduce || collective_.kind == Kind::kReduceScatter;
    if (collective_.factor.has_value() && !is_reduction) return Refuse("it has a factor");
    for (size_t i = 0; i < collective_.operands.size(); ++i) {
      ACCELD_RETURN_IF_ERROR(CheckResult(collective_.operands[i], collective_.results[i]));
    }
    return absl::OkStatus();
  }

 private:
  template <typename... Parts>
  absl::Status Refuse(const Parts&... parts) const {
    return absl::InvalidArgumentError(absl::StrCat(NameOf(collective_.kind), ": ", parts...));
  }

  absl::Status CheckGroups() const {
    if (collective_.kind == Kind::kPermute) return CheckPairs();
    absl::flat_hash_set<int64_t> seen;
    for (const std::vector<int64_t>& group : collective_.groups) {
      if (group.empty()) return Refuse("a group without members");
      for (const int64_t member : group) ACCELD_RETURN_IF_ERROR(CheckNew(member, seen));
      if (NeedsEqualSizes() && group.size() != collective_.groups[0].size()) {
        return Refuse("groups of ", collective_.groups[0].size(), " and of ", group.size(),
                      " members");
      }
    }
    if (collective_.groups.empty() && collective_.kind != Kind::kBroadcast) {
      return Refuse("it has no groups");
    }
    return absl::OkStatus();
  }

  absl::Status CheckPairs() const {
    absl::flat_hash_set<int64_t> sources, targets;
    for (const std::vector<int64_t>& pair : collective_.groups) {
      if (pair.size() != 2) return Refuse("a pair of ", pair.size(), " members");
      ACCELD_RETURN_IF_ERROR(CheckNew(pair[0], sources));
      ACCELD_RETURN_IF_ERROR(CheckNew(pair[1], targets));
    }
    return absl::OkStatus();
  }

  absl::Status CheckNew(int64_t member, absl::flat_hash_set<int64_t>& seen) const {
    if (member < 0) return Refuse("member ", member);
    if (!seen.insert(member).second) return Refuse("member ", member, " stands twice");
    return absl::OkStatus();
  }

  bool NeedsEqualSizes() const {
    return collective_.kind == Kind::kAllGather || collective_.kind == Kind::kAllToAll ||
           collective_.kind == Kind::kReduceScatter;
  }

  absl::Status CheckResult(const ir::TensorType& operand, const ir::TensorType& result) const {
    for (const ir::TensorType* type : {&operand, &result}) {
      if (!type->IsStatic()) return Refuse("a ", type->ToString());
      ACCELD_RETURN_IF_ERROR(ir::ValidateType(*type));
    }
    switch (collective_.kind) {
      case Kind::kAllGather:
        return CheckWhole(operand, result);
      case Kind::kAllReduce:
        ACCELD_RETURN_IF_ERROR(CheckCombiner(operand.dtype));
        return CheckSame(operand, result);
      case Kind::kAllToAll:
        return CheckParts(operand, result);
      case Kind::kBroadcast:
      case Kind::kPermute:
        return CheckSame(operand, result);
      case Kind::kReduceScatter:
        ACCELD_RETURN_IF_ERROR(CheckCombiner(operand.dtype));
        return CheckWhole(result, operand);
    }
    return absl::OkStatus();
  }

  absl::Status CheckCombiner(ir::DType dtype) const {
    if (!CanCombine(collective_.combiner, dtype)) {
      return Refuse(CombinerName(collective_.combiner), " of ", ir::DTypeName(dtype));
    }
    if (collective_.factor.has_value() && !CanScale(dtype)) {
      return Refuse("a factor for ", ir::DTypeName(dtype));
    }
    return absl::OkStatus();
  }

  absl::Status CheckSame(const ir::TensorType& operand, const ir::TensorType& result) const {
    if (operand == result) return absl::OkStatus();
    return Refuse(result.ToString(), " from ", operand.ToString());
  }

  absl::Status CheckDimension(int64_t dimension, const ir::TensorType& type) const {
    if (dimension >= 0 && dimension < type.rank()) return absl::OkStatus();
    return Refuse("dimension ", dimension, " of ", type.ToString());
  }

  // Checks that `whole` consists of as many parts of the type `part` as a group has members.
  absl::Status CheckWhole(const ir::TensorType& part, const ir::TensorType& whole) const {
    ACCELD_RETURN_IF_ERROR(CheckDimension(collective_.dimension, part));
    ir::TensorType expected = part;
    expected.dims[Dimension()] *= GroupSize();
    if (whole == expected) return absl::OkStatus();
    return Refuse(whole.ToString(), " of ", GroupSize(), " parts ", part.ToString());
  }

  absl::Status CheckParts(const ir::TensorType& operand, const ir::TensorType& result) const {
    ACCELD_RETURN_IF_ERROR(CheckDimension(collective_.dimension, operand));
    ACCELD_RETURN_IF_ERROR(CheckDimension(collective_.concat_dimension, operand));
    ir::TensorType expected = operand;
    if (expected.dims[Dimension()] % GroupSize() != 0) {
      return Refuse(operand.ToString(), " in ", GroupSize(), " parts");
    }
    expected.dims[Dimension()] /= GroupSize();
    expected.dims[static_cast<size_t>(collective_.concat_dimension)] *= GroupSize();
    if (result == expected) return absl::OkStatus();
    return Refuse(result.ToString(), " of ", GroupSize(), " parts of ", operand.ToString());
  }

  size_t Dimension() const { return static_cast<size_t>(collective_.dimension); }
  int64_t GroupSize() const { return static_cast<int64_t>(collective_.groups[0].size()); }

  const Collective& collective_;
};

}  // namespace

const char* NameOf(Kind kind) {
  switch (kind) {
    case Kind::kAllGather:
      return "all_gather";
    case Kind::kAllReduce:
      return "all_reduce";
    case Kind::kAllToAll:
      return "all_to_all";
    case Kind::kBroadcast:
      return "collective_broadcast";
    case Kind::kPermute:
      return "collective_permute";
    case Kind::kReduceScatter:
      return "reduce_scatter";
  }
  return "";
}

std::string ToString(const Collective& collective) {
  std::string text = absl::StrCat(NameOf(collective.kind), ParametersText(collective));
  for (const std::vector<int64_t>& group : collective.groups) {
    absl::StrAppend(&text, " {", absl::StrJoin(group, ", "), "}");
  }
  absl::StrAppend(&text, " (", TypeList(collective.operands), ") -> (",
                  TypeList(collective.results), ")");
  return text;
}

bool CanCombine(Combiner combiner, ir::DType dtype) {
  switch (combiner) {
    case Combiner::kAdd:
      return true;
    case Combiner::kMultiply:
    case Combiner::kMinimum:
    case Combiner::kMaximum:
      return !ir::IsComplex(dtype);
    case Combiner::kAnd:
    case Combiner::kOr:
    case Combiner::kXor:
      return dtype == ir::DType::kI1 || ir::IsInteger(dtype);
  }
  return false;
}

bool CanScale(ir::DType dtype) {
  return dtype == ir::DType::kF16 || dtype == ir::DType::kBF16 || dtype == ir::DType::kF32 ||
         dtype == ir::DType::kF64;
}

absl::Status CheckCollective(const Collective& collective) { return Checker(collective).Run(); }

}  // namespace acceld::kernels

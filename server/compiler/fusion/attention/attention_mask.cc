#include "server/compiler/fusion/attention/attention_mask.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "absl/types/optional.h"
#include "common/ir/types/element.h"
#include "server/compiler/fusion/cost.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;
using Terms = std::vector<MaskTerm>;

constexpr int kMaxDepth = 24;
// The most terms, and the most terms that read a tensor. A mask that needs more is computed before
// the attention and becomes one term.
constexpr size_t kMaxTerms = 4, kMaxValues = 2;
// The most ops that are visited: the number of paths to a value can be exponential.
constexpr int kMaxVisits = 512;
// The largest position, constant or sum of them that is analyzed, so that nothing overflows.
constexpr int64_t kMaxPosition = int64_t{1} << 30;

class Reader {
 public:
  Reader(const RegionGraph& graph, std::vector<OpIndex>& used) : graph_(graph), used_(used) {}

  Terms Read(ir::ValueId mask, bool on_when, int depth) {
    const size_t before = used_.size();
    absl::optional<Terms> terms =
        depth < kMaxDepth ? LookInto(mask, on_when, depth) : absl::nullopt;
    if (terms.has_value() && terms->size() <= kMaxTerms &&
        static_cast<size_t>(std::count_if(terms->begin(), terms->end(), [](const MaskTerm& term) {
          return !term.is_affine;
        })) <= kMaxValues) {
      return *std::move(terms);
    }
    used_.resize(before);
    return {
        {.view = RowMajorView(graph_.function().TensorOf(mask)), .base = mask, .on_when = on_when}};
  }

 private:
  const ir::TensorType& TypeOf(ir::ValueId id) const { return graph_.function().TensorOf(id); }

  const ir::Op* Take(ir::ValueId id) {
    const OpIndex definition = graph_.DefinitionOf(id);
    if (definition == kNoOp || ++visits_ > kMaxVisits) return nullptr;
    used_.push_back(definition);
    return &graph_.ops()[definition];
  }

  // Returns the number that all elements of the value equal, if that is known.
  absl::optional<double> Splat(ir::ValueId id) {
    const size_t before = used_.size();
    while (const ir::Op* op = Take(id)) {
      if (op->kind == OpKind::kReshape || op->kind == OpKind::kBroadcastInDim) {
        id = op->operands[0];
        continue;
      }
      if (!IsInlineConstant(*op)) break;
      const ir::Literal& literal = op->As<ir::ConstantAttributes>().value;
      const ir::DType dtype = literal.type().dtype;
      if (ir::IsFloat(dtype)) return ir::ReadFloat(dtype, literal.bytes().data(), 0);
      if (dtype == ir::DType::kI1 || ir::IsInteger(dtype)) {
        const int64_t number = ir::ReadInt(dtype, literal.bytes().data(), 0);
        // Larger numbers may not be exact as a double, and ui64 may not fit an i64.
        if (number >= (ir::IsSigned(dtype) ? -kMaxPosition : 0) && number <= kMaxPosition) {
          return static_cast<double>(number);
        }
      }
      break;
    }
    used_.resize(before);
    return absl::nullopt;
  }

  absl::optional<Terms> LookInto(ir::ValueId mask, bool on_when, int depth) {
    if (const absl::optional<double> all = Splat(mask); all.has_value()) {
      if ((*all != 0) != on_when) return absl::nullopt;
      return Terms();
    }
    const ir::Op* const op = Take(mask);
    if (op == nullptr) return absl::nullopt;
    switch (op->kind) {
      case OpKind::kReshape:
      case OpKind::kTranspose:
      case OpKind::kSlice:
      case OpKind::kBroadcastInDim: {
        Terms terms = Read(op->operands[0], on_when, depth + 1);
        for (MaskTerm& term : terms) {
          absl::optional<View> view = ViewThrough(graph_.function(), *op, term.view);
          if (!view.has_value()) return absl::nullopt;
          term.view = *std::move(view);
        }
        return terms;
      }
      case OpKind::kNot:
        return Read(op->operands[0], !on_when, depth + 1);
      case OpKind::kAnd:
      case OpKind::kOr:
        if (on_when != (op->kind == OpKind::kAnd)) return absl::nullopt;
        return Both(*op, on_when, depth);
      case OpKind::kSelect:
        return Selected(*op, on_when, depth);
      case OpKind::kCompare:
        return Compared(*op, on_when, depth);
      default:
        return absl::nullopt;
    }
  }

  Terms Both(const ir::Op& op, bool on_when, int depth) {
    Terms terms = Read(op.operands[0], on_when, depth + 1);
    for (MaskTerm& term : Read(op.operands[1], on_when, depth + 1)) {
      terms.push_back(std::move(term));
    }
    return terms;
  }

  // With `on_when`, reads select(a, b, false) as a and b; otherwise select(a, true, false) as a.
  absl::optional<Terms> Selected(const ir::Op& op, bool on_when, int depth) {
    const absl::optional<double> otherwise = Splat(op.operands[2]);
    if (TypeOf(op.operands[0]).dims != TypeOf(op.results[0]).dims || !otherwise.has_value() ||
        *otherwise != 0) {
      return absl::nullopt;
    }
    if (on_when) {
      Terms terms = Read(op.operands[0], true, depth + 1);
      for (MaskTerm& term : Read(op.operands[1], true, depth + 1)) terms.push_back(std::move(term));
      return terms;
    }
    const absl::optional<double> then = Splat(op.operands[1]);
    if (!then.has_value() || *then == 0) return absl::nullopt;
    return Read(op.operands[0], false, depth + 1);
  }

  absl::optional<Terms> Compared(const ir::Op& op, bool on_when, int depth) {
    using ir::ComparisonDirection;
    const ComparisonDirection direction = op.As<ir::CompareAttributes>().comparison_direction;
    if (absl::optional<Terms> chosen = ComparedChoice(op, direction, on_when, depth)) return chosen;
    const absl::optional<View> left = Positions(op.operands[0], depth);
    if (!left.has_value()) return absl::nullopt;
    const absl::optional<View> right = Positions(op.operands[1], depth);
    if (!right.has_value()) return absl::nullopt;
    MaskTerm term{.is_affine = true};
    absl::optional<View> difference;
    switch (direction) {
      case ComparisonDirection::kEq:
      case ComparisonDirection::kNe:
        return absl::nullopt;
      case ComparisonDirection::kGe:
        difference = on_when ? Sum(*left, *right, -1, 0) : Sum(*right, *left, -1, -1);
        break;
      case ComparisonDirection::kGt:
        difference = on_when ? Sum(*left, *right, -1, -1) : Sum(*right, *left, -1, 0);
        break;
      case ComparisonDirection::kLe:
        difference = on_when ? Sum(*right, *left, -1, 0) : Sum(*left, *right, -1, -1);
        break;
      case ComparisonDirection::kLt:
        difference = on_when ? Sum(*right, *left, -1, -1) : Sum(*left, *right, -1, 0);
        break;
    }
    if (!difference.has_value()) return absl::nullopt;
    term.view = *std::move(difference);
    return Terms{std::move(term)};
  }

  static bool Holds(double left, ir::ComparisonDirection direction, double right) {
    switch (direction) {
      case ir::ComparisonDirection::kEq:
        return left == right;
      case ir::ComparisonDirection::kNe:
        return left != right;
      case ir::ComparisonDirection::kGe:
        return left >= right;
      case ir::ComparisonDirection::kGt:
        return left > right;
      case ir::ComparisonDirection::kLe:
        return left <= right;
      case ir::ComparisonDirection::kLt:
        return left < right;
    }
    return false;
  }

  // Reads a comparison of select(a, x, y), where x and y are constants, or of an i1 converted to a
  // number, with a constant: its outcome is a or not a, unless it is the same for both.
  absl::optional<Terms> ComparedChoice(const ir::Op& op, ir::ComparisonDirection direction,
                                       bool on_when, int depth) {
    // The total order distinguishes -0 from +0 and orders NaN; Holds does neither.
    if (op.As<ir::CompareAttributes>().compare_type == ir::ComparisonType::kTotalOrder) {
      return absl::nullopt;
    }
    const size_t before = used_.size();
    const absl::optional<double> bound = Splat(op.operands[1]);
    const ir::Op* const choice = bound.has_value() ? Take(op.operands[0]) : nullptr;
    absl::optional<double> then, otherwise;
    if (choice != nullptr && choice->kind == OpKind::kSelect &&
        TypeOf(choice->operands[0]).dims == TypeOf(choice->results[0]).dims) {
      then = Splat(choice->operands[1]);
      otherwise = Splat(choice->operands[2]);
    } else if (choice != nullptr && choice->kind == OpKind::kConvert &&
               TypeOf(choice->operands[0]).dtype == ir::DType::kI1) {
      then = 1;
      otherwise = 0;
    }
    if (then.has_value() && otherwise.has_value()) {
      const bool if_true = Holds(*then, direction, *bound);
      if (if_true != Holds(*otherwise, direction, *bound)) {
        return Read(choice->operands[0], if_true == on_when, depth + 1);
      }
    }
    used_.resize(before);
    return absl::nullopt;
  }

  // Reads an integer tensor whose elements are an affine function of the index. The offset and the
  // strides of the returned view are the constant and the coefficients of that function.
  absl::optional<View> Positions(ir::ValueId id, int depth) {
    const ir::TensorType& type = TypeOf(id);
    if ((type.dtype != ir::DType::kI32 && type.dtype != ir::DType::kI64) || depth >= kMaxDepth) {
      return absl::nullopt;
    }
    if (const absl::optional<double> all = Splat(id); all.has_value()) {
      View view = StridedView(type.dims, std::vector<int64_t>(type.dims.size(), 0));
      view.offset = static_cast<int64_t>(*all);
      return view;
    }
    const ir::Op* const op = Take(id);
    if (op == nullptr) return absl::nullopt;
    switch (op->kind) {
      case OpKind::kIota: {
        const int64_t dim = op->As<ir::IotaAttributes>().iota_dimension;
        std::vector<int64_t> strides(type.dims.size(), 0);
        strides[static_cast<size_t>(dim)] = 1;
        if (type.dims[dim] > kMaxPosition) return absl::nullopt;
        return StridedView(type.dims, strides);
      }
      case OpKind::kAdd:
      case OpKind::kSubtract: {
        const absl::optional<View> left = Positions(op->operands[0], depth + 1);
        if (!left.has_value()) return absl::nullopt;
        const absl::optional<View> right = Positions(op->operands[1], depth + 1);
        if (!right.has_value()) return absl::nullopt;
        return Sum(*left, *right, op->kind == OpKind::kAdd ? 1 : -1, 0);
      }
      case OpKind::kReshape:
      case OpKind::kTranspose:
      case OpKind::kSlice:
      case OpKind::kBroadcastInDim: {
        const absl::optional<View> operand = Positions(op->operands[0], depth + 1);
        if (!operand.has_value()) return absl::nullopt;
        return ViewThrough(graph_.function(), *op, *operand);
      }
      default:
        return absl::nullopt;
    }
  }

  // Returns a + sign * b + constant, or nullopt if an element could exceed kMaxPosition.
  static absl::optional<View> Sum(const View& a, const View& b, int64_t sign, int64_t constant) {
    View sum{.offset = a.offset + sign * b.offset + constant};
    int64_t largest = std::abs(sum.offset);
    if (largest > kMaxPosition) return absl::nullopt;
    for (size_t d = 0; d < a.dims.size(); ++d) {
      if (a.dims[d].size() != b.dims[d].size()) return absl::nullopt;
      auto& digits = sum.dims.emplace_back();
      for (size_t i = 0; i < a.dims[d].size(); ++i) {
        const View::Digit x = a.dims[d][i], y = b.dims[d][i];
        const int64_t stride = x.stride + sign * y.stride;
        if (x.size != y.size || std::abs(stride) > kMaxPosition / x.size) return absl::nullopt;
        largest += std::abs(stride) * x.size;
        if (largest > kMaxPosition) return absl::nullopt;
        digits.push_back({x.size, stride});
      }
    }
    return sum;
  }

  const RegionGraph& graph_;
  std::vector<OpIndex>& used_;
  int visits_ = 0;
};

}  // namespace

std::vector<MaskTerm> ReadMask(const RegionGraph& graph, ir::ValueId mask, bool on_when,
                               std::vector<OpIndex>& used) {
  return Reader(graph, used).Read(mask, on_when, 0);
}

}  // namespace acceld::compiler

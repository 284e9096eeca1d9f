// Derivatives of updates of parts of a tensor.

#include "common/ir/transform/derivation.h"
#include "common/ir/transform/reducer.h"
#include "common/ir/transform/scatter_gather.h"

namespace acceld::ir {
namespace {

// One of the tensors that a scatter updates. Operands are the tensors, indices, updates.
class Updated {
 public:
  Updated(Derivation& d, size_t number)
      : d_(d),
        number_(number),
        num_tensors_(d.op().results.size()),
        update_(num_tensors_ + 1 + number),
        type_(d.operand_type(number)),
        attributes_(d.As<ScatterAttributes>()) {}

  bool IsActive() const { return d_.IsActive(number_) || d_.IsActive(update_); }

  void DeriveSum() {
    d_.AddTangent(Scatter(d_.linear, d_.TangentOrZeros(number_), LinearIndices(),
                          d_.TangentOrZeros(update_), attributes_, OpKind::kAdd),
                  number_);
  }

  void DeriveReplacement() {
    // Which updates are in the result: each writes its number, and reads what is there at last.
    Emitter &e = d_.known, &l = d_.linear;
    const TensorType numbers{DType::kI64, type_.dims};
    const ValueId number = e.Convert(e.LinearIndex(d_.operand_type(update_).dims), DType::kI64);
    const ValueId last =
        Scatter(e, e.Constant(numbers, -1), indices(), number, attributes_, absl::nullopt);
    const ValueId kept =
        e.Convert(e.Compare(ComparisonDirection::kEq, Read(last), number), type_.dtype);
    if (d_.IsActive(number_)) {
      const ValueId untouched = e.Compare(ComparisonDirection::kLt, last, e.Constant(numbers, 0));
      d_.AddTangent(l.Select(d_.InLinear(untouched), d_.tangent(number_), l.Constant(type_, 0)),
                    number_);
    }
    if (d_.IsActive(update_)) AddUpdates(l.Mul(d_.tangent(update_), d_.InLinear(kept)));
  }

  absl::Status DeriveProduct() {
    Emitter &e = d_.known, &l = d_.linear;
    if (d_.IsActive(number_)) {
      const ValueId factor = Scatter(e, e.Constant(type_, 1), indices(), d_.operand(update_),
                                     attributes_, OpKind::kMultiply);
      d_.AddTangent(l.Mul(d_.tangent(number_), d_.InLinear(factor)), number_);
    }
    if (!d_.IsActive(update_)) return absl::OkStatus();
    if (!attributes_.unique_indices) {
      return d_.Refuse("it multiplies by updates, and its indices are not said to be unique");
    }
    const ValueId old = Read(d_.operand(number_));
    AddUpdates(l.Mul(d_.tangent(update_), d_.InLinear(old)));
    return absl::OkStatus();
  }

  // Of several equal extrema each has an equal share.
  void DeriveExtremum() {
    Emitter &e = d_.known, &l = d_.linear;
    const ValueId result = d_.result(number_);
    const auto is_chosen = [&](ValueId value, ValueId extremum) {
      return e.Convert(e.Compare(ComparisonDirection::kEq, value, extremum), type_.dtype);
    };
    const ValueId stays = is_chosen(d_.operand(number_), result);
    const ValueId enters = is_chosen(d_.operand(update_), Read(result));
    const ValueId count = Scatter(e, stays, indices(), enters, attributes_, OpKind::kAdd);
    if (d_.IsActive(number_)) {
      d_.AddTangent(l.Mul(d_.tangent(number_), d_.InLinear(e.Div(stays, count))), number_);
    }
    if (d_.IsActive(update_)) {
      AddUpdates(l.Mul(d_.tangent(update_), d_.InLinear(e.Div(enters, Read(count)))));
    }
  }

 private:
  ValueId indices() const { return d_.operand(num_tensors_); }
  ValueId LinearIndices() { return d_.InLinear(indices()); }
  // What `tensor`, a known value, has where the updates go.
  ValueId Read(ValueId tensor) {
    return ReadBack(d_.known, tensor, indices(), attributes_, d_.operand_type(update_).dims);
  }
  // Adds tangents that stand where the updates are.
  void AddUpdates(ValueId tangents) {
    d_.AddTangent(Scatter(d_.linear, d_.linear.Constant(type_, 0), LinearIndices(), tangents,
                          attributes_, OpKind::kAdd),
                  number_);
  }

  Derivation& d_;
  const size_t number_, num_tensors_, update_;
  const TensorType type_;
  const ScatterAttributes& attributes_;
};

}  // namespace

absl::Status DeriveDynamicUpdateSlice(Derivation& d) {
  d.AddTangent(d.CopyForTangents({0, 1}));
  return absl::OkStatus();
}

absl::Status DeriveScatter(Derivation& d) {
  const Region& region = d.op().regions[0];
  for (size_t i = 0; i < d.op().results.size(); ++i) {
    Updated updated(d, i);
    if (!updated.IsActive()) continue;
    const absl::optional<OpKind> kind = ReducerOf(region, i);
    if (kind == OpKind::kAdd) {
      updated.DeriveSum();
    } else if (kind == OpKind::kMultiply) {
      ACCELD_RETURN_IF_ERROR(updated.DeriveProduct());
    } else if (kind == OpKind::kMaximum || kind == OpKind::kMinimum) {
      updated.DeriveExtremum();
    } else if (IsReplacement(region, i)) {
      updated.DeriveReplacement();
    } else {
      return d.Refuse("it does not add, multiply, replace or take the extremum of elements");
    }
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir

#include "client/tracing/ops/reductions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"
#include "client/tracing/transforms/custom_rules.h"

namespace acceld::client {
namespace {

using ir::DType;
using ir::OpKind;

// Returns the axes in ascending order, counted from the front; all axes for an empty list.
absl::StatusOr<Axes> ReducedAxes(absl::string_view operation, const Axes& axes, int64_t rank) {
  if (axes.empty()) {
    Axes all(static_cast<size_t>(rank));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  ACCELD_ASSIGN_OR_RETURN(Axes normal, NormalAxes(operation, axes, rank));
  std::sort(normal.begin(), normal.end());
  return normal;
}

// The shape of `a` with the axes of size 1.
ir::Dims KeptDims(const Tensor& a, const Axes& axes) {
  ir::Dims dims = a.shape();
  for (const int64_t axis : axes) dims[static_cast<size_t>(axis)] = 1;
  return dims;
}

// The smallest and the largest value of an element type, as far as a double can represent them: for
// 64-bit integers, converting the double saturates at the correct value.
double Lowest(DType dtype) {
  if (ir::IsFloat(dtype)) return -std::numeric_limits<double>::infinity();
  return ir::IsSigned(dtype) ? -std::ldexp(1.0, ir::BitsOf(dtype) - 1) : 0;
}
double Highest(DType dtype) {
  if (ir::IsFloat(dtype)) return std::numeric_limits<double>::infinity();
  return std::ldexp(1.0, ir::BitsOf(dtype) - (ir::IsSigned(dtype) ? 1 : 0)) - 1;
}

Tensor ReduceOver(absl::string_view operation, OpKind combine, double initial, const Operand& a,
                  const Axes& axes, bool keep_dims) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<Axes> reduced = ReducedAxes(operation, axes, a.rank());
  if (!reduced.ok()) return tracer->Fail(reduced.status());
  if (reduced->empty()) return tracer->InTrace(a);
  const Tensor start =
      tracer->Make(tracer->builder().Constant(ir::Literal::Filled({a.dtype(), {}}, initial)));
  std::vector<ir::Region> regions;
  regions.push_back(tracer->Reducer(combine, a.dtype()));
  if (!tracer->status().ok()) return start;
  const Tensor result = tracer->EmitAll(
      OpKind::kReduce, {a, start}, ir::DimensionsAttributes{*reduced}, std::move(regions), 1)[0];
  return keep_dims ? Reshape(result, KeptDims(a, *reduced)) : result;
}

Tensor AllOrAny(absl::string_view operation, OpKind combine, bool initial, const Operand& a,
                const Axes& axes, bool keep_dims) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (a.dtype() != DType::kI1) {
    return tracer->Fail(operation, absl::StrCat("the operand is ", a.type().ToString(),
                                                "; expected elements of type i1"));
  }
  return ReduceOver(operation, combine, initial, a, axes, keep_dims);
}

// The number of elements of `a` that each element of the result is made of.
absl::StatusOr<double> CountOver(absl::string_view operation, const Operand& a, const Axes& axes) {
  ACCELD_ASSIGN_OR_RETURN(const Axes reduced, ReducedAxes(operation, axes, a.rank()));
  double count = 1;
  for (const int64_t axis : reduced) {
    count *= static_cast<double>(a.shape()[static_cast<size_t>(axis)]);
  }
  return count;
}

// Reduces pairs of a value and its index, and returns the index of the best value.
Tensor ArgBest(absl::string_view operation, ir::ComparisonDirection better, double worst,
               const Operand& a, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis(operation, axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  const ir::TensorType value{a.dtype(), {}}, index{DType::kI32, {}};
  const Tensor indices = Iota({DType::kI32, a.shape()}, *normal);
  const Tensor start = tracer->Fill(worst, value), first = tracer->Fill(0, index);
  // A NaN is better than all numbers; of equals the smaller index.
  const std::vector<ir::ValueId> p = tracer->builder().BeginRegion({value, index, value, index});
  const Tensor x = tracer->Make(p[0]), i = tracer->Make(p[1]);
  const Tensor y = tracer->Make(p[2]), j = tracer->Make(p[3]);
  const auto is = [&](ir::ComparisonDirection direction) {
    return tracer->Emit(OpKind::kCompare, {x, y},
                        ir::CompareAttributes{.comparison_direction = direction});
  };
  const Tensor wins = is(better) || x != x;
  const Tensor takes_index = wins || (is(ir::ComparisonDirection::kEq) && i < j);
  const absl::StatusOr<std::vector<ir::ValueId>> results =
      tracer->Values({Where(wins, x, y), Where(takes_index, i, j)});
  std::vector<ir::Region> regions;
  regions.push_back(tracer->builder().EndRegion(results.ok() ? *results : std::vector{p[0], p[1]}));
  if (!tracer->status().ok()) return first;
  return tracer->EmitAll(OpKind::kReduce, {StopGradient(a.tensor()), indices, start, first},
                         ir::DimensionsAttributes{{*normal}}, std::move(regions), 2)[1];
}

}  // namespace

Tensor Sum(const Operand& a, const Axes& axes, bool keep_dims) {
  return ReduceOver("Sum", OpKind::kAdd, 0, a, axes, keep_dims);
}
Tensor Prod(const Operand& a, const Axes& axes, bool keep_dims) {
  return ReduceOver("Prod", OpKind::kMultiply, 1, a, axes, keep_dims);
}
Tensor Max(const Operand& a, const Axes& axes, bool keep_dims) {
  return ReduceOver("Max", OpKind::kMaximum, Lowest(a.dtype()), a, axes, keep_dims);
}
Tensor Min(const Operand& a, const Axes& axes, bool keep_dims) {
  return ReduceOver("Min", OpKind::kMinimum, Highest(a.dtype()), a, axes, keep_dims);
}
Tensor All(const Operand& a, const Axes& axes, bool keep_dims) {
  return AllOrAny("All", OpKind::kAnd, true, a, axes, keep_dims);
}
Tensor Any(const Operand& a, const Axes& axes, bool keep_dims) {
  return AllOrAny("Any", OpKind::kOr, false, a, axes, keep_dims);
}

Tensor Mean(const Operand& a, const Axes& axes, bool keep_dims) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<double> count = CountOver("Mean", a, axes);
  if (!count.ok()) return tracer->Fail(count.status());
  return Sum(a, axes, keep_dims) / *count;
}

Tensor Var(const Operand& a, const Axes& axes, bool keep_dims, int64_t ddof) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<double> count = CountOver("Var", a, axes);
  if (!count.ok()) return tracer->Fail(count.status());
  const Tensor distance = a - Mean(a, axes, true);
  return Sum(Square(distance), axes, keep_dims) / (*count - static_cast<double>(ddof));
}

Tensor Std(const Operand& a, const Axes& axes, bool keep_dims, int64_t ddof) {
  return Sqrt(Var(a, axes, keep_dims, ddof));
}

Tensor LogSumExp(const Operand& a, const Axes& axes, bool keep_dims) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<Axes> reduced = ReducedAxes("LogSumExp", axes, a.rank());
  if (!reduced.ok()) return tracer->Fail(reduced.status());
  // The maximum only scales; where it is infinite, nothing is subtracted.
  const Tensor largest = StopGradient(Max(a, axes, true));
  const Tensor shift = Where(IsFinite(largest), largest, ZerosLike(largest));
  const Tensor result = Log(Sum(Exp(a - shift), axes, true)) + shift;
  if (keep_dims || !tracer->status().ok()) return result;
  ir::Dims dims;
  for (int64_t axis = 0; axis < a.rank(); ++axis) {
    if (std::find(reduced->begin(), reduced->end(), axis) == reduced->end()) {
      dims.push_back(a.shape()[static_cast<size_t>(axis)]);
    }
  }
  return Reshape(result, dims);
}

Tensor ArgMax(const Operand& a, int64_t axis) {
  return ArgBest("ArgMax", ir::ComparisonDirection::kGt, Lowest(a.dtype()), a, axis);
}
Tensor ArgMin(const Operand& a, int64_t axis) {
  return ArgBest("ArgMin", ir::ComparisonDirection::kLt, Highest(a.dtype()), a, axis);
}

}  // namespace acceld::client

#include "client/tracing/ops/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/contractions.h"
#include "client/tracing/ops/indexing.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/ops/sorting.h"
#include "client/tracing/tracer.h"

namespace acceld::client {
namespace {

using ir::DType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool NeedFloats(Tracer& tracer, absl::string_view operation, const Operand& a) {
  if (ir::IsFloat(a.dtype())) return true;
  tracer.Fail(operation, absl::StrCat("the operand is ", a.type().ToString(), "; expected floats"));
  return false;
}

// `a` with the axes as its last dimension, whose size is their number of elements, and the shape of
// the result of a reduction over them.
struct Rows {
  Tensor values;
  ir::Dims result;
};
absl::StatusOr<Rows> RowsAlong(absl::string_view operation, const Tensor& a, const Axes& axes,
                               bool keep_dims) {
  ACCELD_ASSIGN_OR_RETURN(const Axes reduced, NormalAxes(operation, axes, a.rank()));
  Axes order;
  ir::Dims rows, result;
  for (int64_t axis = 0; axis < a.rank(); ++axis) {
    const int64_t size = a.shape()[static_cast<size_t>(axis)];
    if (!axes.empty() && std::find(reduced.begin(), reduced.end(), axis) == reduced.end()) {
      order.push_back(axis);
      rows.push_back(size);
      result.push_back(size);
    } else if (keep_dims) {
      result.push_back(1);
    }
  }
  for (int64_t axis = 0; axis < a.rank(); ++axis) {
    if (std::find(order.begin(), order.end(), axis) == order.end()) order.push_back(axis);
  }
  rows.push_back(-1);
  return Rows{Reshape(Transpose(a, order), rows), result};
}

// Numbers of elements that are not NaN, in `a`'s type.
Tensor CountNumbers(const Operand& a, const Axes& axes, bool keep_dims) {
  return Sum(Convert(!IsNan(a), a.dtype()), axes, keep_dims);
}

// Max, or Min, without elements of NaN, in place of which stands `worst`.
Tensor NanExtremum(Tensor (*extremum)(const Operand&, const Axes&, bool), double worst,
                   const Operand& a, const Axes& axes, bool keep_dims) {
  const Tensor is_nan = IsNan(a);
  const Tensor best = extremum(Where(is_nan, FullLike(a, worst), a), axes, keep_dims);
  return Where(All(is_nan, axes, keep_dims), FullLike(best, kNan), best);
}

}  // namespace

Tensor Quantile(const Operand& a, double q, const Axes& axes, bool keep_dims) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (!NeedFloats(*tracer, "Quantile", a)) return a;
  if (!(q >= 0 && q <= 1)) {
    return tracer->Fail("Quantile", absl::StrCat("q is ", q, "; expected 0 to 1"));
  }
  const absl::StatusOr<Rows> rows = RowsAlong("Quantile", a, axes, keep_dims);
  if (!rows.ok()) return tracer->Fail(rows.status());
  const Tensor& x = rows->values;
  const int64_t count = x.shape().back();
  if (count == 0) return tracer->Fail("Quantile", "there are no elements");
  const Tensor sorted = Sort(Where(Any(IsNan(x), {-1}, true), FullLike(x, kNan), x));
  const double place = q * static_cast<double>(count - 1);
  const auto low = static_cast<int64_t>(std::floor(place));
  const double share = place - std::floor(place);
  Tensor value = SliceInDim(sorted, low, low + 1, -1);
  if (share > 0) {
    value = value * (1 - share) + SliceInDim(sorted, low + 1, low + 2, -1) * share;
  }
  return Reshape(value, rows->result);
}

Tensor Median(const Operand& a, const Axes& axes, bool keep_dims) {
  return Quantile(a, 0.5, axes, keep_dims);
}

Tensor Average(const Operand& a, const Operand& weights, const Axes& axes) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, weights);
  if (tracer == nullptr) return Tracer::BadNumber();
  Tensor w = weights;
  if (w.shape() != a.shape()) {
    const absl::StatusOr<Axes> reduced = NormalAxes("Average", axes, a.rank());
    if (!reduced.ok()) return tracer->Fail(reduced.status());
    if (w.rank() != 1 || reduced->size() != 1 ||
        w.shape()[0] != a.shape()[static_cast<size_t>((*reduced)[0])]) {
      return tracer->Fail(
          "Average",
          absl::StrCat("the weights are ", ShapeText(w.shape()), " for ", ShapeText(a.shape()),
                       "; expected the same shape, or a ", "vector along the only axis"));
    }
    ir::Dims dims(a.shape().size(), 1);
    dims[static_cast<size_t>((*reduced)[0])] = w.shape()[0];
    w = BroadcastTo(Reshape(w, dims), a.shape());
  }
  return Sum(a * w, axes) / Sum(w, axes);
}

Tensor Ptp(const Operand& a, const Axes& axes, bool keep_dims) {
  return Max(a, axes, keep_dims) - Min(a, axes, keep_dims);
}

Tensor CountNonzero(const Operand& a, const Axes& axes, bool keep_dims) {
  const Tensor is_nonzero = a.dtype() == DType::kI1 ? a.tensor() : a != 0;
  return Sum(Convert(is_nonzero, DType::kI32), axes, keep_dims);
}

Tensor NanSum(const Operand& a, const Axes& axes, bool keep_dims) {
  return Sum(Where(IsNan(a), ZerosLike(a), a), axes, keep_dims);
}

Tensor NanMean(const Operand& a, const Axes& axes, bool keep_dims) {
  return NanSum(a, axes, keep_dims) / CountNumbers(a, axes, keep_dims);
}

Tensor NanMax(const Operand& a, const Axes& axes, bool keep_dims) {
  return NanExtremum(&Max, -kInfinity, a, axes, keep_dims);
}

Tensor NanMin(const Operand& a, const Axes& axes, bool keep_dims) {
  return NanExtremum(&Min, kInfinity, a, axes, keep_dims);
}

Tensor NanVar(const Operand& a, const Axes& axes, bool keep_dims, int64_t ddof) {
  const Tensor distance = Where(IsNan(a), ZerosLike(a), a - NanMean(a, axes, true));
  const Tensor divisor = CountNumbers(a, axes, keep_dims) - static_cast<double>(ddof);
  const Tensor variance = Sum(Square(distance), axes, keep_dims) / divisor;
  return Where(divisor > 0, variance, FullLike(variance, kNan));
}

Tensor NanStd(const Operand& a, const Axes& axes, bool keep_dims, int64_t ddof) {
  return Sqrt(NanVar(a, axes, keep_dims, ddof));
}

Tensor Cov(const Operand& a, int64_t ddof) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (a.rank() != 2) {
    return tracer->Fail("Cov", absl::StrCat("the operand has the shape ", ShapeText(a.shape()),
                                            "; expected a matrix"));
  }
  const Tensor distance = a - Mean(a, {1}, true);
  const auto divisor = static_cast<double>(a.shape()[1] - ddof);
  return MatMul(distance, Conj(Transpose(distance))) / divisor;
}

Tensor Corrcoef(const Operand& a) {
  const Tensor covariance = Cov(a);
  if (covariance.rank() != 2) return covariance;
  const Tensor deviation = Sqrt(Diagonal(covariance));
  return Clip(covariance / ExpandDims(deviation, 1) / deviation, -1, 1);
}

std::pair<Tensor, Tensor> Histogram(const Operand& a, int64_t bins, double lowest, double highest) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return {Tracer::BadNumber(), Tracer::BadNumber()};
  if (!NeedFloats(*tracer, "Histogram", a)) return {a, a};
  if (bins < 1 || !(lowest < highest)) {
    const Tensor bad = tracer->Fail(
        "Histogram", absl::StrCat(bins, " parts from ", lowest, " to ", highest,
                                  "; expected at least one part of numbers in ascending order"));
    return {bad, bad};
  }
  const Tensor bounds = Linspace(lowest, highest, bins + 1, a.dtype());
  const Tensor x = Ravel(a);
  // Part i has the elements from bound i - 1 on. Those of part 0 and those behind the last are out.
  const Tensor part =
      Where(x == SliceInDim(bounds, bins, bins + 1), bins, SearchSorted(bounds, x, /*right=*/true));
  const Tensor counts = AddAt(Zeros({bins + 1}, a.dtype()), {part}, 1);
  return {SliceInDim(counts, 1, bins + 1), bounds};
}

Tensor Bincount(const Operand& a, int64_t length) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (!ir::IsInteger(a.dtype()) || length < 0) {
    return tracer->Fail(
        "Bincount", absl::StrCat("the operand is ", a.type().ToString(), " and the length ", length,
                                 "; expected integers, and at least 0"));
  }
  return AddAt(Zeros({length}, DType::kI32), {Maximum(Ravel(a), 0)}, 1);
}

}  // namespace acceld::client

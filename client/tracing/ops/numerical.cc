#include "client/tracing/ops/numerical.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/indexing.h"
#include "client/tracing/ops/nn.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/ops/sorting.h"
#include "client/tracing/tracer.h"

namespace acceld::client {
namespace {

// Elements `start`, `start` + 1, ... of `a` along `axis`, one less than there are.
Tensor AllButOne(const Operand& a, int64_t start, int64_t axis) {
  const int64_t size = a.shape()[static_cast<size_t>(axis)];
  return SliceInDim(a, start, start + size - 1, axis);
}

// The axis counted from the front, if there are at least two points along it.
absl::StatusOr<int64_t> AxisOfPoints(const Operand& y, int64_t axis) {
  ACCELD_ASSIGN_OR_RETURN(const int64_t normal, NormalAxis("Trapezoid", axis, y.rank()));
  if (y.shape()[static_cast<size_t>(normal)] == 0) {
    return absl::InvalidArgumentError("Trapezoid: there are no points");
  }
  return normal;
}

bool AreVectors(Tracer& tracer, absl::string_view operation, const Operand& a, const Operand& b) {
  if (a.rank() == 1 && b.rank() == 1 && a.size() > 0 && b.size() > 0) return true;
  tracer.Fail(operation, absl::StrCat("the operands have the shapes ", ShapeText(a.shape()),
                                      " and ", ShapeText(b.shape()), "; expected vectors"));
  return false;
}

// The sums of products of `a` and the shorter `v`, of which neither is reversed.
Tensor Products(const Tensor& a, const Tensor& v, ConvolveMode mode) {
  const int64_t size = v.size();
  std::pair<int64_t, int64_t> padding = {0, 0};
  if (mode == ConvolveMode::kFull) padding = {size - 1, size - 1};
  if (mode == ConvolveMode::kSame) padding = {size / 2, size - size / 2 - 1};
  const Tensor products = nn::Convolution(Reshape(a, {1, -1, 1}), Reshape(v, {-1, 1, 1}),
                                          {.padding = nn::Padding::Explicit({padding}),
                                           .input = "NWC",
                                           .kernel = "WIO",
                                           .output = "NWC"});
  return Ravel(products);
}

}  // namespace

Tensor Interp(const Operand& x, const Operand& xp, const Operand& fp) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({&x, &xp, &fp});
  if (tracer == nullptr) return Tracer::BadNumber();
  if (xp.rank() != 1 || xp.type() != fp.type() || xp.size() == 0 || !ir::IsFloat(xp.dtype())) {
    return tracer->Fail(
        "Interp", absl::StrCat("the points are ", xp.type().ToString(), " and ",
                               fp.type().ToString(), "; expected vectors of floats of one type"));
  }
  const int64_t count = xp.size();
  const Tensor at = tracer->InTrace(x, xp.dtype());
  const Tensor first = At(fp, {0}), last = At(fp, {count - 1});
  if (count == 1) return BroadcastTo(first, at.shape());
  const Tensor next = Clip(SearchSorted(xp, at, /*right=*/true), 1, count - 1);
  const Tensor x0 = Take(xp, next - 1), x1 = Take(xp, next);
  const Tensor f0 = Take(fp, next - 1), f1 = Take(fp, next);
  // Two points at the same place are those of a step.
  const Tensor is_step = x1 == x0;
  const Tensor between = f0 + (at - x0) / Where(is_step, OnesLike(x0), x1 - x0) * (f1 - f0);
  const Tensor inside = Where(is_step, f0, between);
  return Where(at < At(xp, {0}), first, Where(at > At(xp, {count - 1}), last, inside));
}

Tensor Trapezoid(const Operand& y, const Operand& dx, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(y, dx);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = AxisOfPoints(y, axis);
  if (!normal.ok()) return tracer->Fail(normal.status());
  return dx * Sum(AllButOne(y, 1, *normal) + AllButOne(y, 0, *normal), {*normal}) * 0.5;
}

Tensor TrapezoidAt(const Operand& y, const Operand& x, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(y, x);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = AxisOfPoints(y, axis);
  if (!normal.ok()) return tracer->Fail(normal.status());
  const int64_t count = y.shape()[static_cast<size_t>(*normal)];
  Tensor places = x;
  if (x.rank() == 1 && x.size() == count) {
    ir::Dims dims(y.shape().size(), 1);
    dims[static_cast<size_t>(*normal)] = count;
    places = BroadcastTo(Reshape(x, dims), y.shape());
  }
  if (places.shape() != y.shape()) {
    return tracer->Fail("TrapezoidAt", absl::StrCat("the points are at ", ShapeText(x.shape()),
                                                    " for values ", ShapeText(y.shape())));
  }
  const Tensor widths = AllButOne(places, 1, *normal) - AllButOne(places, 0, *normal);
  const Tensor heights = AllButOne(y, 1, *normal) + AllButOne(y, 0, *normal);
  return Sum(widths * heights, {*normal}) * 0.5;
}

Tensor Polyval(const Operand& p, const Operand& x) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(p, x);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (p.rank() != 1) {
    return tracer->Fail("Polyval", absl::StrCat("the coefficients have the shape ",
                                                ShapeText(p.shape()), "; expected a vector"));
  }
  Tensor value = ZerosLike(tracer->InTrace(x, p.dtype()));
  for (int64_t i = 0; i < p.size(); ++i) value = value * x + At(p, {i});
  return value;
}

Tensor Convolve(const Operand& a, const Operand& v, ConvolveMode mode) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, v);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (!AreVectors(*tracer, "Convolve", a, v)) return a;
  return a.size() < v.size() ? Products(v, Flip(a), mode) : Products(a, Flip(v), mode);
}

Tensor Correlate(const Operand& a, const Operand& v, ConvolveMode mode) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, v);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (!AreVectors(*tracer, "Correlate", a, v)) return a;
  const Tensor other = ir::IsComplex(v.dtype()) ? Conj(v) : v.tensor();
  return a.size() < v.size() ? Flip(Products(other, a, mode)) : Products(a, other, mode);
}

}  // namespace acceld::client

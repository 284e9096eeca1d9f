// Running reductions.

#include <utility>
#include <vector>

#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"
#include "client/tracing/transforms/control_flow.h"

namespace acceld::client {

// A window that ends, or begins, at each element: a linear op, whose transpose is one, too.
Tensor CumSum(const Operand& a, int64_t axis, bool reverse) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis("CumSum", axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  const auto rank = static_cast<size_t>(a.rank()), along = static_cast<size_t>(*normal);
  const int64_t size = a.shape()[along];
  if (size == 0) return a;
  const std::vector<int64_t> ones(rank, 1);
  ir::WindowAttributes window{.window_dimensions = ones,
                              .window_strides = ones,
                              .base_dilations = ones,
                              .window_dilations = ones};
  window.window_dimensions[along] = size;
  window.padding.pairs.assign(rank, {0, 0});
  window.padding.pairs[along] =
      reverse ? std::pair<int64_t, int64_t>{0, size - 1} : std::pair<int64_t, int64_t>{size - 1, 0};
  std::vector<ir::Region> regions;
  const Tensor zero = tracer->Fill(0, {a.dtype(), {}});
  regions.push_back(tracer->Reducer(ir::OpKind::kAdd, a.dtype()));
  return tracer->EmitAll(ir::OpKind::kReduceWindow, {a, zero}, std::move(window),
                         std::move(regions), 1)[0];
}

Tensor CumProd(const Operand& a, int64_t axis, bool reverse) {
  return AssociativeScan([](const Tensor& x, const Tensor& y) { return x * y; }, a.tensor(), axis,
                         reverse);
}
Tensor CumMax(const Operand& a, int64_t axis, bool reverse) {
  return AssociativeScan([](const Tensor& x, const Tensor& y) { return Maximum(x, y); }, a.tensor(),
                         axis, reverse);
}
Tensor CumMin(const Operand& a, int64_t axis, bool reverse) {
  return AssociativeScan([](const Tensor& x, const Tensor& y) { return Minimum(x, y); }, a.tensor(),
                         axis, reverse);
}
Tensor CumLogSumExp(const Operand& a, int64_t axis, bool reverse) {
  return AssociativeScan([](const Tensor& x, const Tensor& y) { return LogAddExp(x, y); },
                         a.tensor(), axis, reverse);
}

Tensor Diff(const Operand& a, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis("Diff", axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  const int64_t size = a.shape()[static_cast<size_t>(*normal)];
  if (size == 0) return tracer->Fail("Diff", "there are no elements");
  return SliceInDim(a, 1, size, *normal) - SliceInDim(a, 0, size - 1, *normal);
}

}  // namespace acceld::client

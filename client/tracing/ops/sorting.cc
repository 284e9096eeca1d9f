#include "client/tracing/ops/sorting.h"

#include <cstdint>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/indexing.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"
#include "client/tracing/transforms/control_flow.h"
#include "client/tracing/transforms/custom_rules.h"

namespace acceld::client {
namespace {

// Whether x comes before y. Floats are compared in total order, in which zeros are equal and all
// NaNs are the largest.
Tensor IsBefore(Tracer& tracer, Tensor x, Tensor y, ir::ComparisonDirection direction) {
  ir::CompareAttributes attributes{.comparison_direction = direction};
  if (ir::IsFloat(x.dtype())) {
    const auto canonical = [](const Tensor& v) {
      const Tensor zeros = Where(v == 0, 0, v);
      return Where(zeros != zeros, std::numeric_limits<double>::quiet_NaN(), zeros);
    };
    x = canonical(x);
    y = canonical(y);
    attributes.compare_type = ir::ComparisonType::kTotalOrder;
  }
  return tracer.Emit(ir::OpKind::kCompare, {x, y}, attributes);
}

std::vector<Tensor> SortOf(Tracer& tracer, const std::vector<Tensor>& operands, int64_t axis,
                           size_t num_keys, bool descending) {
  std::vector<ir::Type> types;
  for (const Tensor& operand : operands) {
    types.insert(types.end(), 2, ir::TensorType{operand.dtype(), {}});
  }
  const std::vector<ir::ValueId> p = tracer.builder().BeginRegion(types);
  const auto direction = descending ? ir::ComparisonDirection::kGt : ir::ComparisonDirection::kLt;
  // By the last key first: an earlier one decides unless it is equal.
  Tensor before = 0;
  for (size_t key = num_keys; key-- > 0;) {
    const Tensor x = tracer.Make(p[2 * key]), y = tracer.Make(p[2 * key + 1]);
    const Tensor own = IsBefore(tracer, x, y, direction);
    before = key + 1 == num_keys
                 ? own
                 : own || (IsBefore(tracer, x, y, ir::ComparisonDirection::kEq) && before);
  }
  const absl::StatusOr<std::vector<ir::ValueId>> result = tracer.Values({before});
  std::vector<ir::Region> regions;
  regions.push_back(tracer.builder().EndRegion(result.ok() ? *result : std::vector{p[0]}));
  if (!tracer.status().ok()) return operands;
  return tracer.EmitAll(ir::OpKind::kSort, operands,
                        ir::SortAttributes{.dimension = axis, .is_stable = true},
                        std::move(regions), operands.size());
}

}  // namespace

Tensor Sort(const Operand& a, int64_t axis, bool descending) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis("Sort", axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  return SortOf(*tracer, {a}, *normal, 1, descending)[0];
}

Tensor Argsort(const Operand& a, int64_t axis, bool descending) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis("Argsort", axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  const Tensor indices = Iota({ir::DType::kI32, a.shape()}, *normal);
  return SortOf(*tracer, {StopGradient(a.tensor()), indices}, *normal, 1, descending)[1];
}

std::vector<Tensor> SortTogether(const Operands& operands, int64_t axis, int64_t num_keys) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(operands);
  if (tracer == nullptr) return std::vector<Tensor>(operands.size(), Tracer::BadNumber());
  const auto fail = [&](const Tensor& failed) {
    return std::vector<Tensor>(operands.size(), failed);
  };
  if (num_keys < 1 || num_keys > static_cast<int64_t>(operands.size())) {
    return fail(tracer->Fail("SortTogether",
                             absl::StrCat(num_keys, " keys of ", operands.size(), " tensors")));
  }
  const absl::StatusOr<int64_t> normal = NormalAxis("SortTogether", axis, operands[0].rank());
  if (!normal.ok()) return fail(tracer->Fail(normal.status()));
  return SortOf(*tracer, operands.tensors(), *normal, static_cast<size_t>(num_keys), false);
}

std::pair<Tensor, Tensor> TopK(const Operand& a, int64_t k) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return {Tracer::BadNumber(), Tracer::BadNumber()};
  if (a.rank() == 0 || k < 0 || k > a.shape().back()) {
    const Tensor failed =
        tracer->Fail("TopK", absl::StrCat("k is ", k, " for ", ShapeText(a.shape())));
    return {failed, failed};
  }
  const Tensor indices = SliceInDim(Argsort(a, -1, /*descending=*/true), 0, k, -1);
  return {TakeAlongAxis(a, indices, -1), indices};
}

Tensor SearchSorted(const Operand& sorted, const Operand& values, bool right) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(sorted, values);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (sorted.rank() != 1 || sorted.size() > INT32_MAX - 1) {
    return tracer->Fail("SearchSorted", absl::StrCat(sorted.type().ToString(), " is no vector"));
  }
  const Tensor wanted = tracer->InTrace(values, sorted.dtype());
  const Tensor zeros = Zeros(wanted.shape(), ir::DType::kI32);
  const int64_t size = sorted.size();
  if (size == 0) return zeros;
  int32_t rounds = 0;
  while ((int64_t{1} << rounds) < size + 1) ++rounds;
  const auto halve = [&](const Tensor&, const std::pair<Tensor, Tensor>& bounds) {
    const auto& [low, high] = bounds;
    const Tensor middle = (low + high) / 2;
    const Tensor element = Take(sorted, middle);
    const Tensor goes_left = right ? wanted < element : wanted <= element;
    return std::pair(Where(goes_left, low, middle), Where(goes_left, middle, high));
  };
  return ForiLoop(0, rounds, halve, std::pair(zeros, zeros + static_cast<double>(size))).second;
}

}  // namespace acceld::client

#include "common/ir/transform/composites/select_and_gather.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "common/check.h"
#include "common/ir/transform/composites/composite_rule.h"

namespace acceld::ir {
namespace {

Function Decomposition(const TensorType& tangents, const TensorType& values,
                       const WindowAttributes& window, OpKind extremum, absl::Status& status) {
  FunctionBuilder builder("select_and_gather", /*is_public=*/false);
  Emitter e(builder);
  const ValueId t = builder.AddParameter(tangents), x = builder.AddParameter(values);
  const bool is_maximum = extremum == OpKind::kMaximum;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const TensorType scalar{values.dtype, {}};
  const ValueId worst = e.Constant(scalar, is_maximum ? -kInfinity : kInfinity);
  const ValueId zero = e.Constant({tangents.dtype, {}}, 0);
  const Type value = scalar, tangent = TensorType{tangents.dtype, {}};
  const std::vector<ValueId> p = builder.BeginRegion({value, tangent, value, tangent});
  const ValueId first =
      e.Compare(is_maximum ? ComparisonDirection::kGe : ComparisonDirection::kLe, p[0], p[2]);
  std::vector<Region> regions;
  const ValueId chosen = e.Select(first, p[0], p[2]), taken = e.Select(first, p[1], p[3]);
  regions.push_back(builder.EndRegion({chosen, taken}));
  const std::vector<ValueId> results =
      e.OpWithRegions(OpKind::kReduceWindow, {x, t, worst, zero}, window, std::move(regions), 2);
  status = e.status();
  return builder.Finish({results[1]});
}

// The op that the decomposition consists of; nullptr if it has none.
const Op* WindowOf(const Function& decomposition) {
  for (const Op& op : decomposition.body.ops) {
    if (op.kind == OpKind::kReduceWindow) return &op;
  }
  return nullptr;
}

// Adds the transpose of the composite with `decomposition`: each element of `cotangents` is added
// to the element of the result that the composite takes. `values` are the composite's.
ValueId SelectAndScatter(Emitter& e, ValueId cotangents, ValueId values,
                         const Function& decomposition) {
  if (!e.ok()) return 0;
  const Op* window_op = WindowOf(decomposition);
  ACCELD_CHECK(window_op != nullptr);
  const WindowAttributes& window = window_op->As<WindowAttributes>();
  const auto is_one = [](int64_t dilation) { return dilation == 1; };
  if (!std::all_of(window.base_dilations.begin(), window.base_dilations.end(), is_one) ||
      !std::all_of(window.window_dilations.begin(), window.window_dilations.end(), is_one)) {
    e.Fail(absl::InvalidArgumentError(
        "stablehlo.reduce_window cannot be transposed: the maximum of windows with dilation"));
    return 0;
  }
  const Region& reducer = window_op->regions[0];
  const ComparisonDirection direction =
      reducer.ops.front().As<CompareAttributes>().comparison_direction;
  const DType dtype = e.TypeOf(values).dtype;
  std::vector<Region> regions;
  regions.push_back(e.Comparator(direction, dtype));
  regions.push_back(e.Reducer(OpKind::kAdd, dtype));
  return e
      .OpWithRegions(OpKind::kSelectAndScatter, {values, cotangents, e.Constant({dtype, {}}, 0)},
                     SelectAndScatterAttributes{window.window_dimensions, window.window_strides,
                                                window.padding},
                     std::move(regions))
      .front();
}

}  // namespace

ValueId SelectAndGather(Differentiator& differentiator, Emitter& e, ValueId tangents,
                        ValueId values, const WindowAttributes& window, OpKind extremum) {
  if (!e.ok()) return 0;
  absl::Status status;
  Function function = Decomposition(e.TypeOf(tangents), e.TypeOf(values), window, extremum, status);
  if (!status.ok()) {
    e.Fail(status);
    return 0;
  }
  const TensorType type = function.ResultTypes()[0].tensor();
  const std::string name = differentiator.AddFunction(std::move(function), "select_and_gather");
  return e.Op(OpKind::kComposite, {tangents, values},
              CompositeAttributes{.name = std::string(kSelectAndGather), .decomposition = {name}},
              &type);
}

absl::Status CheckSelectAndGather(const Module& module, const Op& op) {
  const Op* window = WindowOf(*module.Find(op.As<CompositeAttributes>().decomposition.name));
  if (op.operands.size() == 2 && op.results.size() == 1 && window != nullptr &&
      !window->regions[0].ops.empty() && window->regions[0].ops.front().kind == OpKind::kCompare) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "it needs two operands, a result, and a decomposition that compares elements of windows");
}

absl::Status DeriveSelectAndGather(Derivation& d) {
  FunctionDerivation& f = d.function();
  const std::vector<ValueId> results =
      AddComposite(f.differentiator().module(), f.known(), d.As<CompositeAttributes>(),
                   f.KnownOf(d.op().operands), d.op().location);
  d.ReplaceResult(0, results[0]);
  if (d.IsActive(0)) d.AddTangent(d.CopyForTangents({0}));
  return absl::OkStatus();
}

absl::Status TransposeSelectAndGather(Transposition& t) {
  if (t.IsLinear(1)) return t.Refuse("the values depend on linear arguments");
  const Function* decomposition = t.function().transposer().differentiator().module().Find(
      t.As<CompositeAttributes>().decomposition.name);
  t.AddCotangent(0, SelectAndScatter(t.emit, t.cotangent(), t.known(1), *decomposition));
  return absl::OkStatus();
}

}  // namespace acceld::ir

#include "client/tracing/transforms/control_flow.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/tracing/inner_function.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/indexing.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"
#include "common/ir/transform/copy_function.h"

namespace acceld::client {
namespace {

using ir::DType;
using ir::TensorType;

const TensorType kPredicate{DType::kI1, {}}, kIndex{DType::kI32, {}};

// Appends a copy of the function to the innermost open region of its trace.
std::vector<ir::ValueId> Copy(Tracer& tracer, const InnerFunction& inner,
                              std::vector<ir::ValueId> arguments,
                              absl::Span<const ir::ValueId> captured) {
  arguments.insert(arguments.end(), captured.begin(), captured.end());
  return ir::CopyBody(tracer.builder(), inner.function(), arguments);
}

// The values in the trace of what the function captures.
absl::StatusOr<std::vector<ir::ValueId>> Captured(const InnerFunction& inner) {
  return inner.tracer()->Values(inner.captures());
}

// The part of `a` with an index along its first dimension, and `a` with such a part.
Tensor SliceAt(const Tensor& a, const Tensor& index) {
  return DynamicIndexInDim(a, index, 0, /*keep_dim=*/false);
}
Tensor UpdateAt(Tracer& tracer, const Tensor& a, const Tensor& index, const Tensor& part) {
  std::vector<Tensor> starts(static_cast<size_t>(a.rank()), tracer.Fill(0, kIndex));
  starts[0] = index;
  return DynamicUpdateSlice(a, ExpandDims(part, 0), starts);
}

std::vector<Tensor> Branches(absl::string_view name, ir::OpKind kind, const Tensor& choice,
                             const TensorType& choice_type,
                             const std::vector<TracedFunction>& branches,
                             const std::vector<Tensor>& operands) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return {Tracer::BadNumber()};
  const auto fail = [&](const absl::Status& status) -> std::vector<Tensor> {
    return {tracer->Fail(Annotate(status, name))};
  };
  if (choice.type() != choice_type) {
    return fail(absl::InvalidArgumentError(absl::StrCat("the choice is ", choice.type().ToString(),
                                                        ", not ", choice_type.ToString())));
  }
  if (branches.empty()) return fail(absl::InvalidArgumentError("there are no branches"));
  const std::vector<Tensor> given = InTrace(*tracer, operands);
  const absl::StatusOr<std::vector<ir::ValueId>> arguments = tracer->Values(given);
  if (!arguments.ok()) return fail(arguments.status());
  const absl::StatusOr<std::vector<ir::ValueId>> index = tracer->Values({choice});
  if (!index.ok()) return fail(index.status());
  std::vector<ir::Region> regions;
  std::vector<TensorType> types;
  for (size_t i = 0; i < branches.size(); ++i) {
    const InnerFunction inner(name, branches[i], tracer, TypesOf(given));
    if (!inner.ok()) return {inner.Fail("a branch failed")};
    if (i == 0) types = inner.ResultTypes();
    if (inner.ResultTypes() != types) {
      return {inner.Fail(absl::StrCat("branch ", i, " gives ", TypesText(inner.ResultTypes()),
                                      ", and branch 0 ", TypesText(types)))};
    }
    const absl::StatusOr<std::vector<ir::ValueId>> captured = Captured(inner);
    if (!captured.ok()) return fail(captured.status());
    tracer->builder().BeginRegion({});
    regions.push_back(tracer->builder().EndRegion(Copy(*tracer, inner, *arguments, *captured)));
  }
  const absl::StatusOr<std::vector<ir::ValueId>> results =
      tracer->builder().Add(kind, *index, ir::NoAttributes{}, std::move(regions));
  if (!results.ok()) return fail(results.status());
  return Made(*tracer, *results);
}

}  // namespace

namespace internal {

std::vector<Tensor> WhileLoopOf(const TracedFunction& condition, const TracedFunction& body,
                                const std::vector<Tensor>& initial) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return std::vector<Tensor>(initial.size(), Tracer::BadNumber());
  const auto fail = [&](const Tensor& failed) {
    return std::vector<Tensor>(initial.size(), failed);
  };
  const std::vector<Tensor> start = InTrace(*tracer, initial);
  const std::vector<TensorType> types = TypesOf(start);
  const InnerFunction test("WhileLoop", condition, tracer, types);
  if (!test.ok()) return fail(test.Fail("the condition failed"));
  if (test.ResultTypes() != std::vector<TensorType>{kPredicate}) {
    return fail(test.Fail(absl::StrCat("the condition gives ", TypesText(test.ResultTypes()),
                                       ", not a scalar of type i1")));
  }
  const InnerFunction step("WhileLoop", body, tracer, types);
  if (!step.ok()) return fail(step.Fail("the body failed"));
  if (step.ResultTypes() != types) {
    return fail(step.Fail(absl::StrCat("the body takes ", TypesText(types), " and gives ",
                                       TypesText(step.ResultTypes()))));
  }
  const absl::StatusOr<std::vector<ir::ValueId>> values = tracer->Values(start);
  const absl::StatusOr<std::vector<ir::ValueId>> test_captured = Captured(test);
  const absl::StatusOr<std::vector<ir::ValueId>> step_captured = Captured(step);
  for (const absl::Status& status :
       {values.status(), test_captured.status(), step_captured.status()}) {
    if (!status.ok()) return fail(step.Fail(status));
  }
  ir::FunctionBuilder& builder = tracer->builder();
  const std::vector<ir::Type> list(types.begin(), types.end());
  std::vector<ir::Region> regions;
  std::vector<ir::ValueId> parameters = builder.BeginRegion(list);
  regions.push_back(builder.EndRegion(Copy(*tracer, test, parameters, *test_captured)));
  parameters = builder.BeginRegion(list);
  regions.push_back(builder.EndRegion(Copy(*tracer, step, parameters, *step_captured)));
  const absl::StatusOr<std::vector<ir::ValueId>> results =
      builder.Add(ir::OpKind::kWhile, *values, ir::NoAttributes{}, std::move(regions));
  if (!results.ok()) return fail(step.Fail(results.status()));
  return Made(*tracer, *results);
}

std::vector<Tensor> ForiLoopOf(
    const Tensor& lower, const Tensor& upper,
    const std::function<std::vector<Tensor>(const Tensor&, const std::vector<Tensor>&)>& body,
    const std::vector<Tensor>& initial) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return std::vector<Tensor>(initial.size(), Tracer::BadNumber());
  const Tensor first = tracer->InTrace(lower, ir::DType::kI32);
  if (first.type() != kIndex || (!Tracer::IsNumber(upper) && upper.type() != kIndex)) {
    return std::vector<Tensor>(
        initial.size(),
        tracer->Fail("ForiLoop",
                     absl::StrCat("the bounds are ", first.type().ToString(), " and ",
                                  upper.type().ToString(), ", not numbers or scalars of i32")));
  }
  std::vector<Tensor> carried = {first};
  carried.insert(carried.end(), initial.begin(), initial.end());
  std::vector<Tensor> results =
      WhileLoopOf([&](const std::vector<Tensor>& x) { return std::vector<Tensor>{x[0] < upper}; },
                  [&](const std::vector<Tensor>& x) {
                    std::vector<Tensor> next = body(x[0], {x.begin() + 1, x.end()});
                    next.insert(next.begin(), x[0] + 1);
                    return next;
                  },
                  carried);
  results.erase(results.begin());
  return results;
}

std::vector<Tensor> ScanOf(const TracedFunction& step, const std::vector<Tensor>& initial,
                           const std::vector<Tensor>& inputs, const ScanOptions& options) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return {Tracer::BadNumber()};
  const auto fail = [&](absl::string_view what) -> std::vector<Tensor> {
    return {tracer->Fail("Scan", what)};
  };
  std::optional<int64_t> length = options.length;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].rank() == 0) return fail(absl::StrCat("input ", i, " is a scalar"));
    const int64_t size = inputs[i].shape()[0];
    if (length.has_value() && *length != size) {
      return fail(absl::StrCat("input ", i, " has ", size, " steps, and there are ", *length));
    }
    length = size;
  }
  if (!length.has_value()) return fail("there are no inputs, and no length");
  if (*length < 0 || *length > INT32_MAX) return fail(absl::StrCat("the length is ", *length));

  // A first trace of the step tells the types of its outputs.
  const std::vector<Tensor> start = InTrace(*tracer, initial);
  const size_t n = start.size();
  std::vector<TensorType> types = TypesOf(start);
  for (const Tensor& input : inputs) {
    types.push_back({input.dtype(), ir::Dims(input.shape().begin() + 1, input.shape().end())});
  }
  const InnerFunction inner("Scan", step, tracer, types);
  if (!inner.ok()) return {inner.Fail("the step failed")};
  const std::vector<TensorType> result_types = inner.ResultTypes();
  const std::vector<TensorType> carried_types(types.begin(),
                                              types.begin() + static_cast<int64_t>(n));
  if (result_types.size() < n ||
      !std::equal(carried_types.begin(), carried_types.end(), result_types.begin())) {
    return {inner.Fail(absl::StrCat("the step carries ", TypesText(carried_types), " and gives ",
                                    TypesText(result_types)))};
  }
  std::vector<Tensor> carried = start;
  for (size_t i = n; i < result_types.size(); ++i) {
    TensorType stack = result_types[i];
    stack.dims.insert(stack.dims.begin(), *length);
    carried.push_back(tracer->Fill(0, stack));
  }
  const auto last = static_cast<double>(*length - 1);
  return ForiLoopOf(
      0, static_cast<double>(*length),
      [&](const Tensor& i, const std::vector<Tensor>& x) {
        const Tensor at = options.reverse ? last - i : i;
        std::vector<Tensor> arguments(x.begin(), x.begin() + static_cast<int64_t>(n));
        for (const Tensor& input : inputs) arguments.push_back(SliceAt(input, at));
        std::vector<Tensor> next = step(arguments);
        for (size_t k = n; k < next.size(); ++k) {
          next[k] = UpdateAt(*Tracer::Current(), x[k], at, next[k]);
        }
        return next;
      },
      carried);
}

std::vector<Tensor> CondOf(const Tensor& predicate, const TracedFunction& if_true,
                           const TracedFunction& if_false, const std::vector<Tensor>& operands) {
  return Branches("Cond", ir::OpKind::kIf, predicate, kPredicate, {if_true, if_false}, operands);
}

std::vector<Tensor> SwitchOf(const Tensor& index, const std::vector<TracedFunction>& branches,
                             const std::vector<Tensor>& operands) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return {Tracer::BadNumber()};
  const Tensor number = tracer->InTrace(index, ir::DType::kI32);
  return Branches("Switch", ir::OpKind::kCase,
                  number.type() == kIndex ? Maximum(number, 0) : number, kIndex, branches,
                  operands);
}

}  // namespace internal

}  // namespace acceld::client

#include "client/tracing/control_flow.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/tracing/inner_function.h"
#include "client/tracing/tracer.h"
#include "common/ir/transform/copy_function.h"

namespace acceld::client {
namespace {

using ir::DType;
using ir::TensorType;

const TensorType kPredicate{DType::kI1, {}}, kIndex{DType::kI32, {}};

// Numbers become tensors of the trace.
std::vector<Tensor> InTrace(Tracer& tracer, const std::vector<Tensor>& tensors) {
  std::vector<Tensor> made;
  for (const Tensor& tensor : tensors) {
    made.push_back(Tracer::IsNumber(tensor) ? tracer.Fill(Tracer::Number(tensor), {DType::kF32, {}})
                                            : tensor);
  }
  return made;
}

std::string TypesText(const std::vector<TensorType>& types) {
  const std::vector<ir::Type> list(types.begin(), types.end());
  return absl::StrCat("(", ir::ToString(list), ")");
}

std::vector<TensorType> ResultTypes(const InnerFunction& inner) {
  std::vector<TensorType> types;
  for (size_t i = 0; i < inner.num_results(); ++i) types.push_back(inner.ResultType(i));
  return types;
}

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

// The part of `a` with an index along its first dimension.
Tensor SliceAt(Tracer& tracer, const Tensor& a, const Tensor& index) {
  std::vector<Tensor> operands = {a, index};
  operands.resize(1 + static_cast<size_t>(a.rank()), tracer.Fill(0, kIndex));
  std::vector<int64_t> sizes(a.shape().begin(), a.shape().end());
  sizes[0] = 1;
  const ir::Dims rest(a.shape().begin() + 1, a.shape().end());
  return Reshape(
      tracer.Emit(ir::OpKind::kDynamicSlice, operands, ir::DynamicSliceAttributes{sizes}), rest);
}

// Puts `part` where SliceAt reads.
Tensor UpdateAt(Tracer& tracer, const Tensor& a, const Tensor& index, const Tensor& part) {
  ir::Dims dims = part.shape();
  dims.insert(dims.begin(), 1);
  std::vector<Tensor> operands = {a, Reshape(part, dims), index};
  operands.resize(2 + static_cast<size_t>(a.rank()), tracer.Fill(0, kIndex));
  return tracer.Emit(ir::OpKind::kDynamicUpdateSlice, operands);
}

std::vector<Tensor> Branches(absl::string_view name, ir::OpKind kind, const Tensor& choice,
                             const TensorType& choice_type,
                             const std::vector<TracedFunction>& branches,
                             const std::vector<Tensor>& operands) {
  std::vector<Tensor> all = operands;
  all.push_back(choice);
  const std::shared_ptr<Tracer> tracer = Tracer::Of(all);
  if (tracer == nullptr) return {Tracer::BadNumber()};
  const auto fail = [&](const absl::Status& status) -> std::vector<Tensor> {
    return {tracer->Fail(Annotate(status, name))};
  };
  if (choice.type() != choice_type || Tracer::IsNumber(choice)) {
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
    if (i == 0) types = ResultTypes(inner);
    if (ResultTypes(inner) != types) {
      return {inner.Fail(absl::StrCat("branch ", i, " gives ", TypesText(ResultTypes(inner)),
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

std::vector<Tensor> WhileLoop(const TracedFunction& condition, const TracedFunction& body,
                              const std::vector<Tensor>& initial) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(initial);
  if (tracer == nullptr) return std::vector<Tensor>(initial.size(), Tracer::BadNumber());
  const auto fail = [&](const Tensor& failed) {
    return std::vector<Tensor>(initial.size(), failed);
  };
  const std::vector<Tensor> start = InTrace(*tracer, initial);
  const std::vector<TensorType> types = TypesOf(start);
  const InnerFunction test("WhileLoop", condition, tracer, types);
  if (!test.ok()) return fail(test.Fail("the condition failed"));
  if (ResultTypes(test) != std::vector<TensorType>{kPredicate}) {
    return fail(test.Fail(absl::StrCat("the condition gives ", TypesText(ResultTypes(test)),
                                       ", not a scalar of type i1")));
  }
  const InnerFunction step("WhileLoop", body, tracer, types);
  if (!step.ok()) return fail(step.Fail("the body failed"));
  if (ResultTypes(step) != types) {
    return fail(step.Fail(absl::StrCat("the body takes ", TypesText(types), " and gives ",
                                       TypesText(ResultTypes(step)))));
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

std::vector<Tensor> ForiLoop(
    int32_t lower, int32_t upper,
    const std::function<std::vector<Tensor>(const Tensor&, const std::vector<Tensor>&)>& body,
    const std::vector<Tensor>& initial) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(initial);
  if (tracer == nullptr) return std::vector<Tensor>(initial.size(), Tracer::BadNumber());
  std::vector<Tensor> carried = {tracer->Fill(lower, kIndex)};
  carried.insert(carried.end(), initial.begin(), initial.end());
  std::vector<Tensor> results =
      WhileLoop([upper](const std::vector<Tensor>& x) { return std::vector<Tensor>{x[0] < upper}; },
                [&](const std::vector<Tensor>& x) {
                  std::vector<Tensor> next = body(x[0], {x.begin() + 1, x.end()});
                  next.insert(next.begin(), x[0] + 1);
                  return next;
                },
                carried);
  results.erase(results.begin());
  return results;
}

ScanStep Scan(const std::function<ScanStep(const std::vector<Tensor>& carried,
                                           const std::vector<Tensor>& inputs)>& step,
              const std::vector<Tensor>& initial, const std::vector<Tensor>& inputs,
              const ScanOptions& options) {
  std::vector<Tensor> all = initial;
  all.insert(all.end(), inputs.begin(), inputs.end());
  const std::shared_ptr<Tracer> tracer = Tracer::Of(all);
  const auto failed = [&](const Tensor& tensor) -> ScanStep {
    return {std::vector<Tensor>(initial.size(), tensor), {tensor}};
  };
  if (tracer == nullptr) return failed(Tracer::BadNumber());
  const auto fail = [&](absl::string_view what) {
    return failed(tracer->Fail(ShapeError("Scan", what)));
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
  std::vector<TensorType> types = TypesOf(start);
  for (const Tensor& input : inputs) {
    types.push_back({input.dtype(), ir::Dims(input.shape().begin() + 1, input.shape().end())});
  }
  const size_t n = start.size();
  const auto flat = [&](const std::vector<Tensor>& x) {
    ScanStep result = step({x.begin(), x.begin() + n}, {x.begin() + n, x.end()});
    if (result.carried.size() != n) {
      fail(absl::StrCat("the step takes ", n, " carried values and gives ", result.carried.size()));
    }
    result.carried.insert(result.carried.end(), result.outputs.begin(), result.outputs.end());
    return std::move(result.carried);
  };
  const InnerFunction inner("Scan", flat, tracer, types);
  if (!inner.ok()) return failed(inner.Fail("the step failed"));
  std::vector<TensorType> result_types = ResultTypes(inner);
  const std::vector<TensorType> carried_types(types.begin(), types.begin() + n);
  if (result_types.size() < n ||
      std::vector<TensorType>(result_types.begin(), result_types.begin() + n) != carried_types) {
    return failed(inner.Fail(absl::StrCat("the step carries ", TypesText(carried_types),
                                          " and gives ", TypesText(result_types))));
  }
  std::vector<Tensor> carried = start;
  for (size_t i = n; i < result_types.size(); ++i) {
    TensorType stack = result_types[i];
    stack.dims.insert(stack.dims.begin(), *length);
    carried.push_back(tracer->Fill(0, stack));
  }
  const auto last = static_cast<int32_t>(*length - 1);
  std::vector<Tensor> results = ForiLoop(
      0, static_cast<int32_t>(*length),
      [&](const Tensor& i, const std::vector<Tensor>& x) {
        Tracer& body = *Tracer::Of({i});
        const Tensor at = options.reverse ? last - i : i;
        std::vector<Tensor> arguments(x.begin(), x.begin() + n);
        for (const Tensor& input : inputs) arguments.push_back(SliceAt(body, input, at));
        std::vector<Tensor> next = flat(arguments);
        for (size_t k = n; k < next.size(); ++k) next[k] = UpdateAt(body, x[k], at, next[k]);
        return next;
      },
      carried);
  return {{results.begin(), results.begin() + n}, {results.begin() + n, results.end()}};
}

std::pair<Tensor, Tensor> Scan(
    const std::function<std::pair<Tensor, Tensor>(const Tensor& carried, const Tensor& input)>&
        step,
    const Tensor& initial, const Tensor& input, const ScanOptions& options) {
  const ScanStep result = Scan(
      [&](const std::vector<Tensor>& carried, const std::vector<Tensor>& inputs) -> ScanStep {
        const auto [next, output] = step(carried[0], inputs[0]);
        return {{next}, {output}};
      },
      std::vector<Tensor>{initial}, std::vector<Tensor>{input}, options);
  return {result.carried[0], result.outputs[0]};
}

std::vector<Tensor> Cond(const Tensor& predicate, const TracedFunction& if_true,
                         const TracedFunction& if_false, const std::vector<Tensor>& operands) {
  return Branches("Cond", ir::OpKind::kIf, predicate, kPredicate, {if_true, if_false}, operands);
}

std::vector<Tensor> Switch(const Tensor& index, const std::vector<TracedFunction>& branches,
                           const std::vector<Tensor>& operands) {
  const Tensor clamped =
      Tracer::IsNumber(index) || index.type() != kIndex ? index : Maximum(index, 0);
  return Branches("Switch", ir::OpKind::kCase, clamped, kIndex, branches, operands);
}

}  // namespace acceld::client

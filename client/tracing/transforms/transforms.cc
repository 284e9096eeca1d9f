#include "client/tracing/transforms/transforms.h"

#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/tracing/inner_function.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"
#include "common/ir/transform/batcher.h"
#include "common/ir/transform/copy_function.h"
#include "common/ir/transform/differentiate.h"
#include "common/ir/transform/reverse.h"

namespace acceld::client {
namespace {

// A function in reverse mode, whose values are in the trace already.
struct Reverse {
  std::vector<Tensor> values, residuals;
  ir::Function pullback;
  ir::Mask active_results;
};

absl::StatusOr<Reverse> ReverseOf(const InnerFunction& inner, const std::vector<Tensor>& arguments,
                                  const std::vector<bool>& active) {
  Tracer& tracer = *inner.tracer();
  ir::Differentiator differentiator(tracer.module());
  ACCELD_ASSIGN_OR_RETURN(ir::ReverseFunction reverse,
                          ir::Reverse(differentiator, inner.function(), inner.MaskOf(active)));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ir::ValueId> values, inner.Values(arguments));
  const std::vector<ir::ValueId> known = ir::CopyBody(tracer.builder(), reverse.known, values);
  return Reverse{.values = Made(tracer, absl::MakeConstSpan(known).subspan(0, inner.num_results())),
                 .residuals = Made(tracer, reverse.ResidualsOf(values, known)),
                 .pullback = std::move(reverse.pullback),
                 .active_results = std::move(reverse.active_results)};
}

// The cotangents of the active arguments. `tracer` is the trace of the function's call, or one
// inside it.
absl::StatusOr<std::vector<ir::ValueId>> PullBack(Tracer& tracer, const Reverse& reverse,
                                                  const std::vector<Tensor>& cotangents) {
  std::vector<Tensor> inputs = reverse.residuals;
  for (size_t i = 0; i < reverse.active_results.size(); ++i) {
    if (reverse.active_results[i]) inputs.push_back(cotangents[i]);
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ir::ValueId> values, tracer.Values(inputs));
  return ir::CopyBody(tracer.builder(), reverse.pullback, values);
}

std::vector<Tensor> Placeholders(size_t count, const Tensor& failed) {
  return std::vector<Tensor>(count, failed);
}

}  // namespace

namespace internal {

ValuesAndGradients GradientsOf(const TracedFunction& function, const std::vector<Tensor>& arguments,
                               const std::vector<size_t>& wanted) {
  const InnerFunction inner("Grad", function, Tracer::Current(), TypesOf(arguments));
  if (inner.tracer() == nullptr) {
    return {Placeholders(1, Tracer::BadNumber()), Placeholders(wanted.size(), Tracer::BadNumber())};
  }
  const auto fail = [&](const Tensor& failed) -> ValuesAndGradients {
    return {Placeholders(1, failed), Placeholders(wanted.size(), failed)};
  };
  if (!inner.ok()) return fail(inner.Fail("the function failed"));
  std::vector<bool> active(arguments.size());
  for (const size_t i : wanted) {
    if (i >= arguments.size()) {
      return fail(inner.Fail(
          absl::StrCat("there is no argument ", i, "; the function takes ", arguments.size())));
    }
    if (!ir::HasTangents(inner.types()[i])) {
      return fail(inner.Fail(absl::StrCat("argument ", i, " is ", inner.types()[i].ToString(),
                                          "; only floats and complex numbers have gradients")));
    }
    active[i] = true;
  }
  if (inner.num_results() == 0 || inner.ResultType(0).rank() != 0 ||
      !ir::IsFloat(inner.ResultType(0).dtype)) {
    return fail(inner.Fail(
        absl::StrCat("the result must be a scalar float, not ",
                     inner.num_results() == 0 ? "nothing" : inner.ResultType(0).ToString())));
  }
  const absl::StatusOr<Reverse> reverse = ReverseOf(inner, arguments, active);
  if (!reverse.ok()) return fail(inner.Fail(reverse.status()));
  Tracer& tracer = *inner.tracer();
  std::vector<Tensor> cotangents;
  for (size_t i = 0; i < inner.num_results(); ++i) {
    cotangents.push_back(tracer.Fill(i == 0 ? 1 : 0, inner.ResultType(i)));
  }
  const auto pulled = PullBack(tracer, *reverse, cotangents);
  if (!pulled.ok()) return fail(inner.Fail(pulled.status()));
  const std::vector<ir::ValueId>& gradients = *pulled;
  // The transpose gives them in the order of the arguments.
  ValuesAndGradients both{.values = reverse->values};
  for (const size_t i : wanted) {
    const auto position =
        std::count(active.begin(), active.begin() + static_cast<int64_t>(i), true);
    both.gradients.push_back(tracer.Make(gradients[static_cast<size_t>(position)]));
  }
  return both;
}

std::vector<Tensor> BatchOf(const TracedFunction& function, const std::vector<Tensor>& arguments,
                            const std::vector<std::optional<int64_t>>& in_axes,
                            std::optional<int64_t> axis_size) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return {Tracer::BadNumber()};
  const auto fail = [&](absl::string_view what) -> std::vector<Tensor> {
    return {tracer->Fail("Vmap", what)};
  };
  if (!tracer->status().ok()) return {tracer->Fail(tracer->status())};
  // Moves the examples to the front, and finds how many there are.
  std::vector<Tensor> moved = InTrace(*tracer, arguments);
  std::vector<ir::TensorType> types = TypesOf(moved);
  std::vector<bool> batched(arguments.size());
  std::optional<int64_t> size = axis_size;
  std::string sized_by = "axis_size is";
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::optional<int64_t> axis = in_axes[i];
    if (!axis.has_value()) continue;
    const absl::StatusOr<int64_t> normal = NormalAxis("Vmap", *axis, types[i].rank());
    if (!normal.ok()) {
      return {tracer->Fail(Annotate(normal.status(), absl::StrCat("argument ", i)))};
    }
    const int64_t examples = types[i].dims[static_cast<size_t>(*normal)];
    if (size.has_value() && *size != examples) {
      return fail(absl::StrCat("argument ", i, " has ", examples, " examples along axis ", *axis,
                               ", and ", sized_by, " ", *size));
    }
    if (!size.has_value()) sized_by = absl::StrCat("argument ", i, " has");
    size = examples;
    batched[i] = true;
    moved[i] = MoveAxis(moved[i], *normal, 0);
    types[i].dims.erase(types[i].dims.begin() + *normal);
  }
  if (!size.has_value()) return fail("no argument has examples");
  if (*size < 0) return fail(absl::StrCat("axis_size is ", *size));
  const InnerFunction inner("Vmap", function, tracer, types);
  if (!inner.ok()) return {inner.Fail("the function failed")};
  ir::Batcher batcher(tracer->module(), *size);
  const auto batch = batcher.Batch(inner.function(), inner.MaskOf(batched));
  if (!batch.ok()) return {inner.Fail(batch.status())};
  const absl::StatusOr<std::vector<ir::ValueId>> values = inner.Values(moved);
  if (!values.ok()) return {inner.Fail(values.status())};
  std::vector<Tensor> results =
      Made(*tracer, ir::CopyBody(tracer->builder(), batch->function, *values));
  for (size_t i = 0; i < results.size(); ++i) {
    if (batch->batched_results[i]) continue;
    ir::Dims dims = results[i].shape();
    dims.insert(dims.begin(), *size);
    results[i] = BroadcastTo(results[i], dims);
  }
  return results;
}

std::vector<Tensor> WithExamplesAlong(const std::vector<Tensor>& results,
                                      const std::vector<std::optional<int64_t>>& out_axes) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr || !tracer->status().ok()) return results;
  std::vector<Tensor> moved;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!out_axes[i].has_value()) {
      // The function's result must be the same for all examples; the first one is taken.
      moved.push_back(Reshape(SliceInDim(results[i], 0, 1, 0),
                              ir::Dims(results[i].shape().begin() + 1, results[i].shape().end())));
      continue;
    }
    const absl::StatusOr<int64_t> axis = NormalAxis("Vmap", *out_axes[i], results[i].rank());
    if (!axis.ok()) return {tracer->Fail(axis.status())};
    moved.push_back(MoveAxis(results[i], 0, *axis));
  }
  return moved;
}

std::vector<std::optional<int64_t>> Spread(const char* name,
                                           const std::vector<std::optional<int64_t>>& axes,
                                           const std::vector<size_t>& counts) {
  std::vector<std::optional<int64_t>> spread;
  if (axes.size() != 1 && axes.size() != counts.size()) {
    if (const std::shared_ptr<Tracer> tracer = Tracer::Current()) {
      tracer->Fail(
          "Vmap",
          absl::StrCat(name, " has ", axes.size(), " entries, and there are ", counts.size(),
                       name == absl::string_view("in_axes") ? " arguments" : " results"));
    }
    for (const size_t count : counts) spread.insert(spread.end(), count, std::nullopt);
    return spread;
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    spread.insert(spread.end(), counts[i], axes.size() == 1 ? axes[0] : axes[i]);
  }
  return spread;
}

ValuesAndTangents TangentsOf(const TracedFunction& function, const std::vector<Tensor>& arguments,
                             const std::vector<Tensor>& tangents) {
  const InnerFunction inner("Jvp", function, Tracer::Current(), TypesOf(arguments));
  if (inner.tracer() == nullptr) return {{Tracer::BadNumber()}, {Tracer::BadNumber()}};
  const auto fail = [](const Tensor& failed) -> ValuesAndTangents { return {{failed}, {failed}}; };
  if (!inner.ok()) return fail(inner.Fail("the function failed"));
  if (tangents.size() != arguments.size()) {
    return fail(inner.Fail(absl::StrCat("there are ", arguments.size(), " arguments and ",
                                        tangents.size(), " tangents")));
  }
  Tracer& tracer = *inner.tracer();
  std::vector<bool> active;
  std::vector<Tensor> given;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ir::TensorType& type = inner.types()[i];
    const bool is_number = Tracer::IsNumber(tangents[i]);
    active.push_back(ir::HasTangents(type) && !(is_number && Tracer::Number(tangents[i]) == 0));
    if (!active[i]) continue;
    given.push_back(is_number ? tracer.Fill(Tracer::Number(tangents[i]), type) : tangents[i]);
    if (given.back().type() != type) {
      return fail(inner.Fail(absl::StrCat("tangent ", i, " is ", given.back().type().ToString(),
                                          ", and the argument ", type.ToString())));
    }
  }
  ir::Differentiator differentiator(tracer.module());
  const auto jvp = differentiator.Jvp(inner.function(), inner.MaskOf(active));
  if (!jvp.ok()) return fail(inner.Fail(jvp.status()));
  absl::StatusOr<std::vector<ir::ValueId>> values = inner.Values(arguments);
  const absl::StatusOr<std::vector<ir::ValueId>> given_values = tracer.Values(given);
  if (!values.ok() || !given_values.ok()) {
    return fail(inner.Fail(values.ok() ? given_values.status() : values.status()));
  }
  values->insert(values->end(), given_values->begin(), given_values->end());
  const std::vector<ir::ValueId> results = ir::CopyBody(tracer.builder(), jvp->function, *values);
  ValuesAndTangents both{
      .values = Made(tracer, absl::MakeConstSpan(results).subspan(0, inner.num_results()))};
  size_t next = inner.num_results();
  for (size_t i = 0; i < inner.num_results(); ++i) {
    both.tangents.push_back(jvp->active_results[i] ? tracer.Make(results[next++])
                                                   : tracer.Fill(0, inner.ResultType(i)));
  }
  return both;
}

ValuesAndPullback PullbackOf(const TracedFunction& function, const std::vector<Tensor>& arguments) {
  const auto inner =
      std::make_shared<InnerFunction>("Vjp", function, Tracer::Current(), TypesOf(arguments));
  const auto failing = [count = arguments.size()](const Tensor& failed) -> ValuesAndPullback {
    return {{failed}, [=](const std::vector<Tensor>&) { return Placeholders(count, failed); }};
  };
  if (inner->tracer() == nullptr) return failing(Tracer::BadNumber());
  if (!inner->ok()) return failing(inner->Fail("the function failed"));
  std::vector<bool> active;
  for (const ir::TensorType& type : inner->types()) active.push_back(ir::HasTangents(type));
  absl::StatusOr<Reverse> made = ReverseOf(*inner, arguments, active);
  if (!made.ok()) return failing(inner->Fail(made.status()));
  const auto reverse = std::make_shared<const Reverse>(*std::move(made));
  auto pull_back = [inner, reverse, active](const std::vector<Tensor>& cotangents) {
    const std::shared_ptr<Tracer> tracer = Tracer::Current();
    if (tracer == nullptr) return Placeholders(active.size(), Tracer::BadNumber());
    if (cotangents.size() != inner->num_results()) {
      return Placeholders(active.size(), inner->Fail(absl::StrCat(
                                             "there are ", inner->num_results(), " results and ",
                                             cotangents.size(), " cotangents")));
    }
    std::vector<Tensor> given;
    for (size_t i = 0; i < cotangents.size(); ++i) {
      const ir::TensorType& type = inner->ResultType(i);
      given.push_back(Tracer::IsNumber(cotangents[i])
                          ? tracer->Fill(Tracer::Number(cotangents[i]), type)
                          : cotangents[i]);
      if (given.back().type() != type) {
        return Placeholders(
            active.size(),
            inner->Fail(absl::StrCat("cotangent ", i, " is ", given.back().type().ToString(),
                                     ", and the result ", type.ToString())));
      }
    }
    const auto results = PullBack(*tracer, *reverse, given);
    if (!results.ok()) return Placeholders(active.size(), inner->Fail(results.status()));
    std::vector<Tensor> pulled;
    size_t next = 0;
    for (size_t i = 0; i < active.size(); ++i) {
      pulled.push_back(active[i] ? tracer->Make((*results)[next++])
                                 : tracer->Fill(0, inner->types()[i]));
    }
    return pulled;
  };
  return {reverse->values, std::move(pull_back)};
}

Tensor JacobianOf(const TracedFunction& function, const std::vector<Tensor>& arguments,
                  size_t wanted, bool forward) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return Tracer::BadNumber();
  const ir::TensorType argument = arguments[wanted].type();
  // Rows of the identity matrix, each in the form of a tensor of this type.
  const auto basis = [&](const ir::TensorType& type) {
    ir::Dims dims = type.dims;
    dims.insert(dims.begin(), type.num_elements());
    return Reshape(Eye(type.num_elements(), -1, 0, type.dtype), dims);
  };
  const auto fail = [&](const ir::TensorType& type) {
    return tracer->Fail(
        "Jacobian", absl::StrCat("argument ", wanted, " is ", argument.ToString(),
                                 ", and the result ", type.ToString(), "; both must be floats"));
  };
  if (!ir::IsFloat(argument.dtype)) return fail({});
  Tensor rows;
  ir::TensorType result;
  if (forward) {
    const auto column = [&](const std::vector<Tensor>& direction) {
      std::vector<Tensor> tangents(arguments.size(), 0);
      tangents[wanted] = direction[0];
      ValuesAndTangents both = TangentsOf(function, arguments, tangents);
      result = both.values[0].type();
      return std::vector<Tensor>{both.tangents[0]};
    };
    rows = BatchOf(column, {basis(argument)}, {0}, std::nullopt)[0];
    if (!tracer->status().ok()) return rows;
    if (!ir::IsFloat(result.dtype)) return fail(result);
    rows = MoveAxis(rows, 0, -1);
  } else {
    const ValuesAndPullback both = PullbackOf(function, arguments);
    if (!tracer->status().ok()) return both.values[0];
    result = both.values[0].type();
    if (!ir::IsFloat(result.dtype)) return fail(result);
    const auto row = [&](const std::vector<Tensor>& direction) {
      std::vector<Tensor> cotangents(both.values.size(), 0);
      cotangents[0] = direction[0];
      return std::vector<Tensor>{both.pull_back(cotangents)[wanted]};
    };
    rows = BatchOf(row, {basis(result)}, {0}, std::nullopt)[0];
  }
  if (!tracer->status().ok()) return rows;
  ir::Dims dims = result.dims;
  dims.insert(dims.end(), argument.dims.begin(), argument.dims.end());
  return Reshape(rows, dims);
}

}  // namespace internal

}  // namespace acceld::client

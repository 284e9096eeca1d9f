#include "client/tracing/transforms.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/tracing/inner_function.h"
#include "client/tracing/tracer.h"
#include "common/ir/transform/batcher.h"
#include "common/ir/transform/copy_function.h"
#include "common/ir/transform/differentiate.h"
#include "common/ir/transform/transposer.h"

namespace acceld::client {
namespace {

// A function in reverse mode: its known part is in the trace already.
struct Reverse {
  std::vector<Tensor> values;
  ir::Function transpose;  // from residuals, then cotangents of the active results
  std::vector<Tensor> residuals;
  ir::Mask active_results;
};

absl::StatusOr<Reverse> ReverseOf(const InnerFunction& inner, const std::vector<Tensor>& arguments,
                                  const std::vector<bool>& active) {
  Tracer& tracer = *inner.tracer();
  ir::Differentiator differentiator(tracer.module());
  ACCELD_ASSIGN_OR_RETURN(const ir::LinearizedFunction split,
                          differentiator.Linearize(inner.function(), inner.MaskOf(active)));
  ir::Mask linear(split.linear.body.parameters.size());
  std::fill_n(linear.begin(), linear.size() - split.residuals.size(), true);
  Reverse reverse{.active_results = split.active_results};
  ACCELD_ASSIGN_OR_RETURN(reverse.transpose,
                          ir::Transposer(differentiator).Transpose(split.linear, linear));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ir::ValueId> values, inner.Values(arguments));
  const std::vector<ir::ValueId> known = ir::CopyBody(tracer.builder(), split.known, values);
  for (const ir::LinearizedFunction::Residual& residual : split.residuals) {
    reverse.residuals.push_back(
        tracer.Make(residual.is_argument ? values[residual.index] : known[residual.index]));
  }
  reverse.values = Made(tracer, absl::MakeConstSpan(known).subspan(0, inner.num_results()));
  return reverse;
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
  return ir::CopyBody(tracer.builder(), reverse.transpose, values);
}

std::vector<Tensor> Placeholders(size_t count, const Tensor& failed) {
  return std::vector<Tensor>(count, failed);
}

}  // namespace

namespace internal {

ValuesAndGradients GradientsOf(const TracedFunction& function, const std::vector<Tensor>& arguments,
                               const std::vector<size_t>& wanted) {
  const InnerFunction inner("Grad", function, Tracer::Of(arguments), TypesOf(arguments));
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
                            const std::vector<std::optional<int64_t>>& in_axes, int64_t out_axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(arguments);
  if (tracer == nullptr) return {Tracer::BadNumber()};
  const auto fail = [&](absl::string_view what) -> std::vector<Tensor> {
    return {tracer->Fail(ShapeError("Vmap", what))};
  };
  if (!in_axes.empty() && in_axes.size() != arguments.size()) {
    return fail(absl::StrCat("in_axes has ", in_axes.size(), " entries, and there are ",
                             arguments.size(), " arguments"));
  }
  // Moves the examples to the front, and finds how many there are.
  std::vector<Tensor> moved = arguments;
  std::vector<ir::TensorType> types = TypesOf(arguments);
  std::vector<bool> batched(arguments.size());
  std::optional<int64_t> size;
  size_t first = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::optional<int64_t> axis = in_axes.empty() ? 0 : in_axes[i];
    if (!axis.has_value()) continue;
    const absl::StatusOr<int64_t> normal = NormalAxis("Vmap", *axis, types[i].rank());
    if (!normal.ok()) {
      return {tracer->Fail(Annotate(normal.status(), absl::StrCat("argument ", i)))};
    }
    const int64_t examples = types[i].dims[*normal];
    if (size.has_value() && *size != examples) {
      return fail(absl::StrCat("argument ", i, " has ", examples, " examples along axis ", *axis,
                               ", and argument ", first, " has ", *size));
    }
    if (!size.has_value()) first = i;
    size = examples;
    batched[i] = true;
    Axes order(static_cast<size_t>(types[i].rank()));
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + *normal, order.begin() + *normal + 1);
    if (*normal != 0) moved[i] = Transpose(arguments[i], order);
    types[i].dims.erase(types[i].dims.begin() + *normal);
  }
  if (!size.has_value()) return fail("no argument has examples");
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
    if (!batch->batched_results[i]) {
      ir::Dims dims = results[i].shape();
      dims.insert(dims.begin(), *size);
      results[i] = BroadcastTo(results[i], dims);
    }
    const absl::StatusOr<int64_t> axis = NormalAxis("Vmap", out_axis, results[i].rank());
    if (!axis.ok()) return {tracer->Fail(axis.status())};
    if (*axis == 0) continue;
    Axes order(static_cast<size_t>(results[i].rank()));
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + 1, order.begin() + *axis + 1);
    results[i] = Transpose(results[i], order);
  }
  return results;
}

}  // namespace internal

Tangents Jvp(const TracedFunction& function, const std::vector<Tensor>& arguments,
             const std::vector<Tensor>& tangents) {
  const InnerFunction inner("Jvp", function, Tracer::Of(arguments), TypesOf(arguments));
  if (inner.tracer() == nullptr) return {{Tracer::BadNumber()}, {Tracer::BadNumber()}};
  const auto fail = [](const Tensor& failed) -> Tangents { return {{failed}, {failed}}; };
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
    active.push_back(ir::HasTangents(type));
    if (!active[i]) continue;
    given.push_back(Tracer::IsNumber(tangents[i]) ? tracer.Fill(Tracer::Number(tangents[i]), type)
                                                  : tangents[i]);
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
  Tangents both{.values =
                    Made(tracer, absl::MakeConstSpan(results).subspan(0, inner.num_results()))};
  size_t next = inner.num_results();
  for (size_t i = 0; i < inner.num_results(); ++i) {
    both.tangents.push_back(jvp->active_results[i] ? tracer.Make(results[next++])
                                                   : tracer.Fill(0, inner.ResultType(i)));
  }
  return both;
}

Pullback Vjp(const TracedFunction& function, const std::vector<Tensor>& arguments) {
  const auto inner =
      std::make_shared<InnerFunction>("Vjp", function, Tracer::Of(arguments), TypesOf(arguments));
  const auto failing = [count = arguments.size()](const Tensor& failed) -> Pullback {
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
    std::vector<Tensor> all = cotangents;
    all.insert(all.end(), reverse->values.begin(), reverse->values.end());
    Tracer& tracer = *Tracer::Of(all);  // The cotangents may be those of a trace inside.
    if (cotangents.size() != inner->num_results()) {
      return Placeholders(active.size(), inner->Fail(absl::StrCat(
                                             "there are ", inner->num_results(), " results and ",
                                             cotangents.size(), " cotangents")));
    }
    std::vector<Tensor> given;
    for (size_t i = 0; i < cotangents.size(); ++i) {
      const ir::TensorType& type = inner->ResultType(i);
      given.push_back(Tracer::IsNumber(cotangents[i])
                          ? tracer.Fill(Tracer::Number(cotangents[i]), type)
                          : cotangents[i]);
      if (given.back().type() != type) {
        return Placeholders(
            active.size(),
            inner->Fail(absl::StrCat("cotangent ", i, " is ", given.back().type().ToString(),
                                     ", and the result ", type.ToString())));
      }
    }
    const auto results = PullBack(tracer, *reverse, given);
    if (!results.ok()) return Placeholders(active.size(), inner->Fail(results.status()));
    std::vector<Tensor> pulled;
    size_t next = 0;
    for (size_t i = 0; i < active.size(); ++i) {
      pulled.push_back(active[i] ? tracer.Make((*results)[next++])
                                 : tracer.Fill(0, inner->types()[i]));
    }
    return pulled;
  };
  return {reverse->values, std::move(pull_back)};
}

}  // namespace acceld::client

#include "client/tracing/transforms/custom_rules.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/tracing/inner_function.h"
#include "client/tracing/tracer.h"
#include "common/ir/transform/composites/composite_rule.h"
#include "common/ir/transform/composites/custom_rules.h"
#include "common/ir/transform/copy_function.h"

namespace acceld::client {
namespace {

using ir::TensorType;

// Functions that are traced together, for composites: all of them take their own arguments,
// followed by what any of them captures.
class Group {
 public:
  Group(absl::string_view operation, std::shared_ptr<Tracer> tracer)
      : operation_(operation), tracer_(std::move(tracer)) {}

  // Traces a function; returns its number. All is well as long as ok() says so.
  size_t Trace(const TracedFunction& function, std::vector<TensorType> types) {
    members_.push_back(
        std::make_unique<InnerFunction>(operation_, function, tracer_, std::move(types)));
    const InnerFunction& member = *members_.back();
    captures_.insert(captures_.end(), member.captures().begin(), member.captures().end());
    return members_.size() - 1;
  }
  bool ok() const { return tracer_->status().ok(); }
  const InnerFunction& operator[](size_t i) const { return *members_[i]; }
  const std::vector<Tensor>& captures() const { return captures_; }

  // Adds a member to the module, and returns its name.
  ir::FunctionName Add(size_t number, const std::string& name) {
    const InnerFunction& member = *members_[number];
    ir::FunctionBuilder builder(name, /*is_public=*/false);
    std::vector<ir::ValueId> arguments;
    for (const TensorType& type : member.types()) arguments.push_back(builder.AddParameter(type));
    for (size_t i = 0; i < members_.size(); ++i) {
      for (const Tensor& capture : members_[i]->captures()) {
        const ir::ValueId parameter = builder.AddParameter(capture.type());
        if (i == number) arguments.push_back(parameter);
      }
    }
    std::vector<ir::ValueId> results = ir::CopyBody(builder, member.function(), arguments);
    return {ir::AddFunction(tracer_->module(), builder.Finish(std::move(results)), name)};
  }

  // Appends the composite of the arguments and what is captured.
  std::vector<Tensor> Append(ir::CompositeAttributes attributes,
                             const std::vector<Tensor>& arguments) {
    std::vector<Tensor> operands = InTrace(*tracer_, arguments);
    operands.insert(operands.end(), captures_.begin(), captures_.end());
    absl::StatusOr<std::vector<ir::ValueId>> values = tracer_->Values(operands);
    if (!values.ok()) return {tracer_->Fail(Annotate(values.status(), operation_))};
    return Made(*tracer_,
                ir::AddComposite(tracer_->module(), tracer_->builder(), std::move(attributes),
                                 *std::move(values), tracer_->location()));
  }

 private:
  const std::string operation_;
  const std::shared_ptr<Tracer> tracer_;
  std::vector<std::unique_ptr<InnerFunction>> members_;
  std::vector<Tensor> captures_;
};

ir::Attribute Symbol(const ir::FunctionName& name) {
  ir::Attribute attribute;
  attribute.value = ir::SymbolAttribute{name.name};
  return attribute;
}
ir::Attribute Number(size_t number) {
  ir::Attribute attribute;
  attribute.value = ir::IntegerAttribute{.value = static_cast<int64_t>(number)};
  return attribute;
}

// Those of `tensors` whose types have tangents.
template <typename T>
std::vector<T> WithTangents(const std::vector<T>& values, const std::vector<TensorType>& types) {
  std::vector<T> chosen;
  for (size_t i = 0; i < values.size(); ++i) {
    if (ir::HasTangents(types[i])) chosen.push_back(values[i]);
  }
  return chosen;
}

// All values of these types, of which `given` has those with tangents; zeros for the others.
std::vector<Tensor> WithZeros(Tracer& tracer, absl::Span<const Tensor> given,
                              const std::vector<TensorType>& types) {
  std::vector<Tensor> all;
  size_t next = 0;
  for (const TensorType& type : types) {
    all.push_back(ir::HasTangents(type) ? given[next++] : tracer.Fill(0, type));
  }
  return all;
}

// Numbers among `values` become constants of these types. An error names the first value that has
// another type.
absl::Status FitTo(Tracer& tracer, absl::string_view what, std::vector<Tensor>& values,
                   const std::vector<TensorType>& types) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (!ir::HasTangents(types[i])) continue;
    if (Tracer::IsNumber(values[i])) values[i] = tracer.Fill(Tracer::Number(values[i]), types[i]);
    if (values[i].type() != types[i]) {
      return absl::InvalidArgumentError(absl::StrCat(
          what, " ", i, " is ", values[i].type().ToString(), ", not ", types[i].ToString()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

namespace internal {

std::vector<Tensor> StopGradientOf(const std::vector<Tensor>& tensors) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return tensors;
  std::vector<Tensor> stopped;
  for (const Tensor& tensor : InTrace(*tracer, tensors)) {
    const absl::StatusOr<std::vector<ir::ValueId>> value = tracer->Values({tensor});
    if (!value.ok()) return {tracer->Fail(Annotate(value.status(), "StopGradient"))};
    // One identity function for each type.
    const std::string name =
        absl::StrCat("stop_gradient.", absl::StrJoin(tensor.shape(), "x"),
                     tensor.rank() == 0 ? "" : "x", ir::DTypeName(tensor.dtype()));
    if (tracer->module().Find(name) == nullptr) {
      ir::FunctionBuilder builder(name, /*is_public=*/false);
      const ir::ValueId parameter = builder.AddParameter(tensor.type());
      ir::AddFunction(tracer->module(), builder.Finish({parameter}), name);
    }
    stopped.push_back(tracer->Make(
        ir::AddComposite(tracer->module(), tracer->builder(),
                         {.name = std::string(ir::kStopGradient), .decomposition = {name}}, *value,
                         tracer->location())[0]));
  }
  return stopped;
}

std::vector<Tensor> CheckpointOf(const TracedFunction& function,
                                 const std::vector<Tensor>& arguments) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return function(arguments);
  Group group("Checkpoint", tracer);
  const size_t number = group.Trace(function, TypesOf(arguments));
  if (!group.ok()) return {tracer->Fail(tracer->status())};
  return group.Append(
      {.name = std::string(ir::kCheckpoint), .decomposition = group.Add(number, "checkpoint")},
      arguments);
}

std::vector<Tensor> CustomJvpOf(const TracedFunction& function, const TracedFunction& rule,
                                const std::vector<Tensor>& arguments) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return function(arguments);
  Group group("CustomJvp", tracer);
  const std::vector<TensorType> types = TypesOf(arguments);
  const size_t value = group.Trace(function, types);
  if (!group.ok()) return {tracer->Fail(tracer->status())};
  const std::vector<TensorType> result_types = group[value].ResultTypes();
  // Only tangents of arguments that have them are operands of the rule.
  const auto jvp = [&](const std::vector<Tensor>& x) {
    Tracer& inner = *Tracer::Current();
    std::vector<Tensor> all(x.begin(), x.begin() + static_cast<int64_t>(types.size()));
    const std::vector<Tensor> tangents =
        WithZeros(inner, absl::MakeConstSpan(x).subspan(types.size()), types);
    all.insert(all.end(), tangents.begin(), tangents.end());
    std::vector<Tensor> both = rule(all);
    const size_t n = result_types.size();
    if (both.size() != 2 * n) {
      inner.Fail("CustomJvp", absl::StrCat("the rule gives ", both.size(), " tensors for ", n,
                                           " results; expected as many, and their tangents"));
      return x;
    }
    std::vector<Tensor> values(both.begin(), both.begin() + static_cast<int64_t>(n));
    std::vector<Tensor> result_tangents(both.begin() + static_cast<int64_t>(n), both.end());
    absl::Status fits = FitTo(inner, "the rule's result", values, result_types);
    fits.Update(FitTo(inner, "the rule's tangent", result_tangents, result_types));
    if (!fits.ok()) inner.Fail(Annotate(fits, "CustomJvp"));
    result_tangents = WithTangents(result_tangents, result_types);
    values.insert(values.end(), result_tangents.begin(), result_tangents.end());
    return values;
  };
  std::vector<TensorType> rule_types = types;
  const std::vector<TensorType> tangent_types = WithTangents(types, types);
  rule_types.insert(rule_types.end(), tangent_types.begin(), tangent_types.end());
  const size_t tangents = group.Trace(jvp, rule_types);
  if (!group.ok()) return {tracer->Fail(tracer->status())};
  ir::CompositeAttributes attributes{.name = std::string(ir::kCustomJvp),
                                     .decomposition = group.Add(value, "custom_jvp")};
  attributes.composite_attributes["jvp"] = Symbol(group.Add(tangents, "custom_jvp.rule"));
  attributes.composite_attributes["arguments"] = Number(types.size());
  return group.Append(std::move(attributes), arguments);
}

std::vector<Tensor> CustomVjpOf(const TracedFunction& function, const TracedFunction& forward,
                                const TracedFunction& backward,
                                const std::vector<Tensor>& arguments) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return function(arguments);
  Group group("CustomVjp", tracer);
  const std::vector<TensorType> types = TypesOf(arguments);
  const size_t value = group.Trace(function, types);
  if (!group.ok()) return {tracer->Fail(tracer->status())};
  const std::vector<TensorType> result_types = group[value].ResultTypes();
  const size_t n = result_types.size();

  // What the backward function captures becomes residuals, as it has no other operands: it is
  // traced inside of `forward`, whose captures these are then.
  std::vector<Tensor> backward_captures;
  ir::Function backward_function;
  const auto with_residuals = [&](const std::vector<Tensor>& x) {
    const std::shared_ptr<Tracer> inner = Tracer::Current();
    std::vector<Tensor> results = InTrace(*inner, forward(x));
    const std::vector<TensorType> given = TypesOf(results);
    if (given.size() < n || !std::equal(result_types.begin(), result_types.end(), given.begin())) {
      inner->Fail("CustomVjp", absl::StrCat("the forward function gives ", TypesText(given),
                                            ", and the function ", TypesText(result_types)));
      return results;
    }
    std::vector<TensorType> inputs(given.begin() + static_cast<int64_t>(n), given.end());
    const size_t num_residuals = inputs.size();
    const std::vector<TensorType> cotangents = WithTangents(result_types, result_types);
    inputs.insert(inputs.end(), cotangents.begin(), cotangents.end());
    const auto pull = [&](const std::vector<Tensor>& y) {
      Tracer& innermost = *Tracer::Current();
      std::vector<Tensor> all(y.begin(), y.begin() + static_cast<int64_t>(num_residuals));
      const std::vector<Tensor> given_cotangents =
          WithZeros(innermost, absl::MakeConstSpan(y).subspan(num_residuals), result_types);
      all.insert(all.end(), given_cotangents.begin(), given_cotangents.end());
      std::vector<Tensor> pulled = backward(all);
      if (pulled.size() != types.size()) {
        innermost.Fail("CustomVjp",
                       absl::StrCat("the backward function gives ", pulled.size(),
                                    " cotangents for ", types.size(), " leaves of arguments"));
        return y;
      }
      const absl::Status fits = FitTo(innermost, "the cotangent of leaf", pulled, types);
      if (!fits.ok()) innermost.Fail(Annotate(fits, "CustomVjp"));
      return WithTangents(pulled, types);
    };
    const InnerFunction traced("CustomVjp", pull, inner, inputs);
    if (!traced.ok()) return results;
    // Its parameters are residuals, cotangents, captures; the captures go before the cotangents.
    ir::FunctionBuilder builder("custom_vjp.backward", /*is_public=*/false);
    std::vector<ir::ValueId> residuals, captured, given_values;
    for (size_t i = 0; i < num_residuals; ++i) residuals.push_back(builder.AddParameter(inputs[i]));
    for (const Tensor& capture : traced.captures()) {
      captured.push_back(builder.AddParameter(capture.type()));
    }
    for (const TensorType& type : cotangents) given_values.push_back(builder.AddParameter(type));
    std::vector<ir::ValueId> all = residuals;
    all.insert(all.end(), given_values.begin(), given_values.end());
    all.insert(all.end(), captured.begin(), captured.end());
    backward_function = builder.Finish(ir::CopyBody(builder, traced.function(), all));
    results.insert(results.end(), traced.captures().begin(), traced.captures().end());
    return results;
  };
  const size_t with = group.Trace(with_residuals, types);
  if (!group.ok()) return {tracer->Fail(tracer->status())};
  ir::CompositeAttributes attributes{.name = std::string(ir::kCustomVjp),
                                     .decomposition = group.Add(value, "custom_vjp")};
  attributes.composite_attributes["forward"] = Symbol(group.Add(with, "custom_vjp.forward"));
  attributes.composite_attributes["backward"] = Symbol(
      {ir::AddFunction(tracer->module(), std::move(backward_function), "custom_vjp.backward")});
  attributes.composite_attributes["arguments"] = Number(types.size());
  return group.Append(std::move(attributes), arguments);
}

}  // namespace internal

}  // namespace acceld::client

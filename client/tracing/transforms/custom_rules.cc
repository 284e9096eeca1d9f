#include "client/tracing/transforms/custom_rules.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
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

using internal::Form;
using internal::LeavesAndForm;
using ir::TensorType;

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

// The error of a function without captures that nevertheless uses tensors of the trace.
constexpr absl::string_view kCapturesWithoutState =
    "the function has no captures, so it is traced once, and uses a tensor from around it";

// Functions that are traced together, for composites: all of them take their own arguments,
// followed by what any of them captures.
class Group {
 public:
  Group(absl::string_view operation, std::shared_ptr<Tracer> tracer)
      : operation_(operation), tracer_(std::move(tracer)) {}

  // Traces a function; returns its number. All is well as long as ok() says so. An exception of the
  // function leaves an error in the trace, because rules that are named already will not come.
  size_t Trace(const TracedFunction& function, std::vector<TensorType> types) {
    try {
      members_.push_back(
          std::make_unique<InnerFunction>(operation_, function, tracer_, std::move(types)));
    } catch (...) {
      tracer_->Fail(operation_, "a function or its rule has thrown an exception");
      throw;
    }
    const InnerFunction& member = *members_.back();
    captures_.insert(captures_.end(), member.captures().begin(), member.captures().end());
    return members_.size() - 1;
  }
  bool ok() const { return tracer_->status().ok(); }
  const InnerFunction& operator[](size_t i) const { return *members_[i]; }
  const std::vector<Tensor>& captures() const { return captures_; }

  // A member that takes its own arguments, then all that is captured.
  ir::Function FunctionOf(size_t number) const {
    const InnerFunction& member = *members_[number];
    ir::FunctionBuilder builder(operation_, /*is_public=*/false);
    std::vector<ir::ValueId> arguments;
    for (const TensorType& type : member.types()) arguments.push_back(builder.AddParameter(type));
    for (size_t i = 0; i < members_.size(); ++i) {
      for (const Tensor& capture : members_[i]->captures()) {
        const ir::ValueId parameter = builder.AddParameter(capture.type());
        if (i == number) arguments.push_back(parameter);
      }
    }
    return builder.Finish(ir::CopyBody(builder, member.function(), arguments));
  }
  // Adds it to the module, and returns its name.
  ir::FunctionName Add(size_t number, const std::string& name) {
    return {ir::AddFunction(tracer_->module(), FunctionOf(number), name)};
  }

  // Names a member, and functions that come later, for calls with `key`.
  Tracer::Callee Declare(const std::string& key, const Form& form, size_t member,
                         const std::string& name, std::initializer_list<const char*> rules) {
    Tracer::Callee callee{
        .name = Add(member, name).name, .rules = {}, .form = form, .owner = nullptr};
    for (const char* rule : rules) {
      const std::string function = absl::StrCat(name, ".", rule);
      callee.rules[rule] = Symbol({ir::AddFunction(tracer_->module(), ir::Function(), function)});
    }
    tracer_->callees().insert_or_assign(key, callee);
    return callee;
  }

  // Appends the composite of a function with rules.
  LeavesAndForm Append(absl::string_view composite, const Tracer::Callee& callee,
                       const std::vector<Tensor>& arguments) {
    ir::CompositeAttributes attributes{.name = std::string(composite),
                                       .composite_attributes = callee.rules,
                                       .decomposition = {callee.name}};
    attributes.composite_attributes["arguments"] = Number(arguments.size());
    return {Append(std::move(attributes), arguments), callee.form};
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

const std::string& NameOf(const Tracer::Callee& callee, const std::string& rule) {
  return std::get<ir::SymbolAttribute>(callee.rules.at(rule).value).name;
}

// The rule of a custom jvp, as the composite has it: only values with tangents have some.
std::vector<Tensor> Tangents(const TracedFunction& rule, const std::vector<Tensor>& x,
                             const std::vector<TensorType>& types,
                             const std::vector<TensorType>& result_types) {
  Tracer& tracer = *Tracer::Current();
  std::vector<Tensor> all(x.begin(), x.begin() + static_cast<int64_t>(types.size()));
  const std::vector<Tensor> tangents =
      WithZeros(tracer, absl::MakeConstSpan(x).subspan(types.size()), types);
  all.insert(all.end(), tangents.begin(), tangents.end());
  std::vector<Tensor> both = rule(all);
  const size_t n = result_types.size();
  if (both.size() != 2 * n) {
    tracer.Fail("CustomJvp", absl::StrCat("the rule gives ", both.size(), " tensors for ", n,
                                          " results; expected as many, and their tangents"));
    return x;
  }
  std::vector<Tensor> values(both.begin(), both.begin() + static_cast<int64_t>(n));
  std::vector<Tensor> result_tangents(both.begin() + static_cast<int64_t>(n), both.end());
  absl::Status fits = FitTo(tracer, "the rule's result", values, result_types);
  fits.Update(FitTo(tracer, "the rule's tangent", result_tangents, result_types));
  if (!fits.ok()) tracer.Fail(Annotate(fits, "CustomJvp"));
  result_tangents = WithTangents(result_tangents, result_types);
  values.insert(values.end(), result_tangents.begin(), result_tangents.end());
  return values;
}

// The backward function of a custom vjp, as the composite has it.
std::vector<Tensor> Cotangents(const TracedFunction& backward, const std::vector<Tensor>& x,
                               size_t num_residuals, const std::vector<TensorType>& types,
                               const std::vector<TensorType>& result_types) {
  Tracer& tracer = *Tracer::Current();
  std::vector<Tensor> all(x.begin(), x.begin() + static_cast<int64_t>(num_residuals));
  const std::vector<Tensor> cotangents =
      WithZeros(tracer, absl::MakeConstSpan(x).subspan(num_residuals), result_types);
  all.insert(all.end(), cotangents.begin(), cotangents.end());
  std::vector<Tensor> pulled = backward(all);
  if (pulled.size() != types.size()) {
    tracer.Fail("CustomVjp",
                absl::StrCat("the backward function gives ", pulled.size(), " cotangents for ",
                             types.size(), " leaves of arguments"));
    return x;
  }
  const absl::Status fits = FitTo(tracer, "the cotangent of leaf", pulled, types);
  if (!fits.ok()) tracer.Fail(Annotate(fits, "CustomVjp"));
  return WithTangents(pulled, types);
}

// A forward function, whose results are followed by residuals, and its backward function. What the
// latter captures becomes residuals, too, as it has no other operands.
class ForwardAndBackward {
 public:
  // Traces both, the backward function inside of the forward one, whose captures are then its own.
  std::vector<Tensor> Trace(const TracedFunction& forward, const TracedFunction& backward,
                            const std::vector<Tensor>& x,
                            const std::vector<TensorType>& result_types) {
    const std::shared_ptr<Tracer> tracer = Tracer::Current();
    const size_t n = result_types.size();
    std::vector<Tensor> results = InTrace(*tracer, forward(x));
    const std::vector<TensorType> given = TypesOf(results);
    if (given.size() < n || !std::equal(result_types.begin(), result_types.end(), given.begin())) {
      tracer->Fail("CustomVjp", absl::StrCat("the forward function gives ", TypesText(given),
                                             ", and the function ", TypesText(result_types)));
      return results;
    }
    const std::vector<TensorType> residuals(given.begin() + static_cast<int64_t>(n), given.end());
    const std::vector<TensorType> cotangents = WithTangents(result_types, result_types);
    std::vector<TensorType> inputs = residuals;
    inputs.insert(inputs.end(), cotangents.begin(), cotangents.end());
    const auto pull = [&](const std::vector<Tensor>& y) {
      return Cotangents(backward, y, residuals.size(), TypesOf(x), result_types);
    };
    const InnerFunction traced("CustomVjp", pull, tracer, inputs);
    if (!traced.ok()) return results;
    // Its parameters are residuals, cotangents, captures; the captures go before the cotangents.
    ir::FunctionBuilder builder("custom_vjp.backward", /*is_public=*/false);
    const auto add = [&](const TensorType& type) { return builder.AddParameter(type); };
    std::vector<ir::ValueId> all, captured, given_values;
    std::transform(residuals.begin(), residuals.end(), std::back_inserter(all), add);
    for (const Tensor& capture : traced.captures()) captured.push_back(add(capture.type()));
    std::transform(cotangents.begin(), cotangents.end(), std::back_inserter(given_values), add);
    all.insert(all.end(), given_values.begin(), given_values.end());
    all.insert(all.end(), captured.begin(), captured.end());
    backward_ = builder.Finish(ir::CopyBody(builder, traced.function(), all));
    results.insert(results.end(), traced.captures().begin(), traced.captures().end());
    return results;
  }

  // The backward function; once.
  ir::Function TakeBackward() { return std::move(backward_); }

 private:
  ir::Function backward_;
};

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

LeavesAndForm CustomJvpOf(const TracedFunction& function, const TracedFunction& rule,
                          const std::vector<Tensor>& arguments, const std::string& key,
                          const MakeForm& make_form) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return {function(arguments), make_form()};
  Group group("CustomJvp", tracer);
  const auto fail = [&]() -> LeavesAndForm { return {{tracer->Fail(tracer->status())}, nullptr}; };
  const std::vector<TensorType> types = TypesOf(arguments);
  const std::string full_key = absl::StrCat("custom_jvp;", key, TypesText(types));
  const auto known = tracer->callees().find(full_key);
  if (known != tracer->callees().end()) {
    return group.Append(ir::kCustomJvp, known->second, arguments);
  }
  const size_t value = group.Trace(function, types);
  if (!group.ok()) return fail();
  const Form form = make_form();
  const std::vector<TensorType> result_types = group[value].ResultTypes();
  // The rule is named before it is traced, as it may call the function.
  Tracer::Callee callee;
  if (!key.empty()) callee = group.Declare(full_key, form, value, "custom_jvp", {"jvp"});
  std::vector<TensorType> rule_types = types;
  const std::vector<TensorType> tangent_types = WithTangents(types, types);
  rule_types.insert(rule_types.end(), tangent_types.begin(), tangent_types.end());
  const auto jvp = [&](const std::vector<Tensor>& x) {
    return Tangents(rule, x, types, result_types);
  };
  const size_t tangents = group.Trace(jvp, rule_types);
  if (!group.ok()) return fail();
  if (key.empty()) {
    callee = group.Declare(full_key, form, value, "custom_jvp", {"jvp"});
    tracer->callees().erase(full_key);
  } else if (!group.captures().empty()) {
    tracer->Fail("CustomJvp", kCapturesWithoutState);
    return fail();
  }
  ir::ReplaceFunction(tracer->module(), NameOf(callee, "jvp"), group.FunctionOf(tangents));
  return group.Append(ir::kCustomJvp, callee, arguments);
}

LeavesAndForm CustomVjpOf(const TracedFunction& function, const TracedFunction& forward,
                          const TracedFunction& backward, const std::vector<Tensor>& arguments,
                          const std::string& key, const MakeForm& make_form) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return {function(arguments), make_form()};
  Group group("CustomVjp", tracer);
  const auto fail = [&]() -> LeavesAndForm { return {{tracer->Fail(tracer->status())}, nullptr}; };
  const std::vector<TensorType> types = TypesOf(arguments);
  const std::string full_key = absl::StrCat("custom_vjp;", key, TypesText(types));
  const auto known = tracer->callees().find(full_key);
  if (known != tracer->callees().end()) {
    return group.Append(ir::kCustomVjp, known->second, arguments);
  }
  const size_t value = group.Trace(function, types);
  if (!group.ok()) return fail();
  const Form form = make_form();
  const std::vector<TensorType> result_types = group[value].ResultTypes();
  Tracer::Callee callee;
  const std::initializer_list<const char*> rules = {"forward", "backward"};
  if (!key.empty()) callee = group.Declare(full_key, form, value, "custom_vjp", rules);
  ForwardAndBackward both;
  const size_t with_residuals = group.Trace(
      [&](const std::vector<Tensor>& x) { return both.Trace(forward, backward, x, result_types); },
      types);
  if (!group.ok()) return fail();
  if (key.empty()) {
    callee = group.Declare(full_key, form, value, "custom_vjp", rules);
    tracer->callees().erase(full_key);
  } else if (!group.captures().empty()) {
    tracer->Fail("CustomVjp", kCapturesWithoutState);
    return fail();
  }
  ir::ReplaceFunction(tracer->module(), NameOf(callee, "forward"),
                      group.FunctionOf(with_residuals));
  ir::ReplaceFunction(tracer->module(), NameOf(callee, "backward"), both.TakeBackward());
  return group.Append(ir::kCustomVjp, callee, arguments);
}

}  // namespace internal

}  // namespace acceld::client

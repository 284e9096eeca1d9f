#include "common/ir/transform/composites/check_composites.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/transform/composites/chlo_functions.h"
#include "common/ir/transform/composites/custom_rules.h"
#include "common/ir/transform/composites/select_and_gather.h"
#include "common/ir/transform/differentiate.h"

namespace acceld::ir {
namespace {

using Types = std::vector<Type>;

Types TypesOf(const Function& function, absl::Span<const ValueId> values) {
  Types types;
  for (const ValueId value : values) types.push_back(function.TypeOf(value));
  return types;
}

void AppendThoseWithTangents(Types& to, absl::Span<const Type> from) {
  std::copy_if(from.begin(), from.end(), std::back_inserter(to), HasTangents);
}

// A composite with a custom rule, and the types of its values.
class CustomRule {
 public:
  CustomRule(const Module& module, const Function& function, const Op& op)
      : module_(module),
        attributes_(op.As<CompositeAttributes>().composite_attributes),
        operands_(TypesOf(function, op.operands)),
        results_(TypesOf(function, op.results)) {}

  absl::Status CheckJvp() {
    ACCELD_RETURN_IF_ERROR(FindArguments());
    Types parameters(operands_.begin(), operands_.begin() + num_arguments_);
    AppendThoseWithTangents(parameters, arguments());
    parameters.insert(parameters.end(), operands_.begin() + num_arguments_, operands_.end());
    Types results = results_;
    AppendThoseWithTangents(results, results_);
    ACCELD_ASSIGN_OR_RETURN(const Function* jvp, FunctionOf("jvp"));
    return Expect("jvp", *jvp, parameters, results);
  }

  absl::Status CheckVjp() {
    ACCELD_RETURN_IF_ERROR(FindArguments());
    ACCELD_ASSIGN_OR_RETURN(const Function* forward, FunctionOf("forward"));
    ACCELD_ASSIGN_OR_RETURN(const Function* backward, FunctionOf("backward"));
    // What the forward function returns after the results are residuals.
    Types results = results_, parameters;
    const Types returned = forward->ResultTypes();
    if (returned.size() > results_.size()) {
      parameters.assign(returned.begin() + static_cast<int64_t>(results_.size()), returned.end());
      results.insert(results.end(), parameters.begin(), parameters.end());
    }
    ACCELD_RETURN_IF_ERROR(Expect("forward", *forward, operands_, results));
    AppendThoseWithTangents(parameters, results_);
    Types cotangents;
    AppendThoseWithTangents(cotangents, arguments());
    return Expect("backward", *backward, parameters, cotangents);
  }

 private:
  absl::Span<const Type> arguments() const {
    return absl::MakeConstSpan(operands_).subspan(0, static_cast<size_t>(num_arguments_));
  }

  absl::Status FindArguments() {
    const auto found = attributes_.find("arguments");
    const auto* number =
        found == attributes_.end() ? nullptr : std::get_if<IntegerAttribute>(&found->second.value);
    const auto count = static_cast<int64_t>(operands_.size());
    if (number == nullptr || number->value < 0 || number->value > count) {
      return absl::InvalidArgumentError(absl::StrCat(
          "it needs an attribute 'arguments', a number of its operands, of which there are ",
          count));
    }
    num_arguments_ = number->value;
    return absl::OkStatus();
  }

  absl::StatusOr<const Function*> FunctionOf(const std::string& rule) const {
    const auto found = attributes_.find(rule);
    const auto* symbol =
        found == attributes_.end() ? nullptr : std::get_if<SymbolAttribute>(&found->second.value);
    if (symbol == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("it needs an attribute '", rule, "' that names a function"));
    }
    const Function* function = module_.Find(symbol->name);
    if (function == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("its attribute '", rule, "' names @",
                                                     symbol->name, ", which does not exist"));
    }
    return function;
  }

  static absl::Status Expect(const std::string& rule, const Function& function,
                             const Types& parameters, const Types& results) {
    const auto text = [](const Types& from, const Types& to) {
      return absl::StrCat("(", ToString(from), ") -> (", ToString(to), ")");
    };
    if (function.ParameterTypes() == parameters && function.ResultTypes() == results) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("its attribute '", rule, "' names @", function.name, ", which is ",
                     text(function.ParameterTypes(), function.ResultTypes()), "; expected ",
                     text(parameters, results)));
  }

  const Module& module_;
  const AttributeDictionary& attributes_;
  const Types operands_, results_;
  int64_t num_arguments_ = 0;
};

absl::Status CheckComposite(const Module& module, const Function& function, const Op& op) {
  const absl::string_view name = op.As<CompositeAttributes>().name;
  if (name == kCustomJvp) return CustomRule(module, function, op).CheckJvp();
  if (name == kCustomVjp) return CustomRule(module, function, op).CheckVjp();
  if (name == kSelectAndGather) return CheckSelectAndGather(module, op);
  if (absl::StartsWith(name, "chlo.")) {
    return CheckChloFunction(name, TypesOf(function, op.operands), TypesOf(function, op.results));
  }
  return absl::OkStatus();
}

absl::Status CheckRegion(const Module& module, const Function& function, const Region& region) {
  for (const Op& op : region.ops) {
    if (op.kind == OpKind::kComposite) {
      const absl::Status status = CheckComposite(module, function, op);
      if (!status.ok()) {
        return Annotate(status, absl::StrCat("@", function.name, ": composite '",
                                             op.As<CompositeAttributes>().name, "'"));
      }
    }
    for (const Region& inner : op.regions) {
      ACCELD_RETURN_IF_ERROR(CheckRegion(module, function, inner));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckComposites(const Module& module) {
  for (const Function& function : module.functions) {
    ACCELD_RETURN_IF_ERROR(CheckRegion(module, function, function.body));
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir

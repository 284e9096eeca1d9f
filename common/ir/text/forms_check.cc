#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/import/distribution.h"
#include "common/ir/text/elements.h"
#include "common/ir/text/forms.h"

// The ops of StableHLO's test programs: the check dialect and interpreter.run_parallel. They become
// custom calls, which conformance/conformance.h describes. Source: StableHLO, CheckOps.td and
// InterpreterOps.td.
namespace acceld::ir::text {
namespace {

constexpr char kValue[] = "value";
constexpr char kTolerance[] = "tolerance";
constexpr char kMaxUlps[] = "max_ulp_difference";
constexpr char kMinUlps[] = "min_ulp_difference";

template <typename... Parts>
absl::Status Refuse(FunctionReader& in, const ParsedOp& op, const Parts&... parts) {
  return in.lexer().Error(op.offset, absl::StrCat("op '", op.name, "' ", parts...));
}

// Reads ':' type after a number if they are next. The number has this type in any case.
void SkipNumberType(FunctionReader& in, absl::string_view type) {
  const size_t begin = in.lexer().Peek().offset;
  if (!in.lexer().TryPunctuation(':') || !in.lexer().TryWord(type)) in.lexer().Seek(begin);
}

// (',' 'tolerance' '=' number (':' 'f64')?)?
absl::Status ReadTolerance(FunctionReader& in, ParsedOp& op) {
  if (!TryField(in, kTolerance)) return absl::OkStatus();
  ACCELD_ASSIGN_OR_RETURN(const double tolerance, ReadFloatValue(in.reader(), DType::kF64));
  op.attributes[kTolerance].value = FloatAttribute{tolerance};
  SkipNumberType(in, "f64");
  return absl::OkStatus();
}

// integer (':' 'ui64')?
absl::Status ReadUlps(FunctionReader& in, ParsedOp& op, const char* attribute) {
  ACCELD_ASSIGN_OR_RETURN(const int64_t ulps, ReadIntegerValue(in.reader(), DType::kUI64));
  op.attributes[attribute] = IntAttribute(ulps, DType::kUI64);
  SkipNumberType(in, "ui64");
  return absl::OkStatus();
}

// actual ',' expected tolerance? dictionary? ':' type of both
absl::Status ExpectEq(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ReadTolerance(in, op));
  ACCELD_RETURN_IF_ERROR(ReadEnd(in, op));
  op.result_types.clear();
  return absl::OkStatus();
}

// actual ',' dense constant tolerance? dictionary?
absl::Status ExpectEqConst(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(in.lexer().Expect(','));
  ACCELD_ASSIGN_OR_RETURN(op.attributes[kValue], ReadAttribute(in.reader()));
  ACCELD_RETURN_IF_ERROR(ReadTolerance(in, op));
  return ReadOptionalDictionary(in.reader(), op.attributes);
}

// actual ',' expected ',' 'max_ulp_difference' '=' ulps (',' 'min_ulp_difference' '=' ulps)? ':'
// dictionary? type ',' type
absl::Status ExpectClose(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ExpectField(in, kMaxUlps));
  ACCELD_RETURN_IF_ERROR(ReadUlps(in, op, kMaxUlps));
  if (TryField(in, kMinUlps)) ACCELD_RETURN_IF_ERROR(ReadUlps(in, op, kMinUlps));
  ACCELD_RETURN_IF_ERROR(in.lexer().Expect(':'));
  ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(in.reader(), op.attributes));
  ACCELD_ASSIGN_OR_RETURN(op.operand_types, ReadTypeList(in.reader()));
  op.has_operand_types = true;
  return absl::OkStatus();
}

// Removes an attribute of the op and returns it; nullopt if the op does not have it.
std::optional<Attribute> Take(ParsedOp& op, const char* name) {
  auto entry = op.attributes.extract(name);
  if (entry.empty()) return std::nullopt;
  return std::move(entry.mapped());
}

// Moves the attributes of a comparison to the backend_config of its custom call, where they are
// written even if they have their defaults.
using TakeConfig = absl::Status (*)(FunctionReader&, ParsedOp&, AttributeDictionary& config);

absl::Status TakeNothing(FunctionReader&, ParsedOp&, AttributeDictionary&) {
  return absl::OkStatus();
}

absl::Status TakeTolerance(FunctionReader& in, ParsedOp& op, AttributeDictionary& config) {
  constexpr double kDefault = 1e-4;
  Attribute tolerance = Take(op, kTolerance).value_or(Attribute{FloatAttribute{kDefault}});
  const auto* number = std::get_if<FloatAttribute>(&tolerance.value);
  if (number == nullptr || number->dtype != DType::kF64) {
    return Refuse(in, op, "has tolerance ", ToString(tolerance), ", expected a number of type f64");
  }
  config.emplace(kTolerance, std::move(tolerance));
  return absl::OkStatus();
}

absl::Status TakeUlps(FunctionReader& in, ParsedOp& op, AttributeDictionary& config) {
  for (const auto& [name, by_default] : {std::pair(kMaxUlps, 1), std::pair(kMinUlps, 0)}) {
    const Attribute ulps = Take(op, name).value_or(IntAttribute(by_default));
    const auto* number = std::get_if<IntegerAttribute>(&ulps.value);
    if (number == nullptr || number->value < 0) {
      return Refuse(in, op, "has ", name, " ", ToString(ulps), ", expected 0 to 2^63 - 1");
    }
    config.emplace(name, IntAttribute(number->value));
  }
  return absl::OkStatus();
}

// An op of the check dialect.
struct CheckOp {
  absl::string_view name;
  absl::string_view target;  // of its custom call
  bool is_const;             // The expected value is an attribute instead of an operand.
  Form form;
  TakeConfig take_config;
};
constexpr CheckOp kCheckOps[] = {
    {"check.expect_almost_eq", "check.expect_almost_eq", false, ExpectEq, TakeTolerance},
    {"check.expect_almost_eq_const", "check.expect_almost_eq", true, ExpectEqConst, TakeTolerance},
    {"check.expect_close", "check.expect_close", false, ExpectClose, TakeUlps},
    {"check.expect_eq", "check.expect_eq", false, ExpectEq, TakeNothing},
    {"check.expect_eq_const", "check.expect_eq", true, ExpectEqConst, TakeNothing},
};

constexpr auto kForms = [] {
  std::array<NamedForm, std::size(kCheckOps)> forms{};
  for (size_t i = 0; i < forms.size(); ++i) forms[i] = {kCheckOps[i].name, kCheckOps[i].form};
  return forms;
}();

// Emits the attribute `value` as a constant, which becomes the second operand.
absl::Status EmitExpected(FunctionReader& in, ParsedOp& op) {
  std::optional<Attribute> value = Take(op, kValue);
  const auto* literal = value.has_value() ? std::get_if<Literal>(&value->value) : nullptr;
  if (literal == nullptr) return Refuse(in, op, "has no dense constant as its value");
  ParsedOp constant;
  constant.name = "stablehlo.constant";
  constant.offset = op.offset;
  constant.location = op.location;
  constant.result_types = {Type(literal->type())};
  constant.attributes.emplace(kValue, *std::move(value));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ValueId> results, in.Emit(constant));
  op.operands.push_back(results[0]);
  return absl::OkStatus();
}

// Makes the op a custom call. `config` holds the attributes that are its own; others may be hints
// only, which the importer knows.
absl::Status BecomeCustomCall(FunctionReader& in, ParsedOp& op, absl::string_view target,
                              AttributeDictionary config) {
  for (const auto& [name, value] : op.attributes) {
    if (!absl::StrContains(name, '.')) return Refuse(in, op, "has no attribute '", name, "'");
  }
  op.name = "stablehlo.custom_call";
  op.attributes["call_target_name"] = TextAttribute(target);
  op.attributes["has_side_effect"] = IntAttribute(1, DType::kI1);
  if (config.empty()) return absl::OkStatus();
  // From version 4 of the interface on, the configuration is a dictionary.
  op.attributes["api_version"] = IntAttribute(4, DType::kI32);
  op.attributes["backend_config"].value = DictionaryAttribute{std::move(config)};
  return absl::OkStatus();
}

absl::Status ReplaceCheck(FunctionReader& in, const CheckOp& check, ParsedOp& op) {
  const size_t count = check.is_const ? 1 : 2;
  if (op.operands.size() != count || !op.result_types.empty() || !op.regions.empty()) {
    return Refuse(in, op, "has ", op.operands.size(), " operands, ", op.result_types.size(),
                  " results and ", op.regions.size(), " regions, expected ", count,
                  " operands only");
  }
  if (check.is_const) ACCELD_RETURN_IF_ERROR(EmitExpected(in, op));
  const Type& actual = in.TypeOf(op.operands[0]);
  const Type& expected = in.TypeOf(op.operands[1]);
  if (!(actual == expected)) {
    return Refuse(in, op, "compares a ", actual.ToString(), " with a ", expected.ToString());
  }
  AttributeDictionary config;
  ACCELD_RETURN_IF_ERROR(check.take_config(in, op, config));
  return BecomeCustomCall(in, op, check.target, std::move(config));
}

absl::Status ReplaceRunParallel(FunctionReader& in, ParsedOp& op) {
  if (!op.regions.empty()) return Refuse(in, op, "has regions");
  AttributeDictionary config;
  for (const char* name : {"infeed", "programs"}) {
    if (auto attribute = Take(op, name)) config.emplace(name, *std::move(attribute));
  }
  if (!config.contains("programs")) return Refuse(in, op, "needs the attribute 'programs'");
  return BecomeCustomCall(in, op, kRunParallelTarget, std::move(config));
}

}  // namespace

absl::Span<const NamedForm> CheckForms() { return kForms; }

absl::Status ReplaceTestOp(FunctionReader& in, ParsedOp& op) {
  if (op.name == kRunParallelTarget) return ReplaceRunParallel(in, op);
  const auto is_it = [&](const CheckOp& check) { return check.name == op.name; };
  const auto* check = std::find_if(std::begin(kCheckOps), std::end(kCheckOps), is_it);
  return check == std::end(kCheckOps) ? absl::OkStatus() : ReplaceCheck(in, *check, op);
}

}  // namespace acceld::ir::text

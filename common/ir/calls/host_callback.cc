#include "common/ir/calls/host_callback.h"

#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/calls/call_graph.h"
#include "common/ir/import/import_op.h"

namespace acceld::ir {
namespace {

constexpr char kDiscardableName[] = "acceld.callback";
constexpr char kEntryName[] = "callback";
// The most operands, and the most results: the addresses of all of them are on the stack during a
// run.
constexpr size_t kMaxValues = 4096;
constexpr int64_t kTypedApi = 4;  // The api_version whose backend_config is a dictionary.

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("custom_call target '", kHostCallbackTarget, "': ", what));
}

absl::Status CheckNumber(int64_t callback) {
  if (callback >= 0 && callback < kMaxHostCallbacks) return absl::OkStatus();
  return Wrong(absl::StrCat("callback ", callback, " is outside [0, ", kMaxHostCallbacks, ")"));
}

bool IsAbsent(const Attribute& attribute) {
  const auto* text = std::get_if<StringAttribute>(&attribute.value);
  return std::holds_alternative<UnitAttribute>(attribute.value) ||
         (text != nullptr && text->value.empty());
}

absl::StatusOr<int64_t> ReadConfig(const Attribute& config) {
  int64_t callback = 0;
  if (const auto* text = std::get_if<StringAttribute>(&config.value)) {
    absl::string_view digits = text->value;
    if (!absl::ConsumePrefix(&digits, absl::StrCat(kEntryName, "=")) ||
        !absl::SimpleAtoi(digits, &callback)) {
      return Wrong(absl::StrCat("backend_config is ", ToString(config),
                                "; it must be {callback = N : i64} or \"callback=N\""));
    }
    return callback;
  }
  const auto* dictionary = std::get_if<DictionaryAttribute>(&config.value);
  if (dictionary == nullptr || dictionary->entries.size() != 1 ||
      dictionary->entries.begin()->first != kEntryName) {
    return Wrong(
        absl::StrCat("backend_config is ", ToString(config), "; it must have one entry, callback"));
  }
  ACCELD_RETURN_IF_ERROR(
      Annotate(ReadField(dictionary->entries.begin()->second, callback), kEntryName));
  return callback;
}

// Recurses as deep as regions nest, which the verifier bounds.
void Collect(const Region& region, std::set<int64_t>& numbers) {
  for (const Op& op : region.ops) {
    if (IsHostCallback(op)) {
      const absl::StatusOr<int64_t> number = HostCallbackOf(op.As<CustomCallAttributes>());
      if (number.ok()) numbers.insert(*number);
    }
    for (const Region& inner : op.regions) Collect(inner, numbers);
  }
}

}  // namespace

bool IsHostCallback(const Op& op) {
  return op.kind == OpKind::kCustomCall &&
         op.As<CustomCallAttributes>().call_target_name == kHostCallbackTarget;
}

absl::StatusOr<int64_t> HostCallbackOf(const CustomCallAttributes& attributes) {
  if (!IsAbsent(attributes.mhlo_backend_config)) return Wrong("it has an mhlo.backend_config");
  ACCELD_ASSIGN_OR_RETURN(const int64_t callback, ReadConfig(attributes.backend_config));
  ACCELD_RETURN_IF_ERROR(CheckNumber(callback));
  return callback;
}

CustomCallAttributes HostCallbackAttributes(int64_t callback, bool has_side_effect) {
  CustomCallAttributes attributes;
  attributes.call_target_name = kHostCallbackTarget;
  attributes.has_side_effect = has_side_effect;
  attributes.backend_config.value =
      DictionaryAttribute{{{kEntryName, {IntegerAttribute{callback}}}}};
  attributes.api_version = kTypedApi;
  return attributes;
}

absl::Status NormalizeHostCallback(ImportedOp& op) {
  absl::optional<int64_t> callback;
  if (const auto found = op.attributes.find(kDiscardableName); found != op.attributes.end()) {
    ACCELD_RETURN_IF_ERROR(
        Annotate(ReadField(found->second, callback.emplace()), kDiscardableName));
    op.attributes.erase(found);
  }
  Attribute& config = op.attributes["backend_config"];
  if (!callback.has_value() || !IsAbsent(config)) {
    ACCELD_ASSIGN_OR_RETURN(const int64_t configured, ReadConfig(config));
    if (callback.value_or(configured) != configured) {
      return Wrong(absl::StrCat(kDiscardableName, " is ", *callback, " and backend_config is ",
                                ToString(config)));
    }
    callback = configured;
  }
  ACCELD_RETURN_IF_ERROR(CheckNumber(*callback));
  config.value = DictionaryAttribute{{{kEntryName, {IntegerAttribute{*callback}}}}};
  op.attributes["api_version"].value = IntegerAttribute{kTypedApi, DType::kI32};
  return absl::OkStatus();
}

absl::Status CheckHostCallbackTypes(absl::Span<const Type> operands,
                                    absl::Span<const Type> results) {
  for (const absl::Span<const Type> types : {operands, results}) {
    if (types.size() > kMaxValues) {
      return Wrong(
          absl::StrCat(types.size(), " operands or results, above the limit of ", kMaxValues));
    }
    for (const Type& type : types) {
      if (type.kind() == Type::Kind::kToken) continue;
      if (!type.IsTensor()) {
        return Wrong(
            absl::StrCat("it takes and gives tensors and tokens, not a ", type.ToString()));
      }
    }
  }
  for (const Type& type : results) {
    if (type.IsTensor() && !type.tensor().IsStatic()) {
      return Wrong(absl::StrCat("the result ", type.ToString(), " has no static type"));
    }
  }
  return absl::OkStatus();
}

std::vector<int64_t> HostCallbacksOf(const Module& module, absl::string_view entry) {
  std::set<int64_t> numbers;
  absl::flat_hash_set<std::string> seen = {std::string(entry)};
  std::vector<std::string> pending = {std::string(entry)};
  while (!pending.empty()) {
    const Function* function = module.Find(pending.back());
    pending.pop_back();
    if (function == nullptr) continue;
    Collect(function->body, numbers);
    for (std::string& callee : CalleesOf(function->body)) {
      if (seen.insert(callee).second) pending.push_back(std::move(callee));
    }
  }
  return {numbers.begin(), numbers.end()};
}

absl::Status CheckHostResults(int64_t callback, absl::Span<const TensorType> expected,
                              absl::Span<const Literal> results) {
  if (results.size() != expected.size()) {
    return absl::InvalidArgumentError(absl::StrCat("host callback ", callback, " gave ",
                                                   results.size(), " results; the program expects ",
                                                   expected.size()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].type() == expected[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "host callback ", callback, ": result ", i, " is a ", results[i].type().ToString(),
        "; the program expects a ", expected[i].ToString()));
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir

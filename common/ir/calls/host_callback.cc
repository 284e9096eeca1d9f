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
#include "common/ir/attributes/attribute_write.h"
#include "common/ir/calls/call_graph.h"
#include "common/ir/import/import_op.h"

namespace acceld::ir {
namespace {

constexpr char kDiscardableName[] = "acceld.callback";
constexpr char kEntryName[] = "callback";
constexpr char kPartitionedName[] = "partitioned";
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

struct Config {
  int64_t callback = 0;
  bool is_partitioned = false;

  Attribute ToAttribute() const {
    DictionaryAttribute dictionary{{{kEntryName, {IntegerAttribute{callback}}}}};
    if (is_partitioned) dictionary.entries[kPartitionedName] = WriteField(true);
    return {std::move(dictionary)};
  }
};

absl::StatusOr<Config> ReadConfig(const Attribute& from) {
  Config config;
  if (const auto* text = std::get_if<StringAttribute>(&from.value)) {
    absl::string_view digits = text->value;
    if (!absl::ConsumePrefix(&digits, absl::StrCat(kEntryName, "=")) ||
        !absl::SimpleAtoi(digits, &config.callback)) {
      return Wrong(absl::StrCat("backend_config is ", ToString(from),
                                "; it must be {callback = N : i64} or \"callback=N\""));
    }
    return config;
  }
  const auto* dictionary = std::get_if<DictionaryAttribute>(&from.value);
  const auto wrong = [&] {
    return Wrong(absl::StrCat("backend_config is ", ToString(from),
                              "; it must have the entry callback and may have partitioned"));
  };
  if (dictionary == nullptr || !dictionary->entries.contains(kEntryName)) return wrong();
  for (const auto& [name, value] : dictionary->entries) {
    if (name == kEntryName) {
      ACCELD_RETURN_IF_ERROR(Annotate(ReadField(value, config.callback), name));
    } else if (name == kPartitionedName) {
      ACCELD_RETURN_IF_ERROR(Annotate(ReadField(value, config.is_partitioned), name));
    } else {
      return wrong();
    }
  }
  return config;
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
  ACCELD_ASSIGN_OR_RETURN(const Config config, ReadConfig(attributes.backend_config));
  ACCELD_RETURN_IF_ERROR(CheckNumber(config.callback));
  return config.callback;
}

bool IsPartitionedHostCallback(const CustomCallAttributes& attributes) {
  const absl::StatusOr<Config> config = ReadConfig(attributes.backend_config);
  return config.ok() && config->is_partitioned;
}

CustomCallAttributes HostCallbackAttributes(int64_t callback, bool has_side_effect) {
  CustomCallAttributes attributes;
  attributes.call_target_name = kHostCallbackTarget;
  attributes.has_side_effect = has_side_effect;
  attributes.backend_config = Config{.callback = callback}.ToAttribute();
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
  Attribute& attribute = op.attributes["backend_config"];
  Config config{.callback = callback.value_or(0)};
  if (!callback.has_value() || !IsAbsent(attribute)) {
    ACCELD_ASSIGN_OR_RETURN(config, ReadConfig(attribute));
    if (callback.value_or(config.callback) != config.callback) {
      return Wrong(absl::StrCat(kDiscardableName, " is ", *callback, " and backend_config is ",
                                ToString(attribute)));
    }
  }
  ACCELD_RETURN_IF_ERROR(CheckNumber(config.callback));
  attribute = config.ToAttribute();
  op.attributes["api_version"].value = IntegerAttribute{kTypedApi, DType::kI32};
  return absl::OkStatus();
}

absl::Status CheckHostCallbackTypes(const CustomCallAttributes& attributes,
                                    absl::Span<const Type> operands,
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
  const bool is_partitioned = IsPartitionedHostCallback(attributes);
  for (const Type& type : results) {
    if (is_partitioned && type.IsTensor()) {
      return Wrong(absl::StrCat("it is partitioned and has a result, a ", type.ToString()));
    }
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

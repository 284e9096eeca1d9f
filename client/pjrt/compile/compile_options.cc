#include "client/pjrt/compile/compile_options.h"

#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/pjrt/compile_options.pb.h"

namespace acceld::pjrt {
namespace {

// The type of the values of one of XLA's options. Frameworks pass them with that type or as text.
enum class ValueKind { kBool, kInt, kFloat, kString };

struct IgnoredOption {
  absl::string_view name;
  ValueKind kind;
};
constexpr IgnoredOption kIgnored[] = {
#define IGNORED_OPTION(name, kind) {#name, ValueKind::kind},
#include "client/pjrt/compile/ignored_options.def"
#undef IGNORED_OPTION
};

std::string TextOf(const OptionOverrideProto& value) {
  switch (value.value_case()) {
    case OptionOverrideProto::kBoolField:
      return value.bool_field() ? "true" : "false";
    case OptionOverrideProto::kIntField:
      return absl::StrCat(value.int_field());
    case OptionOverrideProto::kDoubleField:
      return absl::StrCat(value.double_field());
    case OptionOverrideProto::kStringField:
    case OptionOverrideProto::VALUE_NOT_SET:
      return value.string_field();
  }
  return "";
}

absl::Status CheckIgnored(const IgnoredOption& option, const std::string& text) {
  bool as_bool = false;
  int64_t as_int = 0;
  double as_double = 0;
  const auto check = [&](bool is_valid, absl::string_view kind) {
    if (is_valid) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("While setting option ", option.name, ", '",
                                                   text, "' is not a valid ", kind, " value."));
  };
  switch (option.kind) {
    case ValueKind::kBool:
      return check(absl::SimpleAtob(text, &as_bool), "bool");
    case ValueKind::kInt:
      return check(absl::SimpleAtoi(text, &as_int), "int");
    case ValueKind::kFloat:
      return check(absl::SimpleAtod(text, &as_double), "float");
    case ValueKind::kString:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status ReadOption(const std::string& name, const OptionOverrideProto& value,
                        CompileOptions& options) {
  if (name == "acceld_compile") {
    const std::string& start = value.string_field();
    if (start == "now") {
      options.start = CompileOptions::Start::kNow;
    } else if (start == "wait") {
      options.start = CompileOptions::Start::kNowAndWait;
    } else if (start == "later") {
      options.start = CompileOptions::Start::kLater;
    } else {
      return absl::InvalidArgumentError(absl::StrCat("the compile option 'acceld_compile' is '",
                                                     start, "', not 'now', 'wait' or 'later'"));
    }
    return absl::OkStatus();
  }
  if (name == "acceld_callbacks") {
    for (const absl::string_view text : absl::StrSplit(value.string_field(), ',')) {
      if (!absl::SimpleAtoi(text, &options.callbacks.emplace_back())) {
        return absl::InvalidArgumentError(absl::StrCat(
            "the compile option 'acceld_callbacks' has '", text, "', which is no number"));
      }
    }
    return absl::OkStatus();
  }
  for (const IgnoredOption& ignored : kIgnored) {
    if (ignored.name == name) return CheckIgnored(ignored, TextOf(value));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "No such compile option: '", name,
      "'; acceld has 'acceld_compile', and accepts of XLA's, to no effect, those that its results "
      "cannot depend on: ",
      absl::StrJoin(kIgnored, ", ", [](std::string* out, const IgnoredOption& option) {
        absl::StrAppend(out, option.name);
      })));
}

}  // namespace

absl::StatusOr<CompileOptions> ReadCompileOptions(absl::string_view serialized) {
  CompileOptionsProto message;
  if (!message.ParseFromString(std::string(serialized))) {
    return absl::InvalidArgumentError(
        absl::StrCat(serialized.size(), " bytes of compile options are no CompileOptionsProto"));
  }
  CompileOptions options{.serialized = std::string(serialized)};
  const auto& build = message.executable_build_options();
  options.num_replicas = build.num_replicas();
  options.num_partitions = build.num_partitions();
  options.use_spmd_partitioning = build.use_spmd_partitioning();
  options.use_shardy_partitioner = build.use_shardy_partitioner();
  if (build.has_device_assignment()) {
    ACCELD_ASSIGN_OR_RETURN(options.assignment, ReadDeviceAssignment(build.device_assignment()));
  }
  for (const auto& [name, value] : message.env_option_overrides()) {
    ACCELD_RETURN_IF_ERROR(ReadOption(name, value, options));
  }
  return options;
}

}  // namespace acceld::pjrt

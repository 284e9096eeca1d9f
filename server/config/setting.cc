#include "server/config/setting.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "server/config/size.h"

namespace acceld::config {
namespace {

absl::Status Unlike(absl::string_view text, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not ", expected));
}

// Formats a bound of the range for messages.
std::string Bound(const Setting& setting, double bound) {
  if (setting.type == SettingType::kSize) return SizeText(static_cast<int64_t>(bound));
  if (setting.type == SettingType::kCount) return absl::StrCat(static_cast<int64_t>(bound));
  return absl::StrCat(bound);
}

absl::Status CheckRange(const Setting& setting, double number, absl::string_view text) {
  // Written so that NaN is out of range.
  if (number >= setting.min && number <= setting.max) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is out of range; the least is ",
                                                 Bound(setting, setting.min), ", the most ",
                                                 Bound(setting, setting.max)));
}

}  // namespace

std::string EnvironmentName(const Setting& setting) {
  return absl::StrCat("ACCELD_",
                      absl::AsciiStrToUpper(absl::StrReplaceAll(setting.name, {{"-", "_"}})));
}

absl::StatusOr<Value> ParseValue(const Setting& setting, absl::string_view text) {
  switch (setting.type) {
    case SettingType::kSwitch: {
      bool on = false;
      if (!absl::SimpleAtob(text, &on)) return Unlike(text, "true or false");
      return Value(on);
    }
    case SettingType::kCount: {
      int64_t count = 0;
      const absl::string_view digits = text.substr(!text.empty() && text[0] == '-' ? 1 : 0);
      // SimpleAtoi alone would accept white space and a plus sign too.
      if (!std::all_of(digits.begin(), digits.end(), &absl::ascii_isdigit) ||
          !absl::SimpleAtoi(text, &count)) {
        return Unlike(text, "a whole number");
      }
      return Value(count);
    }
    case SettingType::kSize: {
      ACCELD_ASSIGN_OR_RETURN(const int64_t bytes, ParseSizeBytes(text));
      return Value(bytes);
    }
    case SettingType::kSeconds: {
      double seconds = 0;
      if (!absl::SimpleAtod(text, &seconds)) return Unlike(text, "a number of seconds");
      return Value(seconds);
    }
    case SettingType::kText:
      return Value(std::string(text));
    case SettingType::kList: {
      std::vector<std::string> parts = absl::StrSplit(text, ',', absl::SkipWhitespace());
      for (std::string& part : parts) absl::StripAsciiWhitespace(&part);
      return Value(std::move(parts));
    }
  }
  return absl::InternalError(setting.name);
}

absl::Status CheckValue(const Setting& setting, const Value& value) {
  const auto check = [&setting](absl::string_view text) {
    return setting.check ? setting.check(text) : absl::OkStatus();
  };
  switch (setting.type) {
    case SettingType::kSwitch:
      return absl::OkStatus();
    case SettingType::kCount: {
      const int64_t count = std::get<int64_t>(value);
      return CheckRange(setting, static_cast<double>(count), absl::StrCat(count));
    }
    case SettingType::kSize: {
      const int64_t bytes = std::get<int64_t>(value);
      return CheckRange(setting, static_cast<double>(bytes), SizeText(bytes));
    }
    case SettingType::kSeconds: {
      const double seconds = std::get<double>(value);
      return CheckRange(setting, seconds, absl::StrCat(seconds));
    }
    case SettingType::kText:
      return check(std::get<std::string>(value));
    case SettingType::kList:
      for (const std::string& text : std::get<std::vector<std::string>>(value)) {
        ACCELD_RETURN_IF_ERROR(check(text));
      }
      return absl::OkStatus();
  }
  return absl::InternalError(setting.name);
}

std::string TomlQuoted(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      absl::StrAppend(&out, "\\", std::string(1, c));
    } else if (byte < 0x20 || byte == 0x7f) {
      absl::StrAppendFormat(&out, "\\u%04x", byte);
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

std::string TomlText(const Setting& setting, const Value& value) {
  switch (setting.type) {
    case SettingType::kSwitch:
      return std::get<bool>(value) ? "true" : "false";
    case SettingType::kCount:
      return absl::StrCat(std::get<int64_t>(value));
    case SettingType::kSize: {
      const std::string text = SizeText(std::get<int64_t>(value));
      return absl::ascii_isdigit(text.back()) ? text : TomlQuoted(text);
    }
    case SettingType::kSeconds: {
      const std::string text = absl::StrFormat("%.17g", std::get<double>(value));
      const std::string shortest = absl::StrCat(std::get<double>(value));
      double again = 0;
      return absl::SimpleAtod(shortest, &again) && again == std::get<double>(value) ? shortest
                                                                                    : text;
    }
    case SettingType::kText:
      return TomlQuoted(std::get<std::string>(value));
    case SettingType::kList: {
      const auto& texts = std::get<std::vector<std::string>>(value);
      return absl::StrCat("[",
                          absl::StrJoin(texts, ", ",
                                        [](std::string* out, const std::string& text) {
                                          out->append(TomlQuoted(text));
                                        }),
                          "]");
    }
  }
  return "";
}

std::string TypeText(const Setting& setting) {
  const auto range = [&setting] {
    return absl::StrCat(" from ", Bound(setting, setting.min), " to ", Bound(setting, setting.max));
  };
  switch (setting.type) {
    case SettingType::kSwitch:
      return "true or false";
    case SettingType::kCount:
      return "count" + range();
    case SettingType::kSize:
      return "size" + range();
    case SettingType::kSeconds:
      return "seconds" + range();
    case SettingType::kText:
      return setting.value_name;
    case SettingType::kList:
      return absl::StrCat("list of ", setting.value_name);
  }
  return "";
}

}  // namespace acceld::config

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/config/daemon_config.h"

// One setting of the daemon and its values, wherever they come from.
namespace acceld::config {

// How a setting is written. A flag or an environment variable is text; a file has types: counts are
// integers, sizes are integers or strings such as "64MiB", seconds are numbers, lists are arrays of
// strings. In an environment variable a list is separated by commas.
enum class SettingType : uint8_t { kSwitch, kCount, kSize, kSeconds, kText, kList };

// kSwitch, kCount and kSize, kSeconds, kText, kList.
using Value = std::variant<bool, int64_t, double, std::string, std::vector<std::string>>;

struct Setting {
  std::string name;  // the flag --NAME, the key NAME of the file, the variable ACCELD_NAME
  std::string help;  // one sentence without its full stop
  std::string group;
  SettingType type = SettingType::kText;
  Value fallback;
  std::string fallback_note;  // what the fallback follows from, when it differs between machines
  std::string value_name;     // of a text: "FOLDER"
  double min = 0, max = 0;    // of counts, sizes (bytes) and seconds
  bool reloadable = false;    // takes effect when the file is read again
  bool secret = false;        // may hold a password: the log never says what it is
  // Beyond type and range; INVALID_ARGUMENT quotes the value.
  std::function<absl::Status(absl::string_view text)> check;
  std::function<void(const Value& value, DaemonConfig& config)> apply;
};

// "ACCELD_MAX_SESSIONS".
std::string EnvironmentName(const Setting& setting);

// Reads what a flag or a variable says. INVALID_ARGUMENT quotes the text and says what is expected.
absl::StatusOr<Value> ParseValue(const Setting& setting, absl::string_view text);
// Range and `check`. INVALID_ARGUMENT.
absl::Status CheckValue(const Setting& setting, const Value& value);

// The value as the file writes it.
std::string TomlText(const Setting& setting, const Value& value);
// "a count from 1 to 64", for people.
std::string TypeText(const Setting& setting);

// A string in double quotes, with TOML's escapes.
std::string TomlQuoted(absl::string_view text);

}  // namespace acceld::config

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/config/daemon_config.h"

// The description of a setting of the daemon, and the conversion of its values from and to text.
namespace acceld::config {

// The type of a setting. Flags and environment variables are text; in an environment variable a
// list is separated by commas. In a file counts are integers, sizes are integers or strings such as
// "64MiB", seconds are numbers, and lists are arrays of strings.
enum class SettingType : uint8_t { kSwitch, kCount, kSize, kSeconds, kText, kList };

// A value of a setting. The alternatives, in order: kSwitch; kCount and kSize; kSeconds; kText;
// kList.
using Value = std::variant<bool, int64_t, double, std::string, std::vector<std::string>>;

// One setting.
struct Setting {
  std::string name;  // the flag --NAME, the key NAME of the file, the variable ACCELD_NAME
  std::string help;  // one sentence without its full stop
  std::string group;
  SettingType type = SettingType::kText;
  Value fallback;
  // Describes the default where it differs between machines; otherwise empty.
  std::string fallback_note;
  std::string value_name;   // the placeholder for a text in help, as "FOLDER"
  double min = 0, max = 0;  // of counts, sizes (bytes) and seconds
  bool reloadable = false;  // takes effect when the file is read again, without a restart
  bool secret = false;      // may contain a password, so its value is not logged
  // Checks a text beyond its type; a list is checked element by element. Returns INVALID_ARGUMENT,
  // quoting the value. May be empty.
  std::function<absl::Status(absl::string_view text)> check;
  // Stores the value in the configuration.
  std::function<void(const Value& value, DaemonConfig& config)> apply;
};

// Returns the name of the environment variable, as "ACCELD_MAX_SESSIONS".
std::string EnvironmentName(const Setting& setting);

// Parses the text of a flag or environment variable. INVALID_ARGUMENT quotes the text and says what
// is expected.
absl::StatusOr<Value> ParseValue(const Setting& setting, absl::string_view text);
// Checks range and `check`. INVALID_ARGUMENT.
absl::Status CheckValue(const Setting& setting, const Value& value);

// Formats a value as in the file.
std::string TomlText(const Setting& setting, const Value& value);
// Describes type and range for documentation, as "count from 1 to 64".
std::string TypeText(const Setting& setting);

// Returns the string in double quotes, with the escapes of TOML.
std::string TomlQuoted(absl::string_view text);

}  // namespace acceld::config

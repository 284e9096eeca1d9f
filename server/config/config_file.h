#pragma once

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/config/setting.h"

namespace acceld::config {

// What a configuration file says.
struct ConfigFile {
  struct Entry {
    Value value;
    int line = 0;
  };
  std::map<std::string, Entry> entries;  // by the setting's name
};

// Reads TOML: a key for each setting that differs from its default. INVALID_ARGUMENT says file,
// line and value: what is no TOML, unknown keys, wrong types, values out of range. `path` is for
// the messages.
absl::StatusOr<ConfigFile> ParseConfigFile(absl::string_view text, absl::string_view path);

// The same from a file. NOT_FOUND, PERMISSION_DENIED or another with the system's message. Blocks.
absl::StatusOr<ConfigFile> ReadConfigFile(const std::string& path);

// Where the file is looked for when none is named: $XDG_CONFIG_HOME/acceld/config.toml (else
// ~/.config/acceld/config.toml), then /etc/acceld/config.toml. Empty when there is neither.
std::string FindConfigFile();

}  // namespace acceld::config

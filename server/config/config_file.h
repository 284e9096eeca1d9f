#pragma once

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/config/setting.h"
#include "server/engine/sharing/quota.h"

namespace acceld::config {

// The contents of a configuration file.
struct ConfigFile {
  // A value and the line that sets it.
  struct Entry {
    Value value;
    int line = 0;
  };
  std::map<std::string, Entry> entries;  // by the setting's name
  engine::Quotas quotas;
};

// Parses TOML: a key for each setting that differs from its default, and tables of quotas,
// [quota.default] and [quota.NAME] for an identity. What the table of an identity leaves out is
// taken from the default table. INVALID_ARGUMENT, naming file, line and value, for text that is not
// TOML, unknown keys, wrong types and values out of range. `path` is only used in messages.
absl::StatusOr<ConfigFile> ParseConfigFile(absl::string_view text, absl::string_view path);

// Reads and parses a file. The errors of ParseConfigFile; NOT_FOUND, PERMISSION_DENIED or another
// code with the system's message. Blocks.
absl::StatusOr<ConfigFile> ReadConfigFile(const std::string& path);

// Returns the file to read when none is named: $XDG_CONFIG_HOME/acceld/config.toml (or, if that
// variable is not set, ~/.config/acceld/config.toml), otherwise /etc/acceld/config.toml. Empty when
// neither exists.
std::string FindConfigFile();

}  // namespace acceld::config

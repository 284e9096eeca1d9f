#pragma once

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/config/setting.h"
#include "server/engine/sharing/quota.h"

namespace acceld::config {

// What a configuration file says.
struct ConfigFile {
  struct Entry {
    Value value;
    int line = 0;
  };
  std::map<std::string, Entry> entries;  // by the setting's name
  engine::Quotas quotas;
};

// Reads TOML: a key for each setting that differs from its default, and tables of quotas:
// [quota.default], and [quota.NAME] for an identity, which takes what it leaves out from the
// default. INVALID_ARGUMENT says file, line and value: what is no TOML, unknown keys, wrong types,
// values out of range. `path` is for the messages.
absl::StatusOr<ConfigFile> ParseConfigFile(absl::string_view text, absl::string_view path);

// The same from a file. NOT_FOUND, PERMISSION_DENIED or another with the system's message. Blocks.
absl::StatusOr<ConfigFile> ReadConfigFile(const std::string& path);

// Where the file is looked for when none is named: $XDG_CONFIG_HOME/acceld/config.toml (else
// ~/.config/acceld/config.toml), then /etc/acceld/config.toml. Empty when there is neither.
std::string FindConfigFile();

}  // namespace acceld::config

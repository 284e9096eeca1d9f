#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/status.h"
#include "server/config/daemon_config.h"
#include "server/config/setting.h"

namespace acceld::config {

// The sources of values that stay the same as long as the process runs: command line and
// environment.
struct FixedSources {
  std::map<std::string, Value> flags;  // by the setting's name
  std::map<std::string, Value> environment;
  std::string file;  // from --config or ACCELD_CONFIG; empty: use FindConfigFile
};

// The value in effect for every setting, and its source. A flag takes precedence over the
// environment, the environment over the file, and the file over the default.
class Effective {
 public:
  static constexpr char kDefault[] = "default";
  // The value of one setting.
  struct Entry {
    Value value;
    std::string source;  // "default", "flag", "environment" or "FILE:LINE"

    bool is_default() const { return source == kDefault; }
  };

  // Reads the file, if there is one, and merges the sources. The errors of ReadConfigFile;
  // NOT_FOUND when a named file does not exist. Blocks.
  static absl::StatusOr<Effective> Load(const FixedSources& fixed);

  const Entry& at(const Setting& setting) const { return entries_.at(setting.name); }
  // Quotas come from the file only, and are reloadable.
  const engine::Quotas& quotas() const { return quotas_; }
  // The path of the file that was read; empty: there is none.
  const std::string& file() const { return file_; }
  // Replaces the values of reloadable settings by those of `newer`.
  void TakeReloadable(const Effective& newer);
  // Converts the values to the configuration of the daemon.
  DaemonConfig ToDaemonConfig() const;
  // Formats all settings in the file's format, each with its source.
  std::string Print() const;

 private:
  std::map<std::string, Entry> entries_;
  engine::Quotas quotas_;
  std::string file_;
};

// The differences between a newly read configuration and the current one of a running daemon.
struct Changes {
  std::vector<std::string> applied;  // "max-sessions: 10 -> 20"
  // The same format, for settings that are not reloadable.
  std::vector<std::string> need_restart;
};
Changes Compare(const Effective& before, const Effective& after);

// Returns the values of those environment variables of settings that are set. INVALID_ARGUMENT,
// naming the variable, for a wrong value.
absl::StatusOr<std::map<std::string, Value>> ReadEnvironment();

}  // namespace acceld::config

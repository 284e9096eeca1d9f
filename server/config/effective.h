#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/status.h"
#include "server/config/daemon_config.h"
#include "server/config/setting.h"

namespace acceld::config {

// Values that stay as long as the process: its command line and environment.
struct FixedSources {
  std::map<std::string, Value> flags;  // by the setting's name
  std::map<std::string, Value> environment;
  std::string file;  // of --config or ACCELD_CONFIG; empty: FindConfigFile
};

// A value for every setting, and where it comes from. A flag stands before the environment, that
// before the file, that before the default.
class Effective {
 public:
  static constexpr char kDefault[] = "default";
  struct Entry {
    Value value;
    std::string source;  // "default", "flag", "environment" or "FILE:LINE"

    bool is_default() const { return source == kDefault; }
  };

  // Reads the file, if there is one, and merges. An error of the file; NOT_FOUND for one that was
  // named and does not exist. Blocks.
  static absl::StatusOr<Effective> Load(const FixedSources& fixed);

  const Entry& at(const Setting& setting) const { return entries_.at(setting.name); }
  // Of the file alone. Reloadable.
  const engine::Quotas& quotas() const { return quotas_; }
  // Empty: there is none.
  const std::string& file() const { return file_; }
  // Takes over what `newer` says of reloadable settings.
  void TakeReloadable(const Effective& newer);
  DaemonConfig ToDaemonConfig() const;
  // In the file's own format, each with its source.
  std::string Print() const;

 private:
  std::map<std::string, Entry> entries_;
  engine::Quotas quotas_;
  std::string file_;
};

// What a newly read configuration changes in a running daemon.
struct Changes {
  std::vector<std::string> applied;       // "max-sessions: 10 -> 20"
  std::vector<std::string> need_restart;  // the same, of settings that are not reloadable
};
Changes Compare(const Effective& before, const Effective& after);

// The settings' environment variables that are set. INVALID_ARGUMENT names the variable.
absl::StatusOr<std::map<std::string, Value>> ReadEnvironment();

}  // namespace acceld::config

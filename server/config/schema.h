#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "server/config/setting.h"

namespace acceld::config {

// Returns every setting of the daemon, in the order of its groups. Flags, environment variables,
// keys of the configuration file, --print-config and deploy/CONFIG.md are all derived from this
// table: a new setting needs only a new row.
const std::vector<Setting>& Settings();

// Returns nullptr when there is no setting of that name.
const Setting* FindSetting(absl::string_view name);

}  // namespace acceld::config

#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "server/config/setting.h"

namespace acceld::config {

// Every setting of the daemon, in the order of its groups. Flags, environment variables, the file,
// --print-config and deploy/CONFIG.md follow from this table: a new setting is a new row.
const std::vector<Setting>& Settings();

// nullptr when there is none.
const Setting* FindSetting(absl::string_view name);

}  // namespace acceld::config

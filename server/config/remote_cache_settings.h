#pragma once

#include "server/config/setting_table.h"

namespace acceld::config {

// Adds the settings of the remote cache, which several daemons share, as a group of their own.
void AddRemoteCacheSettings(SettingTable& table);

}  // namespace acceld::config

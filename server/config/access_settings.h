#pragma once

#include "server/config/setting_table.h"

namespace acceld::config {

// Adds the settings of the group "Access": who may use the daemon for what, and how callers are
// authenticated.
void AddAccessSettings(SettingTable& table);

}  // namespace acceld::config

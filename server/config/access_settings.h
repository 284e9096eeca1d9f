#pragma once

#include "server/config/setting_table.h"

namespace acceld::config {

// The group "Access": who may do what, and how callers are known.
void AddAccessSettings(SettingTable& table);

}  // namespace acceld::config

#pragma once

#include <string>

#include "absl/types/span.h"
#include "client/server_info.h"
#include "client/tools/accelctl/views/table.h"

// Tables about what a daemon has: its devices and the named arrays.
namespace acceld::tools {

Table DeviceTable(absl::Span<const client::DeviceInfo> devices);
// Returns which devices run programs over several of them, for example "devices in gangs: 0, 2", or
// nothing if none does.
std::string GangsText(absl::Span<const client::DeviceInfo> devices);
Table NamedArrayTable(absl::Span<const client::NamedArrayInfo> arrays);

}  // namespace acceld::tools

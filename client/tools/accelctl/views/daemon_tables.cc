#include "client/tools/accelctl/views/daemon_tables.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "client/tools/accelctl/views/format.h"

namespace acceld::tools {

Table DeviceTable(absl::Span<const client::DeviceInfo> devices) {
  Table table({{.heading = "device", .is_number = true},
               {.heading = "kind"},
               {.heading = "name", .least_columns = 12},
               {.heading = "memory", .is_number = true},
               {.heading = "used", .is_number = true},
               {.heading = "peak", .is_number = true},
               {.heading = "executions", .is_number = true},
               {.heading = "queued", .is_number = true},
               {.heading = "architecture", .may_be_absent = true}});
  for (const client::DeviceInfo& d : devices) {
    table.Add({absl::StrCat(d.id), CellText(d.kind), CellText(d.name),
               SizeText(d.memory_limit_bytes), SizeText(d.memory_used_bytes),
               SizeText(d.memory_peak_bytes), absl::StrCat(d.executions), absl::StrCat(d.queued),
               CellText(d.architecture)});
  }
  return table;
}

std::string GangsText(absl::Span<const client::DeviceInfo> devices) {
  std::string text;
  for (const client::DeviceInfo& d : devices) {
    if (d.gangs > 0) absl::StrAppend(&text, text.empty() ? "devices in gangs: " : ", ", d.id);
  }
  return text;
}

Table NamedArrayTable(absl::Span<const client::NamedArrayInfo> arrays) {
  Table table({{.heading = "name", .least_columns = 14},
               {.heading = "owner", .least_columns = 8},
               {.heading = "type", .least_columns = 16},
               {.heading = "size", .is_number = true},
               {.heading = "device", .is_number = true},
               {.heading = "everyone"},
               {.heading = "age", .is_number = true}});
  for (const client::NamedArrayInfo& a : arrays) {
    table.Add({CellText(a.name), CellText(a.owner), a.type.ToString(),
               SizeText(static_cast<uint64_t>(a.type.size_bytes())), absl::StrCat(a.device),
               a.for_everyone ? "yes" : "-", TimeText(a.age_s)});
  }
  return table;
}

}  // namespace acceld::tools

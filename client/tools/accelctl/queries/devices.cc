#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tools/accelctl/queries/queries.h"
#include "client/tools/accelctl/views/daemon_tables.h"
#include "client/tools/accelctl/views/format.h"

namespace acceld::tools {
namespace {

using Json = nlohmann::ordered_json;

Json DevicesJson(const std::vector<client::DeviceInfo>& devices) {
  Json list = Json::array();
  for (const client::DeviceInfo& d : devices) {
    list.push_back({{"id", d.id},
                    {"kind", d.kind},
                    {"name", d.name},
                    {"architecture", d.architecture},
                    {"memory_limit_bytes", d.memory_limit_bytes},
                    {"memory_used_bytes", d.memory_used_bytes},
                    {"memory_peak_bytes", d.memory_peak_bytes},
                    {"executions", d.executions},
                    {"queued", d.queued},
                    {"gangs", d.gangs}});
    if (!d.error.empty()) list.back()["error"] = d.error;
  }
  return list;
}

Json MissingJson(const std::vector<client::MissingDevices>& missing) {
  Json list = Json::array();
  for (const client::MissingDevices& m : missing) {
    list.push_back({{"kind", m.kind}, {"reason", m.reason}});
    if (!m.library.empty()) list.back()["library"] = m.library;
  }
  return list;
}

}  // namespace

absl::Status PrintDevices(client::Admin& admin, const ListOutput& output) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::DeviceInfo> devices, admin.ListDevices());
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::MissingDevices> missing,
                          admin.ListMissingDevices());
  if (output.json) {
    PrintJson({{"devices", DevicesJson(devices)}, {"missing", MissingJson(missing)}});
    return absl::OkStatus();
  }
  std::cout << DeviceTable(devices).Text(output.columns(), "devices");
  if (const std::string gangs = GangsText(devices); !gangs.empty()) output.PrintText(gangs);
  for (const client::DeviceInfo& d : devices) {
    if (d.error.empty()) continue;
    output.PrintText(absl::StrCat("device ", d.id, " works no more: ", PrintableText(d.error)));
  }
  for (const client::MissingDevices& m : missing) {
    output.PrintText(absl::StrCat("no ", m.library.empty() ? m.kind + " device" : m.library, ": ",
                                  PrintableText(m.reason)));
  }
  return absl::OkStatus();
}

}  // namespace acceld::tools

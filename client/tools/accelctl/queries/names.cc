#include <iostream>
#include <vector>

#include "client/tools/accelctl/queries/queries.h"
#include "client/tools/accelctl/views/daemon_tables.h"

namespace acceld::tools {

absl::Status PrintNames(client::Admin& admin, const ListOutput& output) {
  using Json = nlohmann::ordered_json;
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::NamedArrayInfo> arrays, admin.ListNames());
  if (!output.json) {
    std::cout << NamedArrayTable(arrays).Text(output.columns(), "named arrays");
    return absl::OkStatus();
  }
  Json list = Json::array();
  for (const client::NamedArrayInfo& a : arrays) {
    list.push_back({{"name", a.name},
                    {"owner", a.owner},
                    {"type", a.type.ToString()},
                    {"size_bytes", a.type.size_bytes()},
                    {"device", a.device},
                    {"for_everyone", a.for_everyone},
                    {"age_s", a.age_s}});
  }
  PrintJson({{"arrays", list}});
  return absl::OkStatus();
}

}  // namespace acceld::tools

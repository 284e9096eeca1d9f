#include <iostream>
#include <string>

#include "absl/strings/str_format.h"
#include "client/tools/accelctl/queries/queries.h"
#include "client/tools/accelctl/views/counters.h"
#include "client/tools/accelctl/views/format.h"

namespace acceld::tools {

absl::Status PrintStats(client::Admin& admin, const ListOutput& output) {
  ACCELD_ASSIGN_OR_RETURN(const client::ServerStats s, admin.GetStats());
  if (output.json) {
    nlohmann::ordered_json object = CountersJson(s);
    object.update({{"uptime_s", s.uptime_s},
                   {"version", s.version},
                   {"incarnation", s.incarnation},
                   {"draining", s.draining},
                   {"ends_when_idle", s.ends_when_idle}});
    PrintJson(object);
    return absl::OkStatus();
  }
  std::cout << absl::StreamFormat("acceld %s, up %s%s\n", PrintableText(s.version),
                                  TimeText(s.uptime_s), s.draining ? ", draining" : "")
            << CountersText(s, output.columns());
  return absl::OkStatus();
}

}  // namespace acceld::tools

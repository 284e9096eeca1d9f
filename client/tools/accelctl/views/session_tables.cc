#include "client/tools/accelctl/views/session_tables.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "client/tools/accelctl/views/format.h"

namespace acceld::tools {

Table SessionTable(absl::Span<const client::SessionInfo> sessions) {
  Table table({{.heading = "session", .is_number = true},
               {.heading = "client", .least_columns = 12},
               {.heading = "identity", .least_columns = 8},
               {.heading = "priority", .may_be_absent = true},
               {.heading = "age", .is_number = true},
               {.heading = "arrays", .is_number = true, .may_be_absent = true},
               {.heading = "memory", .is_number = true},
               {.heading = "executions", .is_number = true},
               {.heading = "programs", .is_number = true, .may_be_absent = true},
               {.heading = "queued", .is_number = true}});
  for (const client::SessionInfo& s : sessions) {
    table.Add({absl::StrCat(s.id), CellText(s.client_name), CellText(s.identity),
               std::string(client::PriorityName(s.priority)), TimeText(s.age_s),
               absl::StrCat(s.arrays), SizeText(s.array_bytes), absl::StrCat(s.executions),
               absl::StrCat(s.programs), absl::StrCat(s.queued)});
  }
  return table;
}

Table RunningTable(absl::Span<const client::RunningExecution> running) {
  Table table({{.heading = "device", .is_number = true},
               {.heading = "session", .is_number = true},
               {.heading = "identity", .least_columns = 8},
               {.heading = "program", .least_columns = 12},
               {.heading = "age", .is_number = true},
               {.heading = "on device", .is_number = true},
               {.heading = "state"}});
  for (const client::RunningExecution& r : running) {
    table.Add({absl::StrCat(r.device), absl::StrCat(r.session), CellText(r.identity),
               CellText(r.program), TimeText(r.age_s), TimeText(r.on_device_s),
               std::string(StateName(r.state))});
  }
  return table;
}

Table EndedSessionTable(absl::Span<const client::EndedSessionInfo> sessions) {
  // A reason tells more than the number of a session that nobody can name any more.
  Table table({{.heading = "session", .is_number = true, .may_be_absent = true},
               {.heading = "client", .least_columns = 12},
               {.heading = "identity", .least_columns = 8},
               {.heading = "lasted", .is_number = true},
               {.heading = "executions", .is_number = true},
               {.heading = "ended", .is_number = true, .may_be_absent = true},
               {.heading = "why it ended", .least_columns = 28}});
  for (const client::EndedSessionInfo& s : sessions) {
    table.Add({absl::StrCat(s.id), CellText(s.client_name), CellText(s.identity),
               TimeText(s.lasted_s), absl::StrCat(s.executions),
               absl::StrCat(TimeText(s.age_s), " ago"), CellText(s.reason)});
  }
  return table;
}

}  // namespace acceld::tools

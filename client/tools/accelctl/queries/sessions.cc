#include <iostream>
#include <string>
#include <vector>

#include "client/tools/accelctl/queries/queries.h"
#include "client/tools/accelctl/views/session_tables.h"

namespace acceld::tools {
namespace {

using Json = nlohmann::ordered_json;

Json SessionsJson(const std::vector<client::SessionInfo>& sessions) {
  Json list = Json::array();
  for (const client::SessionInfo& s : sessions) {
    list.push_back({{"id", s.id},
                    {"client_name", s.client_name},
                    {"identity", s.identity},
                    {"priority", std::string(client::PriorityName(s.priority))},
                    {"age_s", s.age_s},
                    {"arrays", s.arrays},
                    {"array_bytes", s.array_bytes},
                    {"executions", s.executions},
                    {"programs", s.programs},
                    {"queued", s.queued}});
  }
  return list;
}

Json RunningJson(const std::vector<client::RunningExecution>& running) {
  Json list = Json::array();
  for (const client::RunningExecution& r : running) {
    list.push_back({{"device", r.device},
                    {"session", r.session},
                    {"identity", r.identity},
                    {"program", r.program},
                    {"age_s", r.age_s},
                    {"on_device_s", r.on_device_s},
                    {"state", std::string(StateName(r.state))}});
  }
  return list;
}

Json EndedJson(const std::vector<client::EndedSessionInfo>& sessions) {
  Json list = Json::array();
  for (const client::EndedSessionInfo& s : sessions) {
    list.push_back({{"id", s.id},
                    {"client_name", s.client_name},
                    {"identity", s.identity},
                    {"lasted_s", s.lasted_s},
                    {"age_s", s.age_s},
                    {"executions", s.executions},
                    {"reason", s.reason}});
  }
  return list;
}

}  // namespace

absl::Status PrintSessions(client::Admin& admin, bool ended, const ListOutput& output) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::SessionInfo> open, admin.ListSessions());
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::RunningExecution> running, admin.ListRunning());
  std::vector<client::EndedSessionInfo> last;
  if (ended) {
    ACCELD_ASSIGN_OR_RETURN(last, admin.ListEndedSessions());
  }
  if (output.json) {
    Json json = {{"sessions", SessionsJson(open)}, {"running", RunningJson(running)}};
    if (ended) json["ended"] = EndedJson(last);
    PrintJson(json);
    return absl::OkStatus();
  }
  std::cout << SessionTable(open).Text(output.columns(), "sessions");
  if (!running.empty()) {
    std::cout << "\n" << RunningTable(running).Text(output.columns(), "executions on devices");
  }
  if (ended) {
    std::cout << "\n" << EndedSessionTable(last).Text(output.columns(), "sessions have ended");
  }
  return absl::OkStatus();
}

}  // namespace acceld::tools

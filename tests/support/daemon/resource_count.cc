#include "tests/support/daemon/resource_count.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace acceld::testing {
namespace {

uint64_t CountEntries(const std::string& folder) {
  uint64_t count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entries(folder, error), none; !error && entries != none;
       entries.increment(error)) {
    ++count;
  }
  return count;
}

void AddGrowth(const char* what, uint64_t before, uint64_t now, uint64_t slack, std::string& out) {
  if (now > before + slack) absl::StrAppend(&out, what, " ", before, " -> ", now, "; ");
}

}  // namespace

uint64_t ResidentBytes(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/statm"));
  uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

absl::StatusOr<ResourceCount> ResourceCount::Of(const client::Admin& daemon, pid_t pid) {
  ACCELD_ASSIGN_OR_RETURN(const client::ServerStats stats, daemon.GetStats());
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::DeviceInfo> devices, daemon.ListDevices());
  ResourceCount count{.sessions = stats.sessions,
                      .arrays = stats.arrays,
                      .array_bytes = stats.array_bytes,
                      .spilled_bytes = stats.spilled_bytes};
  for (const client::DeviceInfo& device : devices) {
    count.device_bytes += device.memory_used_bytes;
    count.queued += device.queued;
  }
  count.open_files = CountEntries(absl::StrCat("/proc/", pid, "/fd"));
  count.threads = CountEntries(absl::StrCat("/proc/", pid, "/task"));
  count.resident_bytes = ResidentBytes(pid);
  return count;
}

std::string ResourceCount::GrowthSince(const ResourceCount& before, const Slack& slack) const {
  std::string growth;
  AddGrowth("sessions", before.sessions, sessions, 0, growth);
  AddGrowth("arrays", before.arrays, arrays, 0, growth);
  AddGrowth("bytes of arrays", before.array_bytes, array_bytes, 0, growth);
  AddGrowth("bytes on devices", before.device_bytes, device_bytes, slack.device_bytes, growth);
  AddGrowth("queued", before.queued, queued, 0, growth);
  AddGrowth("spilled bytes", before.spilled_bytes, spilled_bytes, 0, growth);
  AddGrowth("open files", before.open_files, open_files, slack.open_files, growth);
  AddGrowth("threads", before.threads, threads, slack.threads, growth);
  AddGrowth("resident bytes", before.resident_bytes, resident_bytes, slack.resident_bytes, growth);
  return growth;
}

std::string ResourceCount::ToString() const {
  return absl::StrCat(sessions, " sessions, ", arrays, " arrays of ", array_bytes, " bytes, ",
                      device_bytes, " bytes on devices, ", queued, " queued, ", spilled_bytes,
                      " spilled bytes, ", open_files, " open files, ", threads, " threads, ",
                      resident_bytes >> 20, " MiB resident");
}

}  // namespace acceld::testing

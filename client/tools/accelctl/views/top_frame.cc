#include "client/tools/accelctl/views/top_frame.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/tools/accelctl/views/format.h"

namespace acceld::tools {
namespace {

// Executions per second; "-" while they are unknown.
class Rates {
 public:
  Rates(const Sample& now, const Sample* before) : before_(before) {
    if (before == nullptr) return;
    seconds_ = std::chrono::duration<double>(now.time - before->time).count();
    // The daemon was restarted, and counts from zero again.
    if (before->stats.incarnation != now.stats.incarnation || seconds_ <= 0) before_ = nullptr;
  }

  std::string Total(const client::ServerStats& now) const {
    return before_ == nullptr ? "-" : Text(now.executions, before_->stats.executions);
  }
  std::string Of(const client::DeviceInfo& now) const {
    return Text(now, before_ == nullptr ? nullptr : &before_->devices);
  }
  std::string Of(const client::SessionInfo& now) const {
    return Text(now, before_ == nullptr ? nullptr : &before_->sessions);
  }

 private:
  std::string Text(uint64_t now, uint64_t before) const {
    return absl::StrFormat("%.1f", static_cast<double>(now - std::min(now, before)) / seconds_);
  }
  template <typename Info>
  std::string Text(const Info& now, const std::vector<Info>* before) const {
    if (before == nullptr) return "-";
    for (const Info& info : *before) {
      if (info.id == now.id) return Text(now.executions, info.executions);
    }
    return "-";
  }

  const Sample* before_;
  double seconds_ = 0;
};

}  // namespace

std::string TopFrame(const Sample& now, const Sample* before, size_t max_lines) {
  const Rates rates(now, before);
  const client::ServerStats& stats = now.stats;
  std::string frame = absl::StrFormat(
      "acceld %s, up %s%s; %d sessions, %d arrays (%s), %d programs\n"
      "executions %d (%d failed), %s/s; compiles %d (%d failed)\n"
      "cache %d in memory (%s), %d on disk (%s); hits %d memory, %d disk, %d "
      "remote, %d in flight; %d misses\n",
      PrintableText(stats.version), DurationText(stats.uptime_s),
      stats.draining ? ", draining" : "", stats.sessions, stats.arrays, SizeText(stats.array_bytes),
      stats.programs, stats.executions, stats.execution_failures, rates.Total(stats),
      stats.compiles, stats.compile_failures, stats.cache_memory_entries,
      SizeText(stats.cache_memory_bytes), stats.cache_disk_entries,
      SizeText(stats.cache_disk_bytes), stats.cache_hits_memory, stats.cache_hits_disk,
      stats.cache_hits_remote, stats.cache_hits_inflight, stats.cache_misses);
  absl::StrAppend(&frame,
                  absl::StrFormat("\n%-6s %-5s %-30s %10s %10s %10s %7s %8s\n", "DEVICE", "KIND",
                                  "NAME", "USED", "PEAK", "LIMIT", "QUEUED", "EXEC/S"));
  for (const client::DeviceInfo& device : now.devices) {
    absl::StrAppend(
        &frame,
        absl::StrFormat("%-6d %-5s %-30s %10s %10s %10s %7d %8s\n", device.id,
                        PrintableText(device.kind), PrintableText(device.name, 30),
                        SizeText(device.memory_used_bytes), SizeText(device.memory_peak_bytes),
                        SizeText(device.memory_limit_bytes), device.queued, rates.Of(device)));
  }
  absl::StrAppend(&frame, absl::StrFormat("\n%-7s %-28s %-14s %-11s %7s %7s %10s %7s %8s\n",
                                          "SESSION", "CLIENT", "IDENTITY", "PRIORITY", "AGE",
                                          "ARRAYS", "MEMORY", "QUEUED", "EXEC/S"));
  std::vector<client::SessionInfo> sessions = now.sessions;
  std::sort(sessions.begin(), sessions.end(),
            [](const client::SessionInfo& a, const client::SessionInfo& b) {
              return std::tie(b.queued, b.array_bytes, a.id) <
                     std::tie(a.queued, a.array_bytes, b.id);
            });
  size_t lines = static_cast<size_t>(std::count(frame.begin(), frame.end(), '\n'));
  size_t shown = 0;
  for (const client::SessionInfo& session : sessions) {
    // The last line says how many sessions are left out.
    if (max_lines != 0 && lines + 1 >= max_lines && sessions.size() - shown > 1) break;
    absl::StrAppend(
        &frame,
        absl::StrFormat("%-7d %-28s %-14s %-11s %7s %7d %10s %7d %8s\n", session.id,
                        PrintableText(session.client_name, 28), PrintableText(session.identity, 14),
                        std::string(client::PriorityName(session.priority)),
                        DurationText(session.age_s), session.arrays, SizeText(session.array_bytes),
                        session.queued, rates.Of(session)));
    ++lines;
    ++shown;
  }
  if (shown < sessions.size()) absl::StrAppend(&frame, "and ", sessions.size() - shown, " more\n");
  return frame;
}

}  // namespace acceld::tools

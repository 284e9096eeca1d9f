#include "server/observability/status_page/sections.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/observability/status_page/line_chart.h"
#include "server/observability/status_page/units.h"

namespace acceld::observability {
namespace {

// The counts of the remote cache that indicate a problem when they are not zero.
constexpr absl::string_view kAlarming[] = {"refused",         "lost_blobs",      "uploads_failed",
                                           "uploads_dropped", "leases_lost",     "waits_given_up",
                                           "calls_failed",    "breaker_openings"};

Outcomes AllOutcomes(const DaemonStatus& status) {
  Outcomes all;
  for (const engine::DeviceMetrics& device : status.metrics.devices) {
    const Outcomes outcomes = OutcomesOf(device.executions);
    all.ok += outcomes.ok;
    all.failed += outcomes.failed;
    all.cancelled += outcomes.cancelled;
  }
  return all;
}

uint64_t CacheHits(const EngineStats& stats) {
  return stats.cache_hits_memory + stats.cache_hits_disk + stats.cache_hits_remote +
         stats.cache_hits_inflight;
}

std::string MeanText(const HistogramSnapshot& times) {
  const uint64_t count = times.count();
  return count == 0 ? "-" : LatencyText(times.sum_s / static_cast<double>(count));
}

void WriteTile(absl::string_view name, absl::string_view value, absl::string_view note,
               Html& html) {
  html << "<div class=\"card\"><dt>" << name << "</dt><dd class=\"big\">" << value
       << "</dd><dd class=\"muted small\">" << note << "</dd></div>\n";
}

// Writes a name with a value.
void WriteFact(absl::string_view name, absl::string_view value, Html& html) {
  html << "<div><dt>" << name << "</dt><dd>" << value << "</dd></div>\n";
}

// Writes a name with a count. An alarming count is highlighted if it is not zero.
void WriteCountFact(absl::string_view name, uint64_t count, bool alarming, Html& html) {
  html << "<div><dt>" << name << "</dt>";
  if (count == 0) {
    html << "<dd class=\"none\">";
  } else if (alarming) {
    html << "<dd class=\"alert\">";
  } else {
    html << "<dd>";
  }
  html << CountText(count) << "</dd></div>\n";
}

void WriteCell(uint64_t count, Html& html) {
  if (count == 0) {
    html << "<td class=\"zero\">";
  } else {
    html << "<td>";
  }
  html << CountText(count) << "</td>";
}

void WriteTextCell(absl::string_view text, Html& html) { html << "<td>" << text << "</td>"; }

// Writes a bar that shows how much of `limit` is in use, and the peak; `what` labels it for screen
// readers.
void WriteBar(absl::string_view what, uint64_t used, uint64_t peak, uint64_t limit, Html& html) {
  const int percent = Percent(used, limit);
  html << "<svg class=\"bar\" width=\"100%\" height=\"8\" role=\"img\" aria-label=\"" << what
       << ": " << PercentText(used, limit)
       << " in use\"><rect class=\"track\" width=\"100%\" height=\"8\"/>";
  if (percent >= 90) {
    html << "<rect class=\"full\"";
  } else {
    html << "<rect class=\"fill\"";
  }
  html << " width=\"" << absl::StrCat(percent) << "%\" height=\"8\"/>";
  if (peak > used) {
    html << "<rect class=\"peak\" x=\"" << absl::StrCat(std::min(99, Percent(peak, limit)))
         << "%\" width=\"2\" height=\"8\"/>";
  }
  html << "</svg>\n";
}

// Writes the last hour of a device or of the cache: a chart for each of `series`. `key` makes the
// charts' names unique in the page.
template <typename Activity>
void WriteLines(absl::Span<const RecordedSeries<Activity>> series, absl::string_view of_what,
                absl::string_view key, const std::vector<Series>& values, Html& html) {
  html << "<div class=\"lines\">\n";
  for (size_t i = 0; i < values.size(); ++i) {
    WriteLineChart(series[i], of_what, absl::StrCat(key, "-", series[i].json), values[i], html);
  }
  html << "</div>\n";
}

void WriteDevice(const DeviceInfo& info, const engine::DeviceMetrics& metrics,
                 const std::vector<Series>& history, Html& html) {
  const Outcomes outcomes = OutcomesOf(metrics.executions);
  html << "<article class=\"card\">\n<div class=\"row\"><h3><bdi>" << info.name << "</bdi></h3>";
  if (info.error.empty()) {
    html << "<span class=\"pill good\">Healthy</span>";
  } else {
    html << "<span class=\"pill bad\">Lost</span>";
  }
  html << "</div>\n<p class=\"muted small\">Device " << absl::StrCat(info.id) << " &middot; <bdi>"
       << info.kind << "</bdi> &middot; <bdi>" << info.architecture << "</bdi></p>\n";
  if (!info.error.empty()) {
    html << "<p class=\"error bad\"><bdi>" << info.error << "</bdi></p>\n";
  }
  WriteBar("Memory", info.memory_used_bytes, info.memory_peak_bytes, info.memory_limit_bytes, html);
  html << "<p class=\"row small\"><span>" << BytesText(info.memory_used_bytes) << " of "
       << BytesText(info.memory_limit_bytes) << "</span><span class=\"muted\">peak "
       << BytesText(info.memory_peak_bytes) << "</span></p>\n<dl class=\"facts\">\n";
  WriteCountFact("Executions", outcomes.ok, false, html);
  WriteCountFact("Failed", outcomes.failed, true, html);
  WriteCountFact("Cancelled", outcomes.cancelled, false, html);
  WriteCountFact("Queued", info.queued, false, html);
  WriteFact("Mean time", MeanText(metrics.device_time), html);
  WriteFact("Mean wait", MeanText(metrics.queue_time), html);
  if (info.gangs != 0) WriteCountFact("In gangs", info.gangs, false, html);
  if (metrics.spills != 0) WriteCountFact("Spilled arrays", metrics.spills, false, html);
  html << "</dl>\n";
  WriteLines(DeviceSeries(), absl::StrCat("device ", info.id), absl::StrCat("device-", info.id),
             history, html);
  html << "</article>\n";
}

void WriteTier(absl::string_view name, uint64_t entries, uint64_t size_bytes, uint64_t hits,
               uint64_t lookups, uint64_t evictions, Html& html) {
  html << "<tr><th scope=\"row\">" << name << "</th>";
  WriteCell(entries, html);
  WriteTextCell(BytesText(size_bytes), html);
  WriteCell(hits, html);
  WriteTextCell(PercentText(hits, lookups), html);
  WriteCell(evictions, html);
  html << "</tr>\n";
}

// Writes a row for lookups that were not answered by a cache tier.
void WriteAnswered(absl::string_view name, uint64_t count, uint64_t lookups, Html& html) {
  html << "<tr><th scope=\"row\">" << name << "</th><td></td><td></td>";
  WriteCell(count, html);
  WriteTextCell(PercentText(count, lookups), html);
  html << "<td></td></tr>\n";
}

void WriteRemote(const RemoteCacheStats& remote, Html& html) {
  html << "<article class=\"card note\">\n<div class=\"row\"><h3>Remote cache</h3>";
  if (remote.up) {
    html << "<span class=\"pill good\">Up</span>";
  } else {
    html << "<span class=\"pill bad\">Down</span>";
  }
  html << "</div>\n<p class=\"muted small\"><bdi>" << remote.url << "</bdi>";
  if (remote.read_only) html << " &middot; read only";
  html << "</p>\n<dl class=\"facts\">\n";
  WriteFact("Read", BytesText(remote.bytes_read), html);
  WriteFact("Written", BytesText(remote.bytes_written), html);
  for (const auto& [name, count] : remote.counts) {
    std::string words = absl::StrReplaceAll(name, {{"_", " "}});
    if (!words.empty()) words[0] = absl::ascii_toupper(static_cast<unsigned char>(words[0]));
    const bool alarming =
        std::find(std::begin(kAlarming), std::end(kAlarming), name) != std::end(kAlarming);
    WriteCountFact(words, count, alarming, html);
  }
  html << "</dl>\n</article>\n";
}

// Programs over several devices, if there were any.
void WriteGangs(const EngineStats& stats, Html& html) {
  if (stats.gangs == 0 && stats.gangs_waiting == 0) return;
  html << "<div class=\"card note\">\n<h3>Gangs: programs over several devices</h3>\n"
          "<dl class=\"facts\">\n";
  WriteCountFact("Begun", stats.gangs, false, html);
  WriteCountFact("Running", stats.gangs_running, false, html);
  WriteCountFact("Waiting for devices", stats.gangs_waiting, false, html);
  WriteCountFact("Collectives", stats.collectives, false, html);
  WriteFact("Exchanged", BytesText(stats.collective_bytes), html);
  WriteFact("Waited for others", LatencyText(static_cast<double>(stats.collective_wait_ms) / 1000),
            html);
  html << "</dl>\n</div>\n";
}

}  // namespace

void WriteSummary(const DaemonStatus& status, Html& html) {
  const EngineStats& stats = status.stats;
  const Outcomes outcomes = AllOutcomes(status);
  uint64_t queued = 0;
  for (const DeviceInfo& device : status.devices) queued += device.queued;
  const uint64_t hits = CacheHits(stats);
  html << "<dl class=\"tiles\">\n";
  WriteTile("Uptime", DurationText(status.uptime_s), "since the start", html);
  WriteTile("Executions", ShortCountText(outcomes.ok),
            absl::StrCat(ShortCountText(outcomes.failed), " failed, ",
                         ShortCountText(outcomes.cancelled), " cancelled"),
            html);
  WriteTile("Queued", ShortCountText(queued), "executions and uploads", html);
  WriteTile("Sessions", CountText(stats.sessions),
            absl::StrCat(CountText(stats.sessions_total), " since the start"), html);
  WriteTile("Cache hits", PercentText(hits, hits + stats.cache_misses),
            absl::StrCat("of ", ShortCountText(hits + stats.cache_misses), " lookups"), html);
  WriteTile("Compiles", ShortCountText(stats.compiles),
            absl::StrCat(CountText(stats.compile_failures), " failed, mean ",
                         MeanText(status.metrics.compile_time)),
            html);
  html << "</dl>\n";
}

void WriteDevices(const DaemonStatus& status, Html& html) {
  html << "<section aria-labelledby=\"devices\">\n<h2 id=\"devices\">Devices</h2>\n"
          "<div class=\"cards\">\n";
  for (size_t i = 0; i < status.devices.size(); ++i) {
    WriteDevice(status.devices[i], status.metrics.devices[i], status.history.devices[i], html);
  }
  html << "</div>\n";
  const EngineStats& stats = status.stats;
  WriteGangs(stats, html);
  if (stats.host_memory_bytes != 0) {
    html << "<div class=\"card note\">\n<h3>Host memory for spilled arrays</h3>\n";
    WriteBar("Host memory", stats.spilled_bytes, 0, stats.host_memory_bytes, html);
    html << "<p class=\"small\">" << BytesText(stats.spilled_bytes) << " of "
         << BytesText(stats.host_memory_bytes) << "</p>\n</div>\n";
  }
  for (const MissingDevices& missing : status.missing) {
    html << "<p class=\"muted small note\">";
    if (missing.library.empty()) {
      html << "No <bdi>" << missing.kind << "</bdi> devices: <bdi>";
    } else {
      html << "<bdi>" << missing.kind << "</bdi> without <bdi>" << missing.library
           << "</bdi>: <bdi>";
    }
    html << missing.reason << "</bdi></p>\n";
  }
  html << "</section>\n";
}

void WriteQueues(const DaemonStatus& status, Html& html) {
  html << "<section aria-labelledby=\"queues\">\n<h2 id=\"queues\">Queues by priority</h2>\n"
          "<div class=\"card scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"queues\">\n"
          "<table>\n<thead><tr><th scope=\"col\">Device</th>";
  for (size_t i = kNumPriorities; i-- > 0;) {
    html << "<th scope=\"col\">" << PriorityName(static_cast<Priority>(i)) << "</th>";
  }
  html << "</tr></thead>\n<tbody>\n";
  for (size_t d = 0; d < status.devices.size(); ++d) {
    html << "<tr><th scope=\"row\">" << absl::StrCat(status.devices[d].id) << " &middot; <bdi>"
         << status.devices[d].name << "</bdi></th>";
    for (size_t i = kNumPriorities; i-- > 0;) {
      WriteCell(status.metrics.devices[d].queued_by_priority[i], html);
    }
    html << "</tr>\n";
  }
  html << "</tbody>\n</table>\n</div>\n</section>\n";
}

void WriteSessions(const DaemonStatus& status, Html& html) {
  html << "<section aria-labelledby=\"sessions\">\n"
          "<h2 id=\"sessions\">Sessions by identity</h2>\n";
  if (status.identities.empty()) {
    html << "<p class=\"card muted\">No open sessions.</p>\n</section>\n";
    return;
  }
  html << "<div class=\"card scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"sessions\">"
          "\n<table>\n<thead><tr><th scope=\"col\">Identity</th><th scope=\"col\">Sessions</th>"
          "<th scope=\"col\">Handles</th><th scope=\"col\">Memory</th></tr></thead>\n<tbody>\n";
  for (const IdentityUsage& usage : status.identities) {
    html << "<tr><th scope=\"row\"><bdi>" << usage.identity << "</bdi></th>";
    WriteCell(usage.sessions, html);
    WriteCell(usage.handles, html);
    WriteTextCell(BytesText(usage.memory_bytes), html);
    html << "</tr>\n";
  }
  html << "</tbody>\n</table>\n</div>\n</section>\n";
}

void WriteCache(const DaemonStatus& status, Html& html) {
  const EngineStats& stats = status.stats;
  const uint64_t lookups = CacheHits(stats) + stats.cache_misses;
  html << "<section aria-labelledby=\"cache\">\n<h2 id=\"cache\">Executable cache</h2>\n"
          "<div class=\"card scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"cache\">\n"
          "<table>\n<thead><tr><th scope=\"col\">Tier</th><th scope=\"col\">Entries</th>"
          "<th scope=\"col\">Size</th><th scope=\"col\">Lookups</th><th scope=\"col\">Share</th>"
          "<th scope=\"col\">Evicted</th></tr></thead>\n<tbody>\n";
  WriteTier("Memory", stats.cache_memory_entries, stats.cache_memory_bytes, stats.cache_hits_memory,
            lookups, status.metrics.cache_memory_evictions, html);
  WriteTier("Disk", stats.cache_disk_entries, stats.cache_disk_bytes, stats.cache_hits_disk,
            lookups, status.metrics.cache_disk_evictions, html);
  if (stats.remote_cache.has_value()) {
    WriteAnswered("Remote", stats.cache_hits_remote, lookups, html);
  }
  WriteAnswered("Joined a compile", stats.cache_hits_inflight, lookups, html);
  WriteAnswered("Compiled", stats.cache_misses, lookups, html);
  html << "</tbody>\n</table>\n</div>\n";
  html << "<div class=\"card note\">\n";
  WriteLines(CacheSeries(), "executable cache", "cache", status.history.cache, html);
  html << "</div>\n";
  if (stats.cache_dropped != 0) {
    html << "<p class=\"muted small note\">" << CountText(stats.cache_dropped)
         << " bad entries were found on disk and removed.</p>\n";
  }
  if (stats.remote_cache.has_value()) WriteRemote(*stats.remote_cache, html);
  html << "</section>\n";
}

void WriteTrouble(const DaemonStatus& status, Html& html) {
  html << "<section aria-labelledby=\"trouble\">\n"
          "<h2 id=\"trouble\">Latest warnings and errors</h2>\n";
  if (status.trouble.empty()) {
    html << "<p class=\"card muted\">None since the start.</p>\n</section>\n";
    return;
  }
  html << "<ol class=\"card trouble\">\n";
  for (const LogEntry& entry : status.trouble) {
    if (entry.level == LogLevel::kError) {
      html << "<li><span class=\"pill bad\">Error</span>";
    } else {
      html << "<li><span class=\"pill warn\">Warning</span>";
    }
    html << "<p><bdi>" << entry.text << "</bdi>";
    if (entry.count > 1) {
      html << " <span class=\"muted\">&times; " << CountText(entry.count) << "</span>";
    }
    const std::chrono::duration<double> age = status.time - entry.time;
    html << "</p><time class=\"muted small\" datetime=\"" << TimeText(entry.time) << "\" title=\""
         << ReadableTime(entry.time) << "\">" << DurationText(age.count()) << " ago</time></li>\n";
  }
  html << "</ol>\n</section>\n";
}

}  // namespace acceld::observability

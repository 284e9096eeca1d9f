#include "server/observability/status_page/json.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/utf8.h"
#include "nlohmann/json.hpp"
#include "server/observability/status_page/units.h"

namespace acceld::observability {
namespace {

// Keeps the order in which keys are added, so that people find them where the page has them.
using Json = nlohmann::ordered_json;

// Six digits are enough for a measured value, and `null` stands for one that does not exist.
Json Real(double number) {
  double rounded = 0;
  if (!std::isfinite(number) || !absl::SimpleAtod(absl::StrCat(number), &rounded)) return nullptr;
  return rounded;
}

Json DevicesJson(const DaemonStatus& status) {
  Json devices = Json::array();
  for (size_t i = 0; i < status.devices.size(); ++i) {
    const DeviceInfo& info = status.devices[i];
    const engine::DeviceMetrics& metrics = status.metrics.devices[i];
    const Outcomes outcomes = OutcomesOf(metrics.executions);
    Json queued = Json::object();
    for (size_t priority = 0; priority < kNumPriorities; ++priority) {
      queued[std::string(PriorityName(static_cast<Priority>(priority)))] =
          metrics.queued_by_priority[priority];
    }
    devices.push_back({{"id", info.id},
                       {"kind", EscapeNonUtf8(info.kind)},
                       {"name", EscapeNonUtf8(info.name)},
                       {"architecture", EscapeNonUtf8(info.architecture)},
                       {"healthy", info.error.empty()},
                       {"error", EscapeNonUtf8(info.error)},
                       {"memory_used_bytes", info.memory_used_bytes},
                       {"memory_peak_bytes", info.memory_peak_bytes},
                       {"memory_limit_bytes", info.memory_limit_bytes},
                       {"queued", info.queued},
                       {"queued_by_priority", std::move(queued)},
                       {"gangs", info.gangs},
                       {"executions_ok", outcomes.ok},
                       {"executions_failed", outcomes.failed},
                       {"executions_cancelled", outcomes.cancelled},
                       {"device_seconds", Real(metrics.device_time.sum_s)},
                       {"queue_seconds", Real(metrics.queue_time.sum_s)},
                       {"spills", metrics.spills},
                       {"restores", metrics.restores}});
  }
  return devices;
}

Json MissingJson(const DaemonStatus& status) {
  Json all = Json::array();
  for (const MissingDevices& missing : status.missing) {
    all.push_back({{"kind", EscapeNonUtf8(missing.kind)},
                   {"library", EscapeNonUtf8(missing.library)},
                   {"reason", EscapeNonUtf8(missing.reason)}});
  }
  return all;
}

Json SessionsJson(const DaemonStatus& status) {
  Json identities = Json::array();
  for (const IdentityUsage& usage : status.identities) {
    identities.push_back({{"identity", EscapeNonUtf8(usage.identity)},
                          {"sessions", usage.sessions},
                          {"handles", usage.handles},
                          {"memory_bytes", usage.memory_bytes}});
  }
  return {{"open", status.stats.sessions},
          {"opened", status.stats.sessions_total},
          {"identities", std::move(identities)}};
}

Json TierJson(uint64_t entries, uint64_t size_bytes, uint64_t hits, uint64_t evictions) {
  return {
      {"entries", entries}, {"size_bytes", size_bytes}, {"hits", hits}, {"evictions", evictions}};
}

Json RemoteCacheJson(const RemoteCacheStats& remote) {
  Json json = {{"url", EscapeNonUtf8(remote.url)},
               {"up", remote.up},
               {"read_only", remote.read_only},
               {"read_bytes", remote.bytes_read},
               {"written_bytes", remote.bytes_written}};
  for (const auto& [name, count] : remote.counts) json[std::string(name)] = count;
  return json;
}

Json CacheJson(const DaemonStatus& status) {
  const EngineStats& stats = status.stats;
  Json cache;
  cache["memory"] = TierJson(stats.cache_memory_entries, stats.cache_memory_bytes,
                             stats.cache_hits_memory, status.metrics.cache_memory_evictions);
  cache["disk"] = TierJson(stats.cache_disk_entries, stats.cache_disk_bytes, stats.cache_hits_disk,
                           status.metrics.cache_disk_evictions);
  if (stats.remote_cache.has_value()) cache["remote"] = RemoteCacheJson(*stats.remote_cache);
  cache["joined"] = stats.cache_hits_inflight;
  cache["misses"] = stats.cache_misses;
  cache["dropped"] = stats.cache_dropped;
  cache["compiles"] = stats.compiles;
  cache["compile_failures"] = stats.compile_failures;
  cache["compile_seconds"] = Real(status.metrics.compile_time.sum_s);
  return cache;
}

Json ValuesJson(SeriesUnit unit, const Series& values) {
  const bool is_whole = unit == SeriesUnit::kCount || unit == SeriesUnit::kBytes;
  Json all = Json::array();
  for (const float value : values) {
    if (is_whole && !std::isnan(value)) {
      all.push_back(std::llround(value));
    } else {
      all.push_back(Real(value));
    }
  }
  return all;
}

template <typename Activity>
void AddSeries(absl::Span<const RecordedSeries<Activity>> series, const std::vector<Series>& values,
               Json& json) {
  for (size_t i = 0; i < values.size(); ++i) {
    json[std::string(series[i].json)] = ValuesJson(series[i].unit, values[i]);
  }
}

// The last value of each series belongs to the time of the status, and those before it lie one
// interval apart; null: there is none.
Json HistoryJson(const DaemonStatus& status) {
  constexpr std::chrono::seconds kInterval = HistoryRing::Slots(1);
  Json devices = Json::array();
  for (size_t i = 0; i < status.devices.size(); ++i) {
    Json device = {{"id", status.devices[i].id}};
    AddSeries(DeviceSeries(), status.history.devices[i], device);
    devices.push_back(std::move(device));
  }
  Json cache = Json::object();
  AddSeries(CacheSeries(), status.history.cache, cache);
  return {{"interval_seconds", kInterval.count()},
          {"devices", std::move(devices)},
          {"cache", std::move(cache)}};
}

Json CountersJson(const Counters& counters) {
  Json json = Json::object();
  for (const CounterInfo& counter : CounterInfos()) {
    json[std::string(counter.name)] = counters.*counter.field;
  }
  return json;
}

Json TroubleJson(const DaemonStatus& status) {
  Json all = Json::array();
  for (const LogEntry& entry : status.trouble) {
    all.push_back({{"time", TimeText(entry.time)},
                   {"level", std::string(LogLevelName(entry.level))},
                   {"text", EscapeNonUtf8(entry.text)},
                   {"count", entry.count}});
  }
  return all;
}

}  // namespace

std::string RenderJson(const DaemonStatus& status) {
  const Json json = {{"version", EscapeNonUtf8(status.version)},
                     {"time", TimeText(status.time)},
                     {"uptime_seconds", static_cast<uint64_t>(status.uptime_s)},
                     {"accepting", status.accepting},
                     {"devices", DevicesJson(status)},
                     {"missing", MissingJson(status)},
                     {"host_memory",
                      {{"used_bytes", status.stats.spilled_bytes},
                       {"limit_bytes", status.stats.host_memory_bytes}}},
                     {"sessions", SessionsJson(status)},
                     {"cache", CacheJson(status)},
                     {"history", HistoryJson(status)},
                     {"counters", CountersJson(status.stats)},
                     {"trouble", TroubleJson(status)}};
  return json.dump() + "\n";
}

}  // namespace acceld::observability

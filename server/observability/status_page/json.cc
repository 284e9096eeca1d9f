#include "server/observability/status_page/json.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/json_text.h"
#include "server/observability/status_page/units.h"

namespace acceld::observability {
namespace {

// Writes nested objects and arrays. Within an object, Key must precede each value.
class JsonWriter {
 public:
  JsonWriter& Key(absl::string_view key) {
    Separate();
    AppendJsonString(key, out_);
    out_.push_back(':');
    fresh_ = true;
    return *this;
  }
  void Begin(char bracket) {
    Separate();
    out_.push_back(bracket);
    fresh_ = true;
  }
  void End(char bracket) {
    out_.push_back(bracket);
    fresh_ = false;
  }
  void Text(absl::string_view text) {
    Separate();
    AppendJsonString(text, out_);
  }
  void Number(uint64_t number) { Literal(absl::StrCat(number)); }
  void Real(double number) { Literal(std::isfinite(number) ? absl::StrCat(number) : "null"); }
  void Bool(bool value) { Literal(value ? "true" : "false"); }

  std::string Take() && { return std::move(out_); }

 private:
  void Separate() {
    if (!fresh_) out_.push_back(',');
    fresh_ = false;
  }
  void Literal(absl::string_view text) {
    Separate();
    absl::StrAppend(&out_, text);
  }

  std::string out_;
  // Whether no comma is needed before the next element.
  bool fresh_ = true;
};

void WriteQueue(const engine::DeviceMetrics& metrics, JsonWriter& json) {
  json.Key("queued_by_priority").Begin('{');
  for (size_t i = 0; i < kNumPriorities; ++i) {
    json.Key(PriorityName(static_cast<Priority>(i))).Number(metrics.queued_by_priority[i]);
  }
  json.End('}');
}

void WriteDevices(const DaemonStatus& status, JsonWriter& json) {
  json.Key("devices").Begin('[');
  for (size_t i = 0; i < status.devices.size(); ++i) {
    const DeviceInfo& info = status.devices[i];
    const engine::DeviceMetrics& metrics = status.metrics.devices[i];
    const Outcomes outcomes = OutcomesOf(metrics.executions);
    json.Begin('{');
    json.Key("id").Number(info.id);
    json.Key("kind").Text(info.kind);
    json.Key("name").Text(info.name);
    json.Key("architecture").Text(info.architecture);
    json.Key("healthy").Bool(info.error.empty());
    json.Key("error").Text(info.error);
    json.Key("memory_used_bytes").Number(info.memory_used_bytes);
    json.Key("memory_peak_bytes").Number(info.memory_peak_bytes);
    json.Key("memory_limit_bytes").Number(info.memory_limit_bytes);
    json.Key("queued").Number(info.queued);
    WriteQueue(metrics, json);
    json.Key("executions_ok").Number(outcomes.ok);
    json.Key("executions_failed").Number(outcomes.failed);
    json.Key("executions_cancelled").Number(outcomes.cancelled);
    json.Key("device_seconds").Real(metrics.device_time.sum_s);
    json.Key("queue_seconds").Real(metrics.queue_time.sum_s);
    json.Key("spills").Number(metrics.spills);
    json.Key("restores").Number(metrics.restores);
    json.End('}');
  }
  json.End(']');
  json.Key("missing").Begin('[');
  for (const MissingDevices& missing : status.missing) {
    json.Begin('{');
    json.Key("kind").Text(missing.kind);
    json.Key("library").Text(missing.library);
    json.Key("reason").Text(missing.reason);
    json.End('}');
  }
  json.End(']');
  json.Key("host_memory").Begin('{');
  json.Key("used_bytes").Number(status.stats.spilled_bytes);
  json.Key("limit_bytes").Number(status.stats.host_memory_bytes);
  json.End('}');
}

void WriteSessions(const DaemonStatus& status, JsonWriter& json) {
  json.Key("sessions").Begin('{');
  json.Key("open").Number(status.stats.sessions);
  json.Key("opened").Number(status.stats.sessions_total);
  json.Key("identities").Begin('[');
  for (const IdentityUsage& usage : status.identities) {
    json.Begin('{');
    json.Key("identity").Text(usage.identity);
    json.Key("sessions").Number(usage.sessions);
    json.Key("handles").Number(usage.handles);
    json.Key("memory_bytes").Number(usage.memory_bytes);
    json.End('}');
  }
  json.End(']');
  json.End('}');
}

void WriteTier(absl::string_view name, uint64_t entries, uint64_t size_bytes, uint64_t hits,
               uint64_t evictions, JsonWriter& json) {
  json.Key(name).Begin('{');
  json.Key("entries").Number(entries);
  json.Key("size_bytes").Number(size_bytes);
  json.Key("hits").Number(hits);
  json.Key("evictions").Number(evictions);
  json.End('}');
}

void WriteCache(const DaemonStatus& status, JsonWriter& json) {
  const EngineStats& stats = status.stats;
  json.Key("cache").Begin('{');
  WriteTier("memory", stats.cache_memory_entries, stats.cache_memory_bytes, stats.cache_hits_memory,
            status.metrics.cache_memory_evictions, json);
  WriteTier("disk", stats.cache_disk_entries, stats.cache_disk_bytes, stats.cache_hits_disk,
            status.metrics.cache_disk_evictions, json);
  if (stats.remote_cache.has_value()) {
    const RemoteCacheStats& remote = *stats.remote_cache;
    json.Key("remote").Begin('{');
    json.Key("url").Text(remote.url);
    json.Key("up").Bool(remote.up);
    json.Key("read_only").Bool(remote.read_only);
    json.Key("read_bytes").Number(remote.bytes_read);
    json.Key("written_bytes").Number(remote.bytes_written);
    for (const auto& [name, count] : remote.counts) json.Key(name).Number(count);
    json.End('}');
  }
  json.Key("joined").Number(stats.cache_hits_inflight);
  json.Key("misses").Number(stats.cache_misses);
  json.Key("dropped").Number(stats.cache_dropped);
  json.Key("compiles").Number(stats.compiles);
  json.Key("compile_failures").Number(stats.compile_failures);
  json.Key("compile_seconds").Real(status.metrics.compile_time.sum_s);
  json.End('}');
}

void WriteSeries(const SeriesInfo& info, const Series& values, JsonWriter& json) {
  json.Key(info.json).Begin('[');
  for (const float value : values) {
    const bool is_whole = info.unit == SeriesUnit::kCount || info.unit == SeriesUnit::kBytes;
    if (is_whole && !std::isnan(value)) {
      json.Number(static_cast<uint64_t>(std::llround(value)));
    } else {
      json.Real(value);
    }
  }
  json.End(']');
}

template <typename Activity>
void WriteAllSeries(absl::Span<const RecordedSeries<Activity>> series,
                    const std::vector<Series>& values, JsonWriter& json) {
  for (size_t i = 0; i < values.size(); ++i) WriteSeries(series[i], values[i], json);
}

// The last value of each series belongs to the time of the status, and those before it lie one
// interval apart; null: there is none.
void WriteHistory(const DaemonStatus& status, JsonWriter& json) {
  constexpr std::chrono::seconds kInterval = HistoryRing::Slots(1);
  json.Key("history").Begin('{');
  json.Key("interval_seconds").Number(kInterval.count());
  json.Key("devices").Begin('[');
  for (size_t i = 0; i < status.devices.size(); ++i) {
    json.Begin('{');
    json.Key("id").Number(status.devices[i].id);
    WriteAllSeries(DeviceSeries(), status.history.devices[i], json);
    json.End('}');
  }
  json.End(']');
  json.Key("cache").Begin('{');
  WriteAllSeries(CacheSeries(), status.history.cache, json);
  json.End('}');
  json.End('}');
}

void WriteCounters(const Counters& counters, JsonWriter& json) {
  json.Key("counters").Begin('{');
  for (const CounterInfo& counter : CounterInfos()) {
    json.Key(counter.name).Number(counters.*counter.field);
  }
  json.End('}');
}

void WriteTrouble(const DaemonStatus& status, JsonWriter& json) {
  json.Key("trouble").Begin('[');
  for (const LogEntry& entry : status.trouble) {
    json.Begin('{');
    json.Key("time").Text(TimeText(entry.time));
    json.Key("level").Text(LogLevelName(entry.level));
    json.Key("text").Text(entry.text);
    json.Key("count").Number(entry.count);
    json.End('}');
  }
  json.End(']');
}

}  // namespace

std::string RenderJson(const DaemonStatus& status) {
  JsonWriter json;
  json.Begin('{');
  json.Key("version").Text(status.version);
  json.Key("time").Text(TimeText(status.time));
  json.Key("uptime_seconds").Number(static_cast<uint64_t>(status.uptime_s));
  json.Key("accepting").Bool(status.accepting);
  WriteDevices(status, json);
  WriteSessions(status, json);
  WriteCache(status, json);
  WriteHistory(status, json);
  WriteCounters(status.stats, json);
  WriteTrouble(status, json);
  json.End('}');
  return std::move(json).Take() + "\n";
}

}  // namespace acceld::observability

#include "server/observability/collector.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/observability/families.h"
#include "server/observability/identity_usage.h"
#include "server/observability/metrics.h"

namespace acceld::observability {
namespace {

constexpr auto kOk = static_cast<size_t>(absl::StatusCode::kOk);
constexpr auto kCancelled = static_cast<size_t>(absl::StatusCode::kCancelled);

void AddDevices(const engine::Introspection& engine, const engine::EngineMetrics& metrics,
                Families& families) {
  for (const DeviceInfo& info : engine.Devices()) {
    const std::string device = absl::StrCat(info.id);
    families.Add(MetricId::kDeviceMemoryLimit, {device}, info.memory_limit_bytes);
    families.Add(MetricId::kDeviceMemoryPeak, {device}, info.memory_peak_bytes);
    families.Add(MetricId::kDeviceMemoryUsed, {device}, info.memory_used_bytes);
    families.Add(MetricId::kDeviceUp, {device}, info.error.empty() ? 1 : 0);
  }
  for (size_t i = 0; i < metrics.devices.size(); ++i) {
    const std::string device = absl::StrCat(i);
    const engine::DeviceMetrics& of_device = metrics.devices[i];
    families.Add(MetricId::kArrayRestores, {device}, of_device.restores);
    families.Add(MetricId::kArraySpills, {device}, of_device.spills);
    families.Add(MetricId::kDonatedBytes, {device}, of_device.donated_bytes);
    families.Add(MetricId::kExecutionSuspensions, {device}, of_device.suspensions);
    families.Add(MetricId::kDeviceBusy, {device},
                 std::chrono::duration<double>(of_device.busy).count());
    families.Add(MetricId::kDeviceLaunches, {device, "graph"}, of_device.launches.graphs);
    families.Add(MetricId::kDeviceLaunches, {device, "step"}, of_device.launches.steps);
    families.Add(MetricId::kExecutionDeviceTime, {device}, of_device.device_time);
    families.Add(MetricId::kExecutionQueueTime, {device}, of_device.queue_time);
    families.Add(MetricId::kHostCallTime, {device}, of_device.host_call_time);
    uint64_t failed = 0;
    for (size_t code = 0; code < kNumStatusCodes; ++code) {
      if (code != kOk && code != kCancelled) failed += of_device.executions[code];
    }
    families.Add(MetricId::kExecutions, {device, "ok"}, of_device.executions[kOk]);
    families.Add(MetricId::kExecutions, {device, "failed"}, failed);
    families.Add(MetricId::kExecutions, {device, "cancelled"}, of_device.executions[kCancelled]);
    for (size_t priority = 0; priority < kNumPriorities; ++priority) {
      families.Add(MetricId::kQueueDepth, {device, PriorityName(static_cast<Priority>(priority))},
                   of_device.queued_by_priority[priority]);
    }
  }
}

void AddErrors(const engine::EngineMetrics& metrics, Families& families) {
  for (size_t code = 0; code < kNumStatusCodes; ++code) {
    if (code == kOk) continue;
    const std::string name = CodeName(code);
    uint64_t executions = 0;
    for (const engine::DeviceMetrics& device : metrics.devices) {
      executions += device.executions[code];
    }
    families.Add(MetricId::kErrors, {"naming", name}, metrics.refusals[code]);
    families.Add(MetricId::kErrors, {"execution", name}, executions);
  }
}

// Those of counters.def that are served.
void AddCounters(const Counters& counters, Families& families) {
  for (const CounterInfo& counter : CounterInfos()) {
    if (!counter.metric.empty()) families.AddCounter(counter, counters.*counter.field);
  }
}

void AddCache(const EngineStats& stats, const engine::EngineMetrics& metrics, Families& families) {
  families.Add(MetricId::kCacheEvictions, {"memory"}, metrics.cache_memory_evictions);
  families.Add(MetricId::kCacheEvictions, {"disk"}, metrics.cache_disk_evictions);
  families.Add(MetricId::kDeduplicatedBytes, {}, metrics.deduplicated_bytes);
  families.Add(MetricId::kCompileTime, {}, metrics.compile_time);
  if (!stats.remote_cache.has_value()) return;
  families.Add(MetricId::kRemoteCacheUp, {}, stats.remote_cache->up ? 1 : 0);
  for (const auto& [name, count] : stats.remote_cache->counts) {
    families.Add(MetricId::kRemoteCacheEvents, {name}, count);
  }
  families.Add(MetricId::kRemoteCacheBytes, {"in"}, stats.remote_cache->bytes_read);
  families.Add(MetricId::kRemoteCacheBytes, {"out"}, stats.remote_cache->bytes_written);
}

void AddIdentities(const engine::Introspection& engine, Families& families) {
  for (const engine::IdentityInfo& info : LargestIdentities(engine.Identities())) {
    for (const CacheVerdict verdict :
         {CacheVerdict::kMemory, CacheVerdict::kDisk, CacheVerdict::kRemote,
          CacheVerdict::kInflight, CacheVerdict::kMiss}) {
      families.Add(MetricId::kIdentityCacheLookups,
                   {info.identity, std::string(CacheVerdictName(verdict))},
                   info.cache_lookups[static_cast<size_t>(verdict)]);
    }
    for (const engine::QuotaInfo& quota : engine::QuotaInfos()) {
      const engine::QuotaUse& use = info.quotas[static_cast<size_t>(quota.id)];
      const double unit = quota.kind == engine::QuotaKind::kSeconds ? 1000 : 1;
      families.Add(MetricId::kIdentityQuotaUsed, {info.identity, quota.name},
                   static_cast<double>(use.used) / unit);
      families.Add(MetricId::kIdentityQuotaLimit, {info.identity, quota.name},
                   static_cast<double>(use.limit) / unit);
    }
  }
}

void AddSessions(const engine::Introspection& engine, Families& families) {
  for (const IdentityUsage& usage : UsageByIdentity(engine.Sessions())) {
    families.Add(MetricId::kIdentityHandles, {usage.identity}, usage.handles);
    families.Add(MetricId::kIdentityMemory, {usage.identity}, usage.memory_bytes);
    families.Add(MetricId::kIdentitySessions, {usage.identity}, usage.sessions);
  }
  AddIdentities(engine, families);
}

void AddRpc(const RpcInstruments& rpc, Families& families) {
  for (const RpcInstruments::Requests& requests : rpc.requests()) {
    for (size_t code = 0; code < kNumStatusCodes; ++code) {
      // Most codes never occur and are left out; OK is always shown.
      if (code != kOk && requests.counts[code] == 0) continue;
      families.Add(MetricId::kRpcRequests, {requests.method, CodeName(code)},
                   requests.counts[code]);
    }
  }
  families.Add(MetricId::kAcceptFailures, {}, rpc.accept_failures.value());
  for (size_t i = 0; i < kNumRefusals; ++i) {
    families.Add(MetricId::kRefusals, {kRefusalNames[i]}, rpc.refusals(static_cast<Refusal>(i)));
  }
  for (const RpcInstruments::Commands& commands : rpc.commands()) {
    if (!commands.kind.empty()) families.Add(MetricId::kCommands, {commands.kind}, commands.count);
  }
  families.Add(MetricId::kTransferBytes, {"in", "upload"}, rpc.upload_bytes.value());
  families.Add(MetricId::kTransferBytes, {"in", "inline"}, rpc.inline_in_bytes.value());
  families.Add(MetricId::kTransferBytes, {"in", "segment"}, rpc.segment_in_bytes.value());
  families.Add(MetricId::kTransferBytes, {"out", "segment"}, rpc.segment_out_bytes.value());
  families.Add(MetricId::kTransferBytes, {"out", "shared"}, rpc.shared_out_bytes.value());
  families.Add(MetricId::kTransferBytes, {"out", "download"}, rpc.download_bytes.value());
  families.Add(MetricId::kTransferBytes, {"out", "inline"}, rpc.inline_out_bytes.value());
}

}  // namespace

Collector::Collector(const engine::Introspection& engine, const RpcInstruments& rpc,
                     std::string version)
    : engine_(engine), rpc_(rpc), version_(std::move(version)) {}

std::vector<prometheus::MetricFamily> Collector::Collect() const {
  Families families;
  const EngineStats stats = engine_.Stats();
  const engine::EngineMetrics metrics = engine_.Metrics();
  families.Add(MetricId::kBuildInfo, {version_}, 1);
  const std::chrono::duration<double> uptime = std::chrono::steady_clock::now() - started_;
  families.Add(MetricId::kUptimeSeconds, {}, uptime.count());
  AddDevices(engine_, metrics, families);
  AddErrors(metrics, families);
  AddCounters(stats, families);
  AddCache(stats, metrics, families);
  AddSessions(engine_, families);
  AddRpc(rpc_, families);
  return families.Take();
}

}  // namespace acceld::observability

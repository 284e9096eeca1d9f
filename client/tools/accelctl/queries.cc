#include "client/tools/accelctl/queries.h"

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "client/tools/accelctl/views/counters.h"
#include "client/tools/accelctl/views/format.h"
#include "nlohmann/json.hpp"

namespace acceld::tools {
namespace {

using Json = nlohmann::ordered_json;

void Print(const Json& json) { std::cout << json.dump(2) << std::endl; }

}  // namespace

absl::Status PrintDevices(client::Admin& admin, bool json) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::DeviceInfo> devices, admin.ListDevices());
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::MissingDevices> missing,
                          admin.ListMissingDevices());
  if (json) {
    Json list = Json::array();
    for (const client::DeviceInfo& d : devices) {
      list.push_back({{"id", d.id},
                      {"kind", d.kind},
                      {"name", d.name},
                      {"architecture", d.architecture},
                      {"memory_limit_bytes", d.memory_limit_bytes},
                      {"memory_used_bytes", d.memory_used_bytes},
                      {"memory_peak_bytes", d.memory_peak_bytes},
                      {"executions", d.executions},
                      {"queued", d.queued}});
      if (!d.error.empty()) list.back()["error"] = d.error;
    }
    Json absent = Json::array();
    for (const client::MissingDevices& m : missing) {
      absent.push_back({{"kind", m.kind}, {"reason", m.reason}});
      if (!m.library.empty()) absent.back()["library"] = m.library;
    }
    Print({{"devices", list}, {"missing", absent}});
    return absl::OkStatus();
  }
  std::cout << absl::StreamFormat("%-3s %-5s %-36s %10s %10s %10s %10s %7s\n", "id", "kind", "name",
                                  "memory", "used", "peak", "executions", "queued");
  for (const client::DeviceInfo& d : devices) {
    std::cout << absl::StreamFormat("%-3d %-5s %-36s %10s %10s %10s %10d %7d\n", d.id, d.kind,
                                    d.name, SizeText(d.memory_limit_bytes),
                                    SizeText(d.memory_used_bytes), SizeText(d.memory_peak_bytes),
                                    d.executions, d.queued);
  }
  for (const client::DeviceInfo& d : devices) {
    if (!d.error.empty()) std::cout << d.id << " works no more: " << d.error << "\n";
  }
  for (const client::MissingDevices& m : missing) {
    std::cout << "no " << (m.library.empty() ? m.kind + " device" : m.library) << ": " << m.reason
              << "\n";
  }
  return absl::OkStatus();
}

absl::Status PrintSessions(client::Admin& admin, bool json) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::SessionInfo> sessions, admin.ListSessions());
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::RunningExecution> running, admin.ListRunning());
  if (json) {
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
    Json on_devices = Json::array();
    for (const client::RunningExecution& r : running) {
      on_devices.push_back({{"device", r.device},
                            {"session", r.session},
                            {"identity", r.identity},
                            {"program", r.program},
                            {"age_s", r.age_s},
                            {"on_device_s", r.on_device_s},
                            {"state", std::string(StateName(r.state))}});
    }
    Print({{"sessions", list}, {"running", on_devices}});
    return absl::OkStatus();
  }
  std::cout << absl::StreamFormat("%-5s %-28s %-12s %-11s %9s %8s %10s %10s %8s %7s\n", "id",
                                  "client", "identity", "priority", "age", "arrays", "memory",
                                  "executions", "programs", "queued");
  for (const client::SessionInfo& s : sessions) {
    std::cout << absl::StreamFormat("%-5d %-28s %-12s %-11s %7.0f s %8d %10s %10d %8d %7d\n", s.id,
                                    PrintableText(s.client_name, 28), PrintableText(s.identity, 12),
                                    client::PriorityName(s.priority), s.age_s, s.arrays,
                                    SizeText(s.array_bytes), s.executions, s.programs, s.queued);
  }
  if (running.empty()) return absl::OkStatus();
  std::cout << absl::StreamFormat("\n%-6s %-7s %-12s %-28s %9s %11s  %s\n", "device", "session",
                                  "identity", "program", "since", "on device", "state");
  for (const client::RunningExecution& r : running) {
    std::cout << absl::StreamFormat("%-6d %-7d %-12s %-28s %7.1f s %9.1f s  %s\n", r.device,
                                    r.session, PrintableText(r.identity, 12),
                                    PrintableText(r.program, 28), r.age_s, r.on_device_s,
                                    StateName(r.state));
  }
  return absl::OkStatus();
}

absl::Status PrintStats(client::Admin& admin, bool json) {
  ACCELD_ASSIGN_OR_RETURN(const client::ServerStats s, admin.GetStats());
  if (json) {
    Json object = CountersJson(s);
    object.update({{"uptime_s", s.uptime_s},
                   {"version", s.version},
                   {"incarnation", s.incarnation},
                   {"draining", s.draining},
                   {"ends_when_idle", s.ends_when_idle}});
    Print(object);
    return absl::OkStatus();
  }
  std::cout << absl::StreamFormat("acceld %s, up %.0f s%s\n", s.version, s.uptime_s,
                                  s.draining ? ", draining" : "")
            << CountersText(s);
  return absl::OkStatus();
}

absl::Status PrintNames(client::Admin& admin, bool json) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::NamedArrayInfo> arrays, admin.ListNames());
  if (json) {
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
    Print({{"arrays", list}});
    return absl::OkStatus();
  }
  std::cout << absl::StreamFormat("%-32s %-12s %-24s %10s %6s %-8s %9s\n", "name", "owner", "type",
                                  "size", "device", "everyone", "age");
  for (const client::NamedArrayInfo& a : arrays) {
    std::cout << absl::StreamFormat("%-32s %-12s %-24s %10s %6d %-8s %7.0f s\n", a.name, a.owner,
                                    a.type.ToString(),
                                    SizeText(static_cast<uint64_t>(a.type.size_bytes())), a.device,
                                    a.for_everyone ? "yes" : "-", a.age_s);
  }
  return absl::OkStatus();
}

absl::Status PrintCacheStats(client::Admin& admin, bool json) {
  const auto count = [](const IdentityCacheStats& stats, CacheVerdict verdict) {
    return stats.lookups[static_cast<size_t>(verdict)];
  };
  ACCELD_ASSIGN_OR_RETURN(const client::ServerStats s, admin.GetStats());
  if (json) {
    Json remote;
    if (s.remote_cache.has_value()) {
      remote = {{"url", s.remote_cache->url},
                {"read_only", s.remote_cache->read_only},
                {"up", s.remote_cache->up},
                {"bytes_read", s.remote_cache->bytes_read},
                {"bytes_written", s.remote_cache->bytes_written}};
      for (const auto& [name, count] : s.remote_cache->counts) remote[name] = count;
    }
    Json identities = Json::array();
    for (const client::IdentityCacheStats& i : s.identities) {
      identities.push_back({{"identity", i.identity},
                            {"memory", count(i, CacheVerdict::kMemory)},
                            {"disk", count(i, CacheVerdict::kDisk)},
                            {"remote", count(i, CacheVerdict::kRemote)},
                            {"inflight", count(i, CacheVerdict::kInflight)},
                            {"misses", count(i, CacheVerdict::kMiss)}});
    }
    Print({{"compiles", s.compiles},
           {"memory",
            {{"hits", s.cache_hits_memory},
             {"entries", s.cache_memory_entries},
             {"bytes", s.cache_memory_bytes}}},
           {"disk",
            {{"hits", s.cache_hits_disk},
             {"entries", s.cache_disk_entries},
             {"bytes", s.cache_disk_bytes},
             {"dropped", s.cache_dropped}}},
           {"remote", remote},
           {"inflight", s.cache_hits_inflight},
           {"misses", s.cache_misses},
           {"identities", identities}});
    return absl::OkStatus();
  }
  std::cout << absl::StreamFormat("%-8s %10s %10s %10s\n", "tier", "hits", "entries", "size")
            << absl::StreamFormat("%-8s %10d %10d %10s\n", "memory", s.cache_hits_memory,
                                  s.cache_memory_entries, SizeText(s.cache_memory_bytes))
            << absl::StreamFormat("%-8s %10d %10d %10s\n", "disk", s.cache_hits_disk,
                                  s.cache_disk_entries, SizeText(s.cache_disk_bytes))
            << absl::StreamFormat("%-8s %10d\n", "remote", s.cache_hits_remote)
            << absl::StreamFormat("%d joined another request's compile, %d missed, %d compiled\n",
                                  s.cache_hits_inflight, s.cache_misses, s.compiles);
  if (!s.identities.empty()) {
    std::cout << absl::StreamFormat("\n%-24s %10s %10s %10s %10s %10s\n", "identity", "memory",
                                    "disk", "remote", "joined", "missed");
    for (const client::IdentityCacheStats& i : s.identities) {
      std::cout << absl::StreamFormat(
          "%-24s %10d %10d %10d %10d %10d\n", i.identity.empty() ? "-" : i.identity,
          count(i, CacheVerdict::kMemory), count(i, CacheVerdict::kDisk),
          count(i, CacheVerdict::kRemote), count(i, CacheVerdict::kInflight),
          count(i, CacheVerdict::kMiss));
    }
    std::cout << "\n";
  }
  if (!s.remote_cache.has_value()) {
    std::cout << "no remote cache (remote-cache-url)\n";
    return absl::OkStatus();
  }
  std::cout << absl::StreamFormat("remote %s%s: %s; %s in, %s out\n", s.remote_cache->url,
                                  s.remote_cache->read_only ? ", read-only" : "",
                                  s.remote_cache->up ? "up" : "down, not asked for a while",
                                  SizeText(s.remote_cache->bytes_read),
                                  SizeText(s.remote_cache->bytes_written));
  for (const auto& [name, count] : s.remote_cache->counts) {
    std::cout << absl::StreamFormat("  %-18s %d\n", name, count);
  }
  return absl::OkStatus();
}

absl::Status PrintCache(client::Admin& admin, bool json, bool remote, size_t limit) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::CacheEntryInfo> entries,
                          remote ? admin.ListRemoteCache(limit) : admin.ListCache(limit));
  if (json) {
    Json list = Json::array();
    for (const client::CacheEntryInfo& e : entries) {
      Json row = {{"key", e.key},
                  {"fingerprint", e.fingerprint},
                  {"program_name", e.program_name},
                  {"signature", e.signature},
                  {"architecture", e.architecture},
                  {"size_bytes", e.size_bytes},
                  {"compile_ms", e.compile_ms},
                  {"age_s", e.age_s},
                  {"producer", e.producer}};
      if (e.remote) {
        row["remote"] = true;
      } else {
        row["in_memory"] = e.in_memory;
        row["on_disk"] = e.on_disk;
      }
      list.push_back(std::move(row));
    }
    Print({{"entries", list}});
    return absl::OkStatus();
  }
  if (remote) {
    std::cout << absl::StreamFormat("%-32s %10s %10s %8s  %-16s %s\n", "key", "size", "compile",
                                    "age", "producer", "program, for architecture");
    for (const client::CacheEntryInfo& e : entries) {
      std::cout << absl::StreamFormat("%-32s %10s %7.1f ms %6.0f s  %-16s %s %s for %s\n", e.key,
                                      SizeText(e.size_bytes), e.compile_ms, e.age_s, e.producer,
                                      e.program_name, e.signature, e.architecture);
    }
    return absl::OkStatus();
  }
  std::cout << absl::StreamFormat("%-32s %-6s %-4s %10s %10s %8s  %s\n", "key", "memory", "disk",
                                  "size", "compile", "age", "program");
  for (const client::CacheEntryInfo& e : entries) {
    std::cout << absl::StreamFormat("%-32s %-6s %-4s %10s %7.1f ms %6.0f s  %s %s\n", e.key,
                                    e.in_memory ? "yes" : "-", e.on_disk ? "yes" : "-",
                                    SizeText(e.size_bytes), e.compile_ms, e.age_s, e.program_name,
                                    e.signature);
  }
  return absl::OkStatus();
}

}  // namespace acceld::tools

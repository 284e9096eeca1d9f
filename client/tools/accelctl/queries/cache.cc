#include <iostream>
#include <utility>
#include <vector>

#include "client/tools/accelctl/queries/queries.h"
#include "client/tools/accelctl/views/cache_text.h"

namespace acceld::tools {
namespace {

using Json = nlohmann::ordered_json;

Json RemoteJson(const client::ServerStats& stats) {
  if (!stats.remote_cache.has_value()) return {};
  Json remote = {{"url", stats.remote_cache->url},
                 {"read_only", stats.remote_cache->read_only},
                 {"up", stats.remote_cache->up},
                 {"bytes_read", stats.remote_cache->bytes_read},
                 {"bytes_written", stats.remote_cache->bytes_written}};
  for (const auto& [name, count] : stats.remote_cache->counts) remote[name] = count;
  return remote;
}

Json IdentitiesJson(const client::ServerStats& stats) {
  Json list = Json::array();
  for (const client::IdentityCacheStats& i : stats.identities) {
    const auto count = [&i](CacheVerdict verdict) {
      return i.lookups[static_cast<size_t>(verdict)];
    };
    list.push_back({{"identity", i.identity},
                    {"memory", count(CacheVerdict::kMemory)},
                    {"disk", count(CacheVerdict::kDisk)},
                    {"remote", count(CacheVerdict::kRemote)},
                    {"inflight", count(CacheVerdict::kInflight)},
                    {"misses", count(CacheVerdict::kMiss)}});
  }
  return list;
}

Json EntryJson(const client::CacheEntryInfo& entry) {
  Json row = {{"key", entry.key},
              {"fingerprint", entry.fingerprint},
              {"program_name", entry.program_name},
              {"signature", entry.signature},
              {"architecture", entry.architecture},
              {"size_bytes", entry.size_bytes},
              {"compile_ms", entry.compile_ms},
              {"age_s", entry.age_s},
              {"producer", entry.producer}};
  if (entry.remote) {
    row["remote"] = true;
  } else {
    row["in_memory"] = entry.in_memory;
    row["on_disk"] = entry.on_disk;
  }
  return row;
}

}  // namespace

absl::Status PrintCacheStats(client::Admin& admin, const ListOutput& output) {
  ACCELD_ASSIGN_OR_RETURN(const client::ServerStats s, admin.GetStats());
  if (!output.json) {
    std::cout << CacheStatsText(s, output.columns());
    return absl::OkStatus();
  }
  PrintJson({{"compiles", s.compiles},
             {"memory",
              {{"hits", s.cache_hits_memory},
               {"entries", s.cache_memory_entries},
               {"bytes", s.cache_memory_bytes}}},
             {"disk",
              {{"hits", s.cache_hits_disk},
               {"entries", s.cache_disk_entries},
               {"bytes", s.cache_disk_bytes},
               {"dropped", s.cache_dropped}}},
             {"remote", RemoteJson(s)},
             {"inflight", s.cache_hits_inflight},
             {"misses", s.cache_misses},
             {"identities", IdentitiesJson(s)}});
  return absl::OkStatus();
}

absl::Status PrintCache(client::Admin& admin, bool remote, size_t limit, const ListOutput& output) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::CacheEntryInfo> entries,
                          remote ? admin.ListRemoteCache(limit) : admin.ListCache(limit));
  if (!output.json) {
    std::cout << CacheEntriesText(entries, remote, output.columns());
    return absl::OkStatus();
  }
  Json list = Json::array();
  for (const client::CacheEntryInfo& entry : entries) list.push_back(EntryJson(entry));
  PrintJson({{"entries", list}});
  return absl::OkStatus();
}

}  // namespace acceld::tools

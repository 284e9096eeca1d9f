#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/engine/cache/explain.h"
#include "server/engine/cache/remote_tier_options.h"
#include "server/engine/engine_impl.h"

// The cache operations of administrators.
namespace acceld::engine {
namespace {

absl::StatusOr<Digest> ParseKey(const std::string& text) {
  const absl::optional<Digest> key = Digest::FromHex(text);
  if (key.has_value()) return *key;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "' is no key of a cache entry: ", 2 * Digest::kSizeBytes, " hexadecimal digits"));
}

class Import final : public CacheImport {
 public:
  Import(cache::Tools& tools, cache::BundleReader reader)
      : tools_(tools), reader_(std::move(reader)) {}

  absl::Status Append(absl::string_view bytes) override { return reader_.Append(bytes); }
  absl::StatusOr<bool> Finish() override { return tools_.Import(std::move(reader_)); }

 private:
  cache::Tools& tools_;
  cache::BundleReader reader_;
};

}  // namespace

absl::StatusOr<RemoteCachePage> EngineImpl::RemoteCacheEntries(absl::string_view from,
                                                               size_t limit) {
  ACCELD_ASSIGN_OR_RETURN(cache::EntryStore::Page found, cache_->tools().ListRemote(from, limit));
  const int64_t now_s = absl::ToUnixSeconds(absl::Now());
  RemoteCachePage page{.next = std::move(found.next)};
  for (const cache::Record& record : found.records) {
    CacheEntryInfo info = ToPublic(record.header);
    info.size_bytes = record.payload_bytes;
    // Never negative, even when the clocks of hosts differ.
    info.age_s = static_cast<double>(std::max<int64_t>(0, now_s - record.header.created_unix_s));
    info.remote = true;
    page.entries.push_back(std::move(info));
  }
  return page;
}

absl::StatusOr<std::vector<CacheCheck>> EngineImpl::VerifyCache(bool remote) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<cache::Tools::Check> checks,
                          cache_->tools().Verify(remote));
  std::vector<CacheCheck> result;
  for (const cache::Tools::Check& check : checks) {
    result.push_back({check.tier, check.entries, check.bytes, check.bad});
  }
  return result;
}

absl::StatusOr<CacheRemoved> EngineImpl::PurgeCache(const std::vector<std::string>& keys,
                                                    bool remote) {
  std::vector<Digest> digests;
  for (const std::string& text : keys) {
    ACCELD_ASSIGN_OR_RETURN(const Digest key, ParseKey(text));
    digests.push_back(key);
  }
  ACCELD_ASSIGN_OR_RETURN(const cache::Tools::Removed removed,
                          cache_->tools().Purge(digests, remote));
  return CacheRemoved{removed.memory, removed.disk, removed.remote};
}

absl::StatusOr<std::string> EngineImpl::ExportCacheEntry(const std::string& key) {
  ACCELD_ASSIGN_OR_RETURN(const Digest digest, ParseKey(key));
  return cache_->tools().Export(digest);
}

absl::StatusOr<std::unique_ptr<CacheImport>> EngineImpl::BeginCacheImport() {
  ACCELD_ASSIGN_OR_RETURN(cache::BundleReader reader, cache_->tools().BeginImport());
  return std::make_unique<Import>(cache_->tools(), std::move(reader));
}

absl::Status EngineImpl::ReloadTeamKeys() {
  if (options_.remote_cache.key_file.empty()) return absl::OkStatus();
  // Of two concurrent calls, the one that reads the file last wins.
  MutexLock lock(team_keys_mutex_);
  ACCELD_ASSIGN_OR_RETURN(std::vector<cache::SigningKey> keys,
                          LoadSigningKeys(options_.remote_cache));
  cache_->tools().ReplaceKeys(std::move(keys));
  return absl::OkStatus();
}

}  // namespace acceld::engine

#include "server/engine/cache/remote_tier_options.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/files/file.h"
#include "server/cache/remote/keys.h"

namespace acceld::engine {
namespace {

constexpr size_t kMaxPasswordFileBytes = 64 << 10;
constexpr size_t kMaxSaltBytes = 64;

// A salt becomes part of names in Redis.
bool IsSalt(absl::string_view text) {
  return !text.empty() && text.size() <= kMaxSaltBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
         });
}

}  // namespace

absl::StatusOr<std::vector<cache::SigningKey>> LoadSigningKeys(const RemoteCacheOptions& options) {
  if (!IsSalt(options.salt)) {
    return absl::InvalidArgumentError(absl::StrCat("remote-cache-salt: '", options.salt,
                                                   "' is not 1 to ", kMaxSaltBytes,
                                                   " letters, digits, '-', '_' and '.'"));
  }
  if (options.key_file.empty()) return std::vector<cache::SigningKey>();
  ACCELD_ASSIGN_OR_RETURN(const std::vector<std::string> keys,
                          cache::LoadTeamKeys(options.key_file));
  return cache::DeriveSigningKeys(keys, options.salt);
}

absl::StatusOr<absl::optional<cache::RemoteTier::Options>> ToRemoteTierOptions(
    const RemoteCacheOptions& options, int compile_threads) {
  if (options.url.empty()) return absl::optional<cache::RemoteTier::Options>();
  cache::RemoteTier::Options tier;
  ACCELD_ASSIGN_OR_RETURN(tier.redis.url, cache::redis::ParseUrl(options.url));
  if (!options.password_file.empty()) {
    ACCELD_ASSIGN_OR_RETURN(const std::string text,
                            ReadSmallFile(options.password_file, kMaxPasswordFileBytes));
    tier.redis.url.password = std::string(absl::StripTrailingAsciiWhitespace(text));
  }
  tier.redis.tls = {.enabled = tier.redis.url.tls,
                    .ca_file = options.ca_file,
                    .certificate_file = options.certificate_file,
                    .key_file = options.private_key_file};
  tier.redis.timeout = options.timeout;
  if (options.key_file.empty()) {
    return absl::InvalidArgumentError(
        "remote-cache-url is given without remote-cache-key-file: entries are code, and are signed "
        "with a key that the team shares (openssl rand -hex 32 makes one)");
  }
  ACCELD_ASSIGN_OR_RETURN(std::vector<cache::SigningKey> keys, LoadSigningKeys(options));
  tier.entries = {.salt = options.salt,
                  .keys = std::move(keys),
                  .ttl = options.ttl,
                  .read_only = options.read_only,
                  .quarantine = options.quarantine};
  tier.lease = options.lease;
  tier.max_wait = options.max_wait;
  // One lease more than compiles, so that the next compile is ready when one ends.
  tier.max_leases = compile_threads + 1;
  tier.max_upload_bytes = options.max_upload_bytes;
  return absl::make_optional(std::move(tier));
}

}  // namespace acceld::engine

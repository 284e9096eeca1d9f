#include "server/config/remote_cache_settings.h"

#include "server/cache/redis/url.h"

namespace acceld::config {
namespace {

// One year.
constexpr double kMaxSeconds = 365.0 * 86400;

}  // namespace

void AddRemoteCacheSettings(SettingTable& table) {
  table.Group("Remote cache");
  Setting& url = table.Text(
      "remote-cache-url", "URL", [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.url; },
      "Redis (6 or later) where the daemons of a team share what they compile: "
      "redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]; redis-sentinel://HOST[,HOST...]/MASTER or "
      "redis-cluster://HOST[,HOST...]; with TLS as rediss://, rediss-sentinel://, "
      "rediss-cluster://; empty: none");
  url.secret = true;
  url.check = [](absl::string_view text) {
    return text.empty() ? absl::OkStatus() : cache::redis::ParseUrl(text).status();
  };
  const auto file = [&table](const char* name, auto field, const char* help) {
    table.Text(name, "FILE", field, help);
  };
  file(
      "remote-cache-password-file",
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.password_file; },
      "file with the password for Redis, instead of one in the URL");
  file(
      "remote-cache-key-file",
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.key_file; },
      "file with the team's key, which signs entries: one that is not signed with it is never "
      "loaded. Several lines are several keys: the first signs, all are accepted");
  file(
      "remote-cache-ca-file",
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.ca_file; },
      "certificates to trust, in PEM, when the URL says TLS; empty: those that the system trusts");
  file(
      "remote-cache-cert-file",
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.certificate_file; },
      "certificate to show to a Redis that asks for one, in PEM");
  file(
      "remote-cache-cert-key-file",
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.private_key_file; },
      "its private key, in PEM");
  table.Text(
      "remote-cache-salt", "TEXT",
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.salt; },
      "daemons with the same text share entries; another one disowns all earlier entries at once");
  const auto flag = [&table](const char* name, auto field, const char* help) {
    Setting& row = table.Add(name, SettingType::kSwitch, help);
    row.fallback = false;
    row.apply = [field](const Value& value, DaemonConfig& config) {
      field(config) = std::get<bool>(value);
    };
  };
  flag(
      "remote-cache-read-only",
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.read_only; },
      "take entries from there and add none");
  flag(
      "remote-cache-quarantine",
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.quarantine; },
      "keep records that were refused for a week under another name, instead of removing them");
  table.Seconds(
      "remote-cache-timeout", {0.001, 3600},
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.timeout; },
      "seconds that Redis may take to answer; after a few failures it is not asked for a while");
  table.Seconds(
      "remote-cache-lease", {0.1, 3600},
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.lease; },
      "seconds for which others leave a program to a daemon that compiles it, from its last sign "
      "of life");
  table.Seconds(
      "remote-cache-wait", {0, kMaxSeconds},
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.max_wait; },
      "seconds to wait for what another daemon compiles before this one does it, too");
  table.Seconds(
      "remote-cache-ttl", {60, kMaxSeconds},
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.ttl; },
      "seconds that an entry stays after it was last used");
  table.Size(
      "remote-cache-uploads", {0, static_cast<double>(int64_t{1} << 50)},
      [](DaemonConfig& c) -> auto& { return c.engine.remote_cache.max_upload_bytes; },
      "entries that wait to be sent; those beyond it are not shared");
}

}  // namespace acceld::config

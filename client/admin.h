#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/credentials.h"
#include "client/server_info.h"
#include "common/status.h"

namespace acceld::client {

struct AdminOptions {
  std::string address;  // as ConnectOptions has it: one of several daemons is asked
  Credentials credentials;
  std::chrono::milliseconds connect_timeout{5000};
  // Keep trying until the timeout while nobody listens; otherwise that is an error at once.
  bool wait_for_daemon = false;
};

// Questions and orders to a daemon, without a session: they reach it also when it takes no more of
// those. Thread-safe; each call blocks for its answer, at most ten seconds, or a minute for a
// trace. Orders (KillSession, Drain, PurgeCache, ImportCacheEntry) are for one daemon:
// INVALID_ARGUMENT, naming them, where the address leads to several.
class Admin {
 public:
  // UNAVAILABLE when no daemon answers; the message says how to start one. Calls of one that the
  // daemon does not know are UNAUTHENTICATED, those that its role does not allow PERMISSION_DENIED.
  static absl::StatusOr<std::unique_ptr<Admin>> Connect(AdminOptions options = {});
  ~Admin();
  Admin(const Admin&) = delete;
  Admin& operator=(const Admin&) = delete;

  // Whether the daemon takes new sessions, by the standard health service, which answers everybody:
  // false while it drains.
  absl::StatusOr<bool> IsServing() const;
  // The daemon's.
  const std::string& address() const;

  absl::StatusOr<std::vector<DeviceInfo>> ListDevices() const;
  absl::StatusOr<std::vector<MissingDevices>> ListMissingDevices() const;
  absl::StatusOr<ServerStats> GetStats() const;
  // All of them for admins; those of the caller's own identity for others.
  absl::StatusOr<std::vector<SessionInfo>> ListSessions() const;
  // What occupies devices now: the caller's own, or for admins everybody's.
  absl::StatusOr<std::vector<RunningExecution>> ListRunning() const;
  // Those that the caller may open.
  absl::StatusOr<std::vector<NamedArrayInfo>> ListNames() const;
  // Most recently used first, at most `limit`.
  absl::StatusOr<std::vector<CacheEntryInfo>> ListCache(size_t limit = 1000) const;
  // At most `limit` of those in the cache that daemons share, in no order; one that comes or goes
  // meanwhile may be missed. Takes up to an hour. FAILED_PRECONDITION when there is none.
  absl::StatusOr<std::vector<CacheEntryInfo>> ListRemoteCache(size_t limit = 1000) const;
  // What ended in the last seconds (0: all that the daemon keeps), by the time at which it began.
  absl::StatusOr<std::vector<TraceSpan>> GetTrace(double seconds = 0) const;

  // Ends a session (SessionInfo.id); its client hears CANCELLED with the reason. NOT_FOUND.
  absl::Status KillSession(uint64_t session, const std::string& reason) const;
  // From now on the daemon takes no new sessions, or takes them again; how many are open.
  // FAILED_PRECONDITION for an undo while the daemon is shutting down.
  absl::StatusOr<uint64_t> Drain(bool undo = false) const;

  // The cache of executables. These take as long as it takes, up to an hour. FAILED_PRECONDITION
  // when the daemon has no remote cache, or no key of a team for what is carried elsewhere.
  // Verifies every entry and removes bad ones.
  absl::StatusOr<std::vector<CacheCheck>> VerifyCache(bool remote) const;
  // Removes the entries of these keys, or all.
  absl::StatusOr<CacheRemoved> PurgeCache(const std::vector<std::string>& keys, bool remote) const;
  // An entry for another site, signed by the daemon. NOT_FOUND.
  absl::StatusOr<std::string> ExportCacheEntry(const std::string& key) const;
  // False: the daemon had it already. PERMISSION_DENIED for what is not signed with a key of the
  // team, DATA_LOSS for what is damaged.
  absl::StatusOr<bool> ImportCacheEntry(absl::string_view entry) const;

 private:
  struct Impl;
  explicit Admin(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace acceld::client

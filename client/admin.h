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

// How Admin::Connect finds and reaches a daemon.
struct AdminOptions {
  // The same forms as ConnectOptions::address; empty means DefaultClientAddress(). If it stands for
  // several daemons, one of them is used.
  std::string address;
  Credentials credentials;
  // Limits the whole of Admin::Connect, over all daemons that it tries.
  std::chrono::milliseconds connect_timeout{5000};
  // If true, Connect retries until the timeout while no daemon listens. If false, that is an error
  // at once.
  bool wait_for_daemon = false;
};

// Administers one daemon by calls that need no session, so they also work while the daemon refuses
// new sessions. Thread-safe. Each call blocks for its reply, for at most ten seconds, or a minute
// for GetTrace, or an hour where stated.
//
// Calls that change the daemon (KillSession, Drain, PurgeCache, ImportCacheEntry) must name exactly
// one daemon: they are INVALID_ARGUMENT, with the list of daemons, if AdminOptions::address leads
// to several.
class Admin {
 public:
  // Connects to a daemon. UNAVAILABLE if no daemon answers; the message says how to start one.
  // Later calls are UNAUTHENTICATED if the daemon does not know the caller, and PERMISSION_DENIED
  // if the caller's role does not allow the call.
  static absl::StatusOr<std::unique_ptr<Admin>> Connect(AdminOptions options = {});
  ~Admin();
  Admin(const Admin&) = delete;
  Admin& operator=(const Admin&) = delete;

  // Returns whether the daemon accepts new sessions (false while it drains), as its gRPC health
  // service reports. Every caller may ask this.
  absl::StatusOr<bool> IsServing() const;
  // The address of the daemon that Connect reached.
  const std::string& address() const;

  absl::StatusOr<std::vector<DeviceInfo>> ListDevices() const;
  // Returns the kinds of devices that the daemon has none of, and the libraries that it lacks for
  // the devices it has, each with the reason.
  absl::StatusOr<std::vector<MissingDevices>> ListMissingDevices() const;
  absl::StatusOr<ServerStats> GetStats() const;
  // Returns all sessions to an admin, and to others the sessions of the caller's own identity.
  absl::StatusOr<std::vector<SessionInfo>> ListSessions() const;
  // Returns the sessions that ended last, the last one first: some tens of them. Of all identities
  // to an admin, and to others those of the caller's own identity.
  absl::StatusOr<std::vector<EndedSessionInfo>> ListEndedSessions() const;
  // Returns the executions that occupy devices now: all of them to an admin, and to others those of
  // the caller's own identity.
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

  // Ends the session with this SessionInfo::id; its client's calls fail with CANCELLED and
  // `reason`. NOT_FOUND if there is no such session.
  absl::Status KillSession(uint64_t session, const std::string& reason) const;
  // Makes the daemon refuse new sessions, or accept them again if `undo` is true. Returns how many
  // sessions are open. FAILED_PRECONDITION for an undo while the daemon is shutting down.
  absl::StatusOr<uint64_t> Drain(bool undo = false) const;

  // The following calls work on the cache of executables and may each take up to an hour. They are
  // FAILED_PRECONDITION if they need a remote cache and the daemon has none, or if they need a
  // signing key (export and import) and the daemon has none.
  //
  // Verifies every entry on disk and, if `remote` is true, in the remote cache. Removes bad
  // entries. Returns one result for each tier.
  absl::StatusOr<std::vector<CacheCheck>> VerifyCache(bool remote) const;
  // Removes the entries with these keys, or all entries if `keys` is empty; with `remote`, from the
  // remote cache as well.
  absl::StatusOr<CacheRemoved> PurgeCache(const std::vector<std::string>& keys, bool remote) const;
  // Returns the serialized entry with this key, signed by the daemon with its team's key, for
  // import into a daemon elsewhere. NOT_FOUND if there is no such entry.
  absl::StatusOr<std::string> ExportCacheEntry(const std::string& key) const;
  // Adds an entry that ExportCacheEntry returned elsewhere. Returns false if the daemon had it
  // already. PERMISSION_DENIED if it is not signed with one of the team's keys; DATA_LOSS if it is
  // damaged.
  absl::StatusOr<bool> ImportCacheEntry(absl::string_view entry) const;

 private:
  struct Impl;
  explicit Admin(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace acceld::client

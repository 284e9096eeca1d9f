#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "acceld/v1/acceld.pb.h"
#include "client/transport/dial/attempt.h"
#include "client/transport/dial/secrets.h"
#include "common/status.h"

namespace acceld::client {

// The transport beneath Admin: calls to a daemon without a session. Thread-safe. Each call blocks
// for its reply: at most ten seconds, GetTrace a minute, and the calls that process cache entries
// (VerifyCache, PurgeCache, ExportCacheEntry, ImportCacheEntry, ListCache of the remote cache) an
// hour.
class AdminConnection {
 public:
  // Connects to the daemon; blocks until it answers or the attempt's timeout has passed.
  static absl::StatusOr<std::unique_ptr<AdminConnection>> Open(const Attempt& attempt,
                                                               const Secrets& secrets);
  ~AdminConnection();
  AdminConnection(const AdminConnection&) = delete;
  AdminConnection& operator=(const AdminConnection&) = delete;

  // Returns whether the daemon accepts new sessions, as its gRPC health service reports.
  absl::StatusOr<bool> IsServing() const;
  // Each of these makes the call of the same name (acceld.proto) and returns its reply.
  absl::StatusOr<v1::ListDevicesReply> ListDevices() const;
  absl::StatusOr<v1::Stats> GetStats() const;
  absl::StatusOr<v1::ListSessionsReply> ListSessions() const;
  absl::StatusOr<v1::ListNamesReply> ListNames() const;
  absl::StatusOr<v1::ListCacheReply> ListCache(const v1::ListCacheRequest& request) const;
  absl::Status KillSession(const v1::KillSessionRequest& request) const;
  absl::StatusOr<v1::DrainReply> Drain(const v1::DrainRequest& request) const;
  absl::StatusOr<v1::VerifyCacheReply> VerifyCache(const v1::VerifyCacheRequest& request) const;
  absl::StatusOr<v1::PurgeCacheReply> PurgeCache(const v1::PurgeCacheRequest& request) const;
  absl::StatusOr<std::string> ExportCacheEntry(const v1::ExportCacheEntryRequest& request) const;
  absl::StatusOr<v1::ImportCacheEntryReply> ImportCacheEntry(absl::string_view entry) const;
  // Calls `take` for each chunk of the trace.
  absl::Status GetTrace(const v1::GetTraceRequest& request,
                        const std::function<void(const v1::TraceChunk&)>& take) const;

 private:
  class Impl;
  explicit AdminConnection(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace acceld::client

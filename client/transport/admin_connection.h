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

// The transport under an Admin: calls without a session. Thread-safe; each blocks for its answer,
// at most ten seconds, or a minute for a trace.
class AdminConnection {
 public:
  // Blocks until the daemon is there or the timeout is over.
  static absl::StatusOr<std::unique_ptr<AdminConnection>> Open(const Attempt& attempt,
                                                               const Secrets& secrets);
  ~AdminConnection();
  AdminConnection(const AdminConnection&) = delete;
  AdminConnection& operator=(const AdminConnection&) = delete;

  // The standard health service's answer: whether the daemon takes new sessions.
  absl::StatusOr<bool> IsServing() const;
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
  // Calls `take` for each chunk.
  absl::Status GetTrace(const v1::GetTraceRequest& request,
                        const std::function<void(const v1::TraceChunk&)>& take) const;

 private:
  class Impl;
  explicit AdminConnection(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace acceld::client

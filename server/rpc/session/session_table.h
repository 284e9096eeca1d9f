#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "common/threads/mutex.h"
#include "server/observability/instruments/rpc_instruments.h"
#include "server/rpc/auth/caller.h"
#include "server/rpc/auth/peer_credentials.h"
#include "server/rpc/readiness.h"
#include "server/rpc/session/client_session.h"

namespace acceld::rpc {

// The open sessions by token, and a thread that ends the sessions whose lease is over. Thread-safe;
// functions block only where those of ClientSession that they call do.
class SessionTable {
 public:
  // The references must outlive the table.
  SessionTable(engine::Engine& engine, const RpcOptions& options, const Readiness& readiness,
               observability::RpcInstruments& instruments);
  ~SessionTable();
  SessionTable(const SessionTable&) = delete;
  SessionTable& operator=(const SessionTable&) = delete;

  // Opens a session of `caller`, without a stream. FAILED_PRECONDITION when the client has another
  // version of the protocol, UNAVAILABLE while no new sessions are accepted, and the errors of
  // Engine::OpenSession.
  absl::StatusOr<std::shared_ptr<ClientSession>> Open(const v1::Hello& hello, const Caller& caller);
  // Returns the session of `caller` that its client wants to resume. ABORTED when an earlier run of
  // the daemon made the session; otherwise the errors of Find.
  absl::StatusOr<std::shared_ptr<ClientSession>> Resume(const v1::Resume& resume,
                                                        const Caller& caller);
  // Returns the session of `caller` with this token. NOT_FOUND, which is counted and logged for
  // `rpc`, when there is none or it belongs to another identity; the error does not tell which.
  absl::StatusOr<std::shared_ptr<ClientSession>> Find(absl::string_view token, const Caller& caller,
                                                      absl::string_view rpc) const;
  // Returns the session with this token for a connection over shared memory: the session must have
  // been opened over a unix socket by the same user as `peer`. NOT_FOUND otherwise.
  absl::StatusOr<std::shared_ptr<ClientSession>> FindForUser(absl::string_view token,
                                                             const PeerCredentials& peer) const;
  // Returns the session whose engine session has this id; nullptr when there is none.
  std::shared_ptr<ClientSession> FindById(uint64_t id) const;

  // To be called when a stream of the session has ended. If that was the session's present stream
  // and the session has no lease, the session ends.
  void Detach(const std::shared_ptr<ClientSession>& session, const SessionStream& stream);
  // Ends the session and tells its stream why.
  void End(const std::shared_ptr<ClientSession>& session, const absl::Status& why);
  // Ends all sessions; Open fails with `why` from then on.
  void EndAll(const absl::Status& why);

 private:
  // Counts and logs a token that means no session of the caller, and returns NOT_FOUND.
  absl::Status NoSuchSession(const Caller& caller, absl::string_view rpc) const;
  // Removes the session from the table.
  void Forget(ClientSession& session);
  std::vector<std::shared_ptr<ClientSession>> All() const;
  void WatchLeases();

  engine::Engine& engine_;
  const RpcOptions& options_;
  const Readiness& readiness_;
  observability::RpcInstruments& instruments_;
  mutable Mutex mutex_;
  CondVar changed_;
  absl::flat_hash_map<std::string, std::shared_ptr<ClientSession>> sessions_
      ABSL_GUARDED_BY(mutex_);
  size_t leased_ ABSL_GUARDED_BY(mutex_) = 0;    // how many of the sessions have a lease
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // set by EndAll
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread watcher_;  // last, because it uses the other members
};

}  // namespace acceld::rpc

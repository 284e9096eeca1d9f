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

// The open sessions by token, and the thread that ends those whose lease is over. Any thread may
// call; nothing blocks but what ClientSession says.
class SessionTable {
 public:
  // All outlive the table.
  SessionTable(engine::Engine& engine, const RpcOptions& options, const Readiness& readiness,
               observability::RpcInstruments& instruments);
  ~SessionTable();
  SessionTable(const SessionTable&) = delete;
  SessionTable& operator=(const SessionTable&) = delete;

  // A new session of `caller`, to which no stream is attached. FAILED_PRECONDITION for another
  // version of the protocol, UNAVAILABLE while nothing new is taken, and the errors of
  // Engine::OpenSession.
  absl::StatusOr<std::shared_ptr<ClientSession>> Open(const v1::Hello& hello, const Caller& caller);
  // The session of `caller` to go on with. NOT_FOUND when it has ended or is another identity's,
  // which cannot be told apart; ABORTED when another run of the daemon made it.
  absl::StatusOr<std::shared_ptr<ClientSession>> Resume(const v1::Resume& resume,
                                                        const Caller& caller);
  absl::StatusOr<std::shared_ptr<ClientSession>> Find(absl::string_view token, const Caller& caller,
                                                      absl::string_view rpc) const;
  // The session for bulk bytes that come by another socket: one that was opened over a unix socket
  // by the same user. NOT_FOUND.
  absl::StatusOr<std::shared_ptr<ClientSession>> FindForUser(absl::string_view token,
                                                             const PeerCredentials& peer) const;
  // The session that has this number in the engine; nullptr when there is none.
  std::shared_ptr<ClientSession> FindById(uint64_t id) const;

  // For a stream that has ended: without a lease the session ends, too.
  void Detach(const std::shared_ptr<ClientSession>& session, const SessionStream& stream);
  // Ends the session and says why to its stream.
  void End(const std::shared_ptr<ClientSession>& session, const absl::Status& why);
  // Ends all, and refuses new ones.
  void EndAll(const absl::Status& why);

 private:
  // The same for one that never was, has ended, or is another's.
  absl::Status NoSuchSession(const Caller& caller, absl::string_view rpc) const;
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
  size_t leased_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread watcher_;  // Last: it uses the rest.
};

}  // namespace acceld::rpc

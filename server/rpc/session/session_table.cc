#include "server/rpc/session/session_table.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/api/wire.h"
#include "common/threads/start_thread.h"
#include "server/rpc/auth/refusal_log.h"
#include "server/rpc/session/session_log.h"

namespace acceld::rpc {
namespace {

constexpr uint32_t kProtocolVersion = 1;
constexpr size_t kMaxClientNameBytes = 256;
// How often leases are checked: a session ends at most this long after its lease is over.
constexpr std::chrono::milliseconds kWatchInterval{100};

absl::Status CheckVersion(uint32_t version) {
  if (version == kProtocolVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the client speaks protocol ", version, ", the daemon ", kProtocolVersion));
}

}  // namespace

SessionTable::SessionTable(engine::Engine& engine, const RpcOptions& options,
                           const Readiness& readiness, observability::RpcInstruments& instruments)
    : engine_(engine),
      options_(options),
      readiness_(readiness),
      instruments_(instruments),
      watcher_(StartThread("leases", [this] { WatchLeases(); })) {}

SessionTable::~SessionTable() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  watcher_.join();
}

absl::StatusOr<std::shared_ptr<ClientSession>> SessionTable::Open(const v1::Hello& hello,
                                                                  const Caller& caller) {
  ACCELD_RETURN_IF_ERROR(CheckVersion(hello.protocol_version()));
  const std::chrono::milliseconds lease =
      std::min(std::chrono::milliseconds(hello.lease_ms()), options_.max_lease);
  engine::SessionOptions session_options{
      .client_name = hello.client_name().substr(0, kMaxClientNameBytes),
      .identity = caller.identity,
      .priority = FromProto(hello.priority())};
  if (hello.has_device_kind()) session_options.device_kind = hello.device_kind();
  const absl::Status ready = readiness_.Check();
  absl::StatusOr<std::shared_ptr<engine::Session>> opened =
      ready.ok() ? engine_.OpenSession(session_options) : ready;
  if (!opened.ok()) {
    LogSessionRefused(session_options, opened.status());
    return opened.status();
  }
  LogSessionOpened((*opened)->info());
  std::string token((*opened)->token());
  auto session =
      std::make_shared<ClientSession>(engine_, *std::move(opened), caller, options_, lease);
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(closed_);
  sessions_.emplace(std::move(token), session);
  if (lease.count() > 0 && leased_++ == 0) changed_.NotifyAll();
  return session;
}

absl::StatusOr<std::shared_ptr<ClientSession>> SessionTable::Resume(const v1::Resume& resume,
                                                                    const Caller& caller) {
  if (resume.incarnation() != engine_.incarnation()) {
    return absl::AbortedError(
        absl::StrCat("the daemon was restarted: the session is of incarnation ",
                     resume.incarnation(), ", this is ", engine_.incarnation()));
  }
  return Find(resume.session_token(), caller, "Channel");
}

absl::StatusOr<std::shared_ptr<ClientSession>> SessionTable::Find(absl::string_view token,
                                                                  const Caller& caller,
                                                                  absl::string_view rpc) const {
  {
    MutexLock lock(mutex_);
    const auto found = sessions_.find(token);
    if (found != sessions_.end() && found->second->owner().identity.name == caller.identity.name) {
      return found->second;
    }
  }
  return NoSuchSession(caller, rpc);
}

absl::StatusOr<std::shared_ptr<ClientSession>> SessionTable::FindForUser(
    absl::string_view token, const PeerCredentials& peer) const {
  {
    MutexLock lock(mutex_);
    const auto found = sessions_.find(token);
    if (found != sessions_.end() && found->second->owner().uid == peer.uid) return found->second;
  }
  return NoSuchSession({.identity = {.name = IdentityOf(peer)}, .peer = TextOf(peer)}, "segments");
}

absl::Status SessionTable::NoSuchSession(const Caller& caller, absl::string_view rpc) const {
  const absl::Status unknown = absl::NotFoundError("no open session has this token");
  NoteRefusal(instruments_, observability::Refusal::kSession, rpc, caller, unknown);
  return unknown;
}

std::shared_ptr<ClientSession> SessionTable::FindById(uint64_t id) const {
  for (std::shared_ptr<ClientSession>& session : All()) {
    if (session->engine_session().id() == id) return std::move(session);
  }
  return nullptr;
}

void SessionTable::Detach(const std::shared_ptr<ClientSession>& session,
                          const SessionStream& stream) {
  if (!session->Detach(stream)) Forget(*session);
}

void SessionTable::End(const std::shared_ptr<ClientSession>& session, const absl::Status& why) {
  session->End(why);
  Forget(*session);
}

void SessionTable::EndAll(const absl::Status& why) {
  {
    MutexLock lock(mutex_);
    closed_ = why;
  }
  for (const auto& session : All()) End(session, why);
}

void SessionTable::Forget(ClientSession& session) {
  std::shared_ptr<ClientSession> dropped;  // Destroyed without the lock.
  MutexLock lock(mutex_);
  const auto found = sessions_.find(session.engine_session().token());
  if (found == sessions_.end()) return;
  dropped = std::move(found->second);
  sessions_.erase(found);
  if (dropped->lease().count() > 0) --leased_;
}

std::vector<std::shared_ptr<ClientSession>> SessionTable::All() const {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<ClientSession>> all;
  for (const auto& [token, session] : sessions_) all.push_back(session);
  return all;
}

void SessionTable::WatchLeases() {
  while (true) {
    {
      MutexLock lock(mutex_);
      while (leased_ == 0 && !stopping_) changed_.Wait(mutex_);
      if (!stopping_) {
        (void)changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + kWatchInterval);
      }
      if (stopping_) return;
    }
    const auto now = std::chrono::steady_clock::now();
    for (const auto& session : All()) {
      if (!session->HasExpired(now)) continue;
      End(session, absl::DeadlineExceededError(absl::StrCat("nothing was heard for the ",
                                                            session->lease().count(),
                                                            " ms of the session's lease")));
    }
  }
}

}  // namespace acceld::rpc

#include "server/rpc/service.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/api/wire.h"
#include "common/log/log.h"
#include "server/rpc/bulk/bulk_reactors.h"
#include "server/rpc/bulk/trace_reactor.h"
#include "server/rpc/channel/grpc_channel.h"
#include "server/rpc/decode/parse_request.h"
#include "server/rpc/decode/status_codes.h"
#include "server/rpc/run_call.h"
#include "server/rpc/session/session_log.h"

namespace acceld::rpc {
namespace {

constexpr size_t kDefaultPageSize = 100;
constexpr size_t kMaxPageSize = 1000;
constexpr size_t kMaxReasonBytes = 500;

grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context, const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(status));
  return reactor;
}

bool MaySeeIdentity(const Caller& caller, const std::string& identity) {
  return caller.identity.role == Role::kAdmin || identity == caller.identity.name;
}

}  // namespace

Service::Service(engine::Engine& engine, RpcOptions options, const CallCounters& counters,
                 const Gate& gate, Connections& connections)
    : GatedService(gate, counters),
      engine_(engine),
      options_(std::move(options)),
      instruments_(counters.instruments),
      sessions_(engine_, options_, readiness_, instruments_),
      context_{engine_, options_, instruments_, sessions_, timers_, decoders_, gate, connections},
      decoders_("decode", static_cast<size_t>(options_.decode_threads), options_.max_queued_decodes,
                options_.identity_share_percent) {}

ChannelStream* Service::OnChannel(const Caller& caller, grpc::CallbackServerContext*, Call call) {
  return GrpcChannel::Start(context_, caller, std::move(call));
}

void Service::EndSessions() {
  sessions_.EndAll(absl::UnavailableError("the daemon is shutting down"));
}

UploadStream* Service::OnUpload(const Caller& caller, grpc::CallbackServerContext* context,
                                grpc::ByteBuffer* reply, Call call) {
  const grpc::Slice empty;  // a serialized UploadReply, which has no fields
  *reply = grpc::ByteBuffer(&empty, 1);
  return new UploadReactor(context_, caller, context, std::move(call));
}

DownloadStream* Service::OnDownload(const Caller& caller, grpc::CallbackServerContext*,
                                    const grpc::ByteBuffer* bytes, Call call) {
  const auto find = [&]() -> absl::StatusOr<SharedBytes> {
    ACCELD_ASSIGN_OR_RETURN(const auto request, ParseRequest<v1::DownloadRequest>(*bytes));
    ACCELD_ASSIGN_OR_RETURN(const auto session,
                            sessions_.Find(request.session_token(), caller, "Download"));
    return session->transfers().Take(request.transfer_id());
  };
  auto* const reactor = new DownloadReactor(instruments_, std::move(call));
  reactor->Send(find());
  return reactor;
}

grpc::ServerUnaryReactor* Service::OnEndSession(const Caller& caller,
                                                grpc::CallbackServerContext* context,
                                                const v1::EndSessionRequest* request,
                                                v1::EndSessionReply*) {
  const auto session = sessions_.Find(request->session_token(), caller, "EndSession");
  if (session.ok()) {
    sessions_.End(*session, absl::CancelledError("the session was ended by its client"));
  }
  return Answer(context, session.status());
}

grpc::ServerUnaryReactor* Service::OnRun(const Caller& caller, grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request, grpc::ByteBuffer* reply) {
  if (const absl::Status ready = readiness_.Check(); !ready.ok()) {
    LogSessionRefused({.client_name = "run", .identity = caller.identity}, ready);
    return Answer(context, ready);
  }
  return RunCall::Start(context_, caller.identity, *request, reply);
}

grpc::ServerUnaryReactor* Service::OnListDevices(const Caller&,
                                                 grpc::CallbackServerContext* context,
                                                 const v1::ListDevicesRequest*,
                                                 v1::ListDevicesReply* reply) {
  for (const DeviceInfo& device : engine_.Devices()) {
    *reply->add_devices() = ToProto(device);
  }
  for (const MissingDevices& missing : engine_.Missing()) {
    *reply->add_missing() = ToProto(missing);
  }
  return Answer(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* Service::OnGetStats(const Caller& caller,
                                              grpc::CallbackServerContext* context,
                                              const v1::GetStatsRequest*, v1::Stats* reply) {
  *reply = ToProto(engine_.Stats());
  const std::chrono::duration<double> uptime = std::chrono::steady_clock::now() - started_;
  reply->set_uptime_s(uptime.count());
  reply->set_version(options_.version);
  reply->set_incarnation(engine_.incarnation());
  reply->set_draining(!readiness_.ready());
  reply->set_ends_when_idle(options_.ends_when_idle);
  for (const engine::IdentityInfo& info : engine_.Identities()) {
    if (!MaySeeIdentity(caller, info.identity)) continue;
    *reply->add_identities() =
        ToProto(IdentityCacheStats{.identity = info.identity, .lookups = info.cache_lookups});
  }
  return Answer(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* Service::OnListSessions(const Caller& caller,
                                                  grpc::CallbackServerContext* context,
                                                  const v1::ListSessionsRequest*,
                                                  v1::ListSessionsReply* reply) {
  for (const SessionInfo& session : engine_.Sessions()) {
    if (MaySeeIdentity(caller, session.identity)) *reply->add_sessions() = ToProto(session);
  }
  for (const EndedSessionInfo& ended : engine_.EndedSessions()) {
    if (MaySeeIdentity(caller, ended.identity)) *reply->add_ended() = ToProto(ended);
  }
  for (const RunningExecution& running : engine_.Running()) {
    if (MaySeeIdentity(caller, running.identity)) *reply->add_running() = ToProto(running);
  }
  return Answer(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* Service::OnListNames(const Caller& caller,
                                               grpc::CallbackServerContext* context,
                                               const v1::ListNamesRequest*,
                                               v1::ListNamesReply* reply) {
  for (const NamedArrayInfo& array : engine_.NamedArrays(caller.identity)) {
    *reply->add_arrays() = ToProto(array);
  }
  return Answer(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* Service::OnListCache(const Caller&, grpc::CallbackServerContext* context,
                                               const v1::ListCacheRequest* request,
                                               v1::ListCacheReply* reply) {
  const size_t limit = request->page_size() == 0
                           ? kDefaultPageSize
                           : std::min<size_t>(request->page_size(), kMaxPageSize);
  if (request->remote()) {
    return AnswerLater(context, [this, request, reply, limit]() -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(engine::RemoteCachePage page,
                              engine_.RemoteCacheEntries(request->page_token(), limit));
      for (const CacheEntryInfo& entry : page.entries) {
        *reply->add_entries() = ToProto(entry);
      }
      reply->set_next_page_token(std::move(page.next));
      return absl::OkStatus();
    });
  }
  // The token is the number of entries that were already given.
  uint64_t offset = 0;
  if (!request->page_token().empty() && !absl::SimpleAtoi(request->page_token(), &offset)) {
    return Answer(context, absl::InvalidArgumentError(absl::StrCat(
                               "page token '", request->page_token(), "' is not one of ours")));
  }
  const auto list = [this, offset, limit, reply] {
    const std::vector<CacheEntryInfo> entries = engine_.CacheEntries(offset, limit);
    for (const CacheEntryInfo& entry : entries) *reply->add_entries() = ToProto(entry);
    if (entries.size() == limit) reply->set_next_page_token(absl::StrCat(offset + limit));
    return absl::OkStatus();
  };
  return engine_.KnowsCacheEntries() ? Answer(context, list()) : AnswerLater(context, list);
}

grpc::ServerUnaryReactor* Service::OnKillSession(const Caller& caller,
                                                 grpc::CallbackServerContext* context,
                                                 const v1::KillSessionRequest* request,
                                                 v1::KillSessionReply*) {
  const absl::Status why = absl::CancelledError(absl::StrCat(
      "the session was ended by an administrator", request->reason().empty() ? "" : ": ",
      request->reason().substr(0, kMaxReasonBytes)));
  LogEvent(LogLevel::kInfo, "kill",
           {{"identity", caller.identity.name}, {"session", request->session_id()}});
  // A session with a stream tells its client by a Goodbye there. The session of a Run call is not
  // in the table; closing it makes the call fail.
  if (const auto session = sessions_.FindById(request->session_id()); session != nullptr) {
    sessions_.End(session, why);
    return Answer(context, absl::OkStatus());
  }
  return Answer(context, engine_.CloseSession(request->session_id(), why.message()));
}

grpc::ServerUnaryReactor* Service::OnDrain(const Caller& caller,
                                           grpc::CallbackServerContext* context,
                                           const v1::DrainRequest* request, v1::DrainReply* reply) {
  if (request->undo()) {
    const absl::Status undone = readiness_.Undo();
    if (!undone.ok()) return Answer(context, undone);
  } else {
    readiness_.Drain();
  }
  LogEvent(LogLevel::kInfo, request->undo() ? "drain undone" : "draining",
           {{"identity", caller.identity.name}, {"sessions", engine_.Stats().sessions}});
  reply->set_sessions(engine_.Stats().sessions);
  return Answer(context, absl::OkStatus());
}

grpc::ServerWriteReactor<v1::TraceChunk>* Service::OnGetTrace(const Caller& caller,
                                                              grpc::CallbackServerContext*,
                                                              const v1::GetTraceRequest* request) {
  return TraceReactor::Start(engine_, decoders_, caller.identity, *request);
}

grpc::ServerWriteReactor<v1::TraceChunk>* Service::OnGetSessionTrace(
    const Caller& caller, grpc::CallbackServerContext*, const v1::GetSessionTraceRequest* request) {
  return TraceReactor::Start(engine_, decoders_,
                             sessions_.Find(request->session_token(), caller, "GetSessionTrace"),
                             *request);
}

}  // namespace acceld::rpc

#include "server/rpc/server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/files/file_watch.h"
#include "common/log/log.h"
#include "common/memory/segment_messages.h"
#include "common/threads/mutex.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/health_check_service_interface.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "grpcpp/server_posix.h"
#include "server/rpc/auth/admit_connection.h"
#include "server/rpc/auth/connections.h"
#include "server/rpc/auth/error_queue.h"
#include "server/rpc/auth/listener.h"
#include "server/rpc/auth/refusal_log.h"
#include "server/rpc/auth/service_guard.h"
#include "server/rpc/call_counter.h"
#include "server/rpc/grpc_log.h"
#include "server/rpc/protobuf_log.h"
#include "server/rpc/segments/segment_server.h"
#include "server/rpc/service.h"
#include "server/rpc/socket_claim.h"

namespace acceld::rpc {
namespace {

// gRPC itself refuses messages and metadata that exceed the daemon's own limits by more than these
// margins. It does so without telling the daemon, so such refusals are neither counted nor logged.
constexpr int64_t kMessageMarginBytes = int64_t{64} << 20;
constexpr size_t kMetadataMarginBytes = size_t{1} << 20;

absl::Status CheckListen(const std::vector<Address>& addresses, const AccessOptions& access) {
  if (addresses.empty()) return absl::InvalidArgumentError("no address to listen on");
  if (access.tls_certificate.empty() != access.tls_key.empty()) {
    return absl::InvalidArgumentError("tls-cert and tls-key go together");
  }
  for (const Address& address : addresses) {
    if (address.tls && access.tls_certificate.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(address.ToString(), " needs a certificate: set tls-cert and tls-key"));
    }
    if (address.tls && access.tokens.empty() && access.tls_client_ca.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          address.ToString(), " would let nobody in: set access-tokens or tls-client-ca"));
    }
  }
  return absl::OkStatus();
}

// Adds the paths of passed stream sockets to `addresses`, unless they are there already.
// INVALID_ARGUMENT for a packet socket unless its path is an address's path followed by
// segment::kSocketSuffix.
absl::Status AddPassed(const std::vector<InheritedSocket>& passed,
                       std::vector<Address>& addresses) {
  const auto is_one = [&](absl::string_view path, absl::string_view suffix) {
    return std::any_of(addresses.begin(), addresses.end(), [&](const Address& address) {
      return address.is_unix() && absl::StrCat(address.unix_path, suffix) == path;
    });
  };
  for (const InheritedSocket& socket : passed) {
    if (socket.type == SOCK_STREAM && !is_one(socket.path, "")) {
      addresses.push_back({.unix_path = socket.path});
    }
  }
  for (const InheritedSocket& socket : passed) {
    if (socket.type != SOCK_STREAM && !is_one(socket.path, segment::kSocketSuffix)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the socket ", socket.path, " was passed, but not the one it belongs to: ",
                       "its path is that one's and ", segment::kSocketSuffix));
    }
  }
  return absl::OkStatus();
}

// Takes the passed socket with this path and type out of `passed`. The result is not valid when
// there is none.
UniqueFd Take(std::vector<InheritedSocket>& passed, absl::string_view path, int type) {
  for (InheritedSocket& socket : passed) {
    if (socket.path == path && socket.type == type) return std::move(socket.fd);
  }
  return UniqueFd();
}

// Sets the options of a connection: small messages are sent without delay, and a peer that is gone
// is detected by keepalive probes.
void SetUpTcp(int fd) {
  const int yes = 1, idle_s = 60, interval_s = 20, tries = 3;
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
  (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
  (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof(interval_s));
  (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof(tries));
}

Connections::Limits LimitsOf(const RpcOptions& options) {
  rlimit files = {};
  const bool known = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY;
  const uint64_t descriptors = known ? files.rlim_cur : 0;
  return {.descriptors = descriptors,
          // Where the limit is low, most descriptors are to remain for clients.
          .reserve = std::min(options.descriptor_reserve, descriptors / 4),
          .unidentified = options.max_unidentified,
          .patience = options.identify_timeout};
}

// Further calls wait in the client. Each session over gRPC has one call that lasts as long as its
// stream.
constexpr int kMaxCallsPerConnection = 1024;

// The memory that gRPC may use for messages that have come in part, and for itself.
int64_t MessageMemory(const RpcOptions& options) {
  return std::max<int64_t>(int64_t{256} << 20, 4 * options.max_message_bytes);
}

}  // namespace

// The kind of connections that a listener accepts: over a unix socket, or over TCP without or with
// TLS.
enum class ListenerKind : uint8_t { kUnix, kPlain, kTls };
struct OpenListener {
  std::unique_ptr<Listener> listener;
  ListenerKind way;
};
using ConnectionAcceptor = grpc::experimental::ExternalConnectionAcceptor;

struct Server::Impl {
  Impl(engine::Engine& engine, RpcOptions options)
      : addresses(options.listen),
        access(options.access),
        instruments(MakeInstruments()),
        connections(engine, *instruments, LimitsOf(options)),
        gate(connections, *instruments, static_cast<size_t>(options.max_message_bytes)),
        service(engine, std::move(options), {*instruments, calls}, gate, connections) {}

  absl::Status Reload(AccessOptions wanted) {
    MutexLock lock(reload_mutex);
    ACCELD_RETURN_IF_ERROR(gate.Reload(wanted));
    access = std::move(wanted);
    return absl::OkStatus();
  }
  // Handles a connection that was accepted: passes its descriptor to gRPC, or closes it.
  void Accept(UniqueFd fd, ListenerKind way) {
    if (way == ListenerKind::kUnix) {
      absl::StatusOr<ConnectionPeer> arrival =
          AdmitConnection(fd.get(), gate, connections, *instruments);
      if (!arrival.ok()) return;
      const absl::Status added = connections.AddUnix(fd.get(), arrival->peer, arrival->identity);
      if (!added.ok()) {
        NoteRefusal(*instruments, observability::Refusal::kConnections, "connection",
                    {.identity = *arrival->identity, .peer = TextOf(arrival->peer)}, added);
        return;
      }
      return grpc::AddInsecureChannelFromFd(server.get(), fd.Release());
    }
    SetUpTcp(fd.get());
    const absl::Status added = connections.AddTcp(fd.get());
    if (!added.ok()) {
      return NoteRefusal(*instruments, observability::Refusal::kConnections, "connection", {},
                         added);
    }
    ConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = fd.Release();
    (way == ListenerKind::kTls ? tls_acceptor : plain_acceptor)->HandleNewConnection(&connection);
  }
  // Called when one of the files has changed.
  void ReloadFiles() {
    MutexLock lock(reload_mutex);
    const absl::Status status = gate.Reload(access);
    if (status.ok()) return LogInfo("tokens and certificates were read again");
    LogError("tokens and certificates stay as they are: ", status.message());
  }

  std::vector<Address> addresses;
  Mutex reload_mutex;
  AccessOptions access ABSL_GUARDED_BY(reload_mutex);
  std::vector<SocketClaim> claims;
  const std::shared_ptr<observability::RpcInstruments> instruments;  // shared with gRPC's log
  CallTally calls;
  Connections connections;
  Gate gate;
  Service service;
  UnknownMethods unknown_methods{gate};
  std::shared_ptr<grpc::ServerCredentials> tls;  // used by gRPC as long as the server lives
  // The threads of each of the following use members above it.
  std::unique_ptr<grpc::Server> server;
  // Pass accepted TCP connections, without and with TLS, to gRPC.
  std::unique_ptr<ConnectionAcceptor> plain_acceptor, tls_acceptor;
  std::vector<OpenListener> listeners;
  std::unique_ptr<LocalChannels> channels;
  std::shared_ptr<SharedArrays> shared_arrays;  // its timer callbacks hold weak references
  std::vector<std::unique_ptr<SegmentServer>> segments;
  std::unique_ptr<FileWatch> watch;
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(engine::Engine& engine, RpcOptions options,
                                                      std::vector<InheritedSocket> passed) {
  ACCELD_RETURN_IF_ERROR(AddPassed(passed, options.listen));
  ACCELD_RETURN_IF_ERROR(CheckListen(options.listen, options.access));
  const AccessOptions access = options.access;
  const int64_t max_message_bytes = options.max_message_bytes;
  const int64_t identify_ms = options.identify_timeout.count();
  const int64_t idle_ms = options.connection_idle.count();
  auto impl = std::make_unique<Impl>(engine, std::move(options));
  ACCELD_RETURN_IF_ERROR(impl->Reload(access));
  for (Address& address : impl->addresses) {
    if (UniqueFd socket = Take(passed, address.unix_path, SOCK_STREAM); socket.valid()) {
      ACCELD_ASSIGN_OR_RETURN(std::unique_ptr<Listener> listener,
                              Listener::Adopt(std::move(socket)));
      impl->listeners.push_back({std::move(listener), ListenerKind::kUnix});
      continue;
    }
    ACCELD_ASSIGN_OR_RETURN(SocketClaim claim, SocketClaim::Take(address));
    impl->claims.push_back(std::move(claim));
    if (!address.is_unix()) {
      ACCELD_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<Listener>> bound,
                              Listener::BindTcp(address.host, address.port));
      for (std::unique_ptr<Listener>& listener : bound) {
        impl->listeners.push_back(
            {std::move(listener), address.tls ? ListenerKind::kTls : ListenerKind::kPlain});
      }
      continue;
    }
    ACCELD_ASSIGN_OR_RETURN(std::unique_ptr<Listener> listener,
                            Listener::BindUnix(address.unix_path, access.socket_mode));
    impl->listeners.push_back({std::move(listener), ListenerKind::kUnix});
  }
  RedirectProtobufLog();
  RedirectGrpcLog(impl->instruments);
  DisableUnixSocketErrorQueues();
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(
      static_cast<int>(std::min<int64_t>(max_message_bytes + kMessageMarginBytes, INT_MAX)));
  // The daemon limits the results in a reply itself; a few bytes come in addition.
  builder.SetMaxSendMessageSize(-1);
  // A message that has come in part cannot be charged to an identity, so all connections share this
  // quota.
  grpc::ResourceQuota memory("messages");
  memory.Resize(static_cast<size_t>(MessageMemory(impl->service.context().options)));
  builder.SetResourceQuota(memory);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxCallsPerConnection);
  // The time for the handshake and the first frame. It is longer than the time after which
  // Connections ends a silent connection, because that is counted and logged.
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             static_cast<int>(std::min<int64_t>(2 * identify_ms, INT_MAX)));
  // A setting of 0 means that idle connections are never closed.
  builder.AddChannelArgument(
      GRPC_ARG_MAX_CONNECTION_IDLE_MS,
      idle_ms == 0 ? INT_MAX : static_cast<int>(std::min<int64_t>(idle_ms, INT_MAX)));
  // Pings do not keep a connection without calls open, and a client that sends more than a few of
  // them then is disconnected.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 2);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE,
                             static_cast<int>(Gate::kMaxMetadataBytes + kMetadataMarginBytes));
  if (!access.tls_certificate.empty()) {
    impl->tls = MakeTlsCredentials(impl->gate.certificate(), !access.tls_client_ca.empty());
  }
  const auto add_acceptor =
      [&builder](const std::shared_ptr<grpc::ServerCredentials>& credentials) {
        return builder.experimental().AddExternalConnectionAcceptor(
            grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials);
      };
  const auto has_listener = [&](ListenerKind way) {
    return std::any_of(impl->listeners.begin(), impl->listeners.end(),
                       [way](const OpenListener& listener) { return listener.way == way; });
  };
  if (has_listener(ListenerKind::kPlain))
    impl->plain_acceptor = add_acceptor(grpc::InsecureServerCredentials());
  if (has_listener(ListenerKind::kTls)) impl->tls_acceptor = add_acceptor(impl->tls);
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(MakeCallCounter({*impl->instruments, impl->calls}));
  interceptors.push_back(MakeServiceGuard(impl->gate));
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  builder.RegisterService(&impl->service);
  builder.RegisterCallbackGenericService(&impl->unknown_methods);
  impl->server = builder.BuildAndStart();
  if (impl->server == nullptr) return absl::UnavailableError("gRPC cannot start its server");
  const RpcContext& context = impl->service.context();
  impl->connections.Watch(context.timers);
  ACCELD_ASSIGN_OR_RETURN(impl->channels, LocalChannels::Start(context.options.channel_threads));
  impl->shared_arrays = std::make_shared<SharedArrays>(
      SharedArrays::Limits{context.options.shared_array_bytes, context.options.max_shared_arrays,
                           context.options.identity_share_percent},
      context.timers, context.decoders);
  for (const Address& address : impl->addresses) {
    if (!address.is_unix()) continue;
    UniqueFd socket =
        Take(passed, absl::StrCat(address.unix_path, segment::kSocketSuffix), SOCK_SEQPACKET);
    // A passed socket needs a server even then, or clients that connect to it would never hear
    // anything.
    if (context.options.segment_bytes == 0 && !socket.valid()) continue;
    ACCELD_ASSIGN_OR_RETURN(auto segments,
                            SegmentServer::Start(context, *impl->channels, *impl->shared_arrays,
                                                 address.unix_path, std::move(socket)));
    impl->segments.push_back(std::move(segments));
  }
  if (auto* health = impl->server->GetHealthCheckService()) {
    health->SetServingStatus(v1::Acceld::service_full_name(), true);
    impl->service.readiness().OnChange([health](bool ready) { health->SetServingStatus(ready); });
  }
  for (const OpenListener& listener : impl->listeners) {
    listener.listener->Start(
        [impl = impl.get(), way = listener.way](UniqueFd fd) { impl->Accept(std::move(fd), way); },
        impl->instruments->accept_failures);
  }
  std::vector<std::string> files;
  for (const std::string* path :
       {&access.tokens, &access.tls_certificate, &access.tls_key, &access.tls_client_ca}) {
    if (!path->empty()) files.push_back(*path);
  }
  impl->watch =
      std::make_unique<FileWatch>(std::move(files), [impl = impl.get()] { impl->ReloadFiles(); });
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { Shutdown(std::chrono::milliseconds(0)); }

const std::vector<Address>& Server::addresses() const { return impl_->addresses; }
const observability::RpcInstruments& Server::instruments() const { return *impl_->instruments; }

absl::Status Server::Reload(AccessOptions access) { return impl_->Reload(std::move(access)); }

bool Server::accepting() const { return impl_->service.readiness().ready(); }

Server::Calls Server::calls() const {
  return {.begun = impl_->calls.begun, .open = impl_->calls.open};
}

void Server::PauseAccepting() { impl_->service.readiness().Drain(); }
void Server::ResumeAccepting() { (void)impl_->service.readiness().Undo(); }

void Server::StopAccepting() { impl_->service.readiness().Stop(); }

void Server::Shutdown(std::chrono::milliseconds grace) {
  StopAccepting();
  impl_->watch.reset();
  impl_->listeners.clear();
  impl_->service.EndSessions();
  impl_->channels->AwaitNone(std::chrono::steady_clock::now() + grace);
  impl_->server->Shutdown(std::chrono::system_clock::now() + grace);
}

}  // namespace acceld::rpc

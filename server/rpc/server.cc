#include "server/rpc/server.h"

#include <sys/stat.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/health_check_service_interface.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "server/rpc/call_counter.h"
#include "server/rpc/protobuf_log.h"
#include "server/rpc/segments/segment_server.h"
#include "server/rpc/service.h"
#include "server/rpc/socket_claim.h"

namespace acceld::rpc {

struct Server::Impl {
  Impl(engine::Engine& engine, RpcOptions options)
      : addresses(options.listen),
        instruments(MakeInstruments()),
        service(engine, std::move(options), *instruments) {}

  std::vector<Address> addresses;
  std::vector<SocketClaim> claims;
  const std::unique_ptr<observability::RpcInstruments> instruments;
  Service service;
  // Last: their threads use the service.
  std::vector<std::unique_ptr<SegmentServer>> segments;
  std::unique_ptr<grpc::Server> server;
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(engine::Engine& engine, RpcOptions options) {
  if (options.listen.empty()) return absl::InvalidArgumentError("no address to listen on");
  const int max_message_bytes = static_cast<int>(options.max_message_bytes);
  auto impl = std::make_unique<Impl>(engine, std::move(options));
  for (const Address& address : impl->addresses) {
    ACCELD_ASSIGN_OR_RETURN(SocketClaim claim, SocketClaim::Take(address));
    impl->claims.push_back(std::move(claim));
  }
  TameProtobufLog();
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(max_message_bytes);
  // Replies carry results beside their own few bytes.
  builder.SetMaxSendMessageSize(-1);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  std::vector<int> ports(impl->addresses.size(), 0);
  for (size_t i = 0; i < ports.size(); ++i) {
    builder.AddListeningPort(impl->addresses[i].ToString(), grpc::InsecureServerCredentials(),
                             &ports[i]);
  }
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(MakeCallCounter(*impl->instruments));
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  builder.RegisterService(&impl->service);
  impl->server = builder.BuildAndStart();
  for (size_t i = 0; i < ports.size(); ++i) {
    Address& address = impl->addresses[i];
    if (impl->server == nullptr || ports[i] == 0) {
      return absl::UnavailableError(absl::StrCat("cannot listen on ", address.ToString()));
    }
    if (!address.is_unix()) {
      address.port = static_cast<uint16_t>(ports[i]);
    } else if (chmod(address.unix_path.c_str(), 0600) != 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("chmod ", address.unix_path));
    }
  }
  for (const Address& address : impl->addresses) {
    if (!address.is_unix() || impl->service.context().options.segment_bytes == 0) continue;
    ACCELD_ASSIGN_OR_RETURN(auto segments,
                            SegmentServer::Start(impl->service.context(), address.unix_path));
    impl->segments.push_back(std::move(segments));
  }
  if (auto* health = impl->server->GetHealthCheckService()) {
    health->SetServingStatus(v1::Acceld::service_full_name(), true);
    impl->service.readiness().OnChange([health](bool ready) { health->SetServingStatus(ready); });
  }
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { Shutdown(std::chrono::milliseconds(0)); }

const std::vector<Address>& Server::addresses() const { return impl_->addresses; }
const observability::RpcInstruments& Server::instruments() const { return *impl_->instruments; }

void Server::StopAccepting() { impl_->service.readiness().Stop(); }

void Server::Shutdown(std::chrono::milliseconds grace) {
  StopAccepting();
  impl_->service.EndSessions();
  impl_->server->Shutdown(std::chrono::system_clock::now() + grace);
}

}  // namespace acceld::rpc

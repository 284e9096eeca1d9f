#include "client/transport/dial/dial.h"

#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/transport/dial/call_status.h"
#include "client/transport/dial/token_sender.h"
#include "client/transport/dial/trusted_socket.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/create_channel_posix.h"
#include "grpcpp/security/credentials.h"

namespace acceld::client {
namespace {

constexpr std::chrono::milliseconds kMaxProbe{3000};
constexpr std::chrono::milliseconds kPatience{2000};
// Pause between two attempts to connect to a unix socket where a daemon is expected.
constexpr std::chrono::milliseconds kRetryPause{20};

// Returns gRPC's target string. It contains an IP address and no host name, because gRPC would
// resolve a name again for each connection.
std::string TargetOf(const Address& address) {
  const std::string endpoint = address.Endpoint();
  return absl::StrCat(absl::StartsWith(endpoint, "[") ? "ipv6:" : "ipv4:",
                      absl::StrReplaceAll(endpoint, {{"%", "%25"}}));  // The target is a URI.
}

std::shared_ptr<grpc::ChannelCredentials> CredentialsFor(const Address& address,
                                                         const Secrets& secrets) {
  if (!address.tls) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({.pem_root_certs = secrets.ca_pem,
                               .pem_private_key = secrets.key_pem,
                               .pem_cert_chain = secrets.certificate_pem});
}

// Finds out why a channel to a listening process does not become connected. Returns "" if it may
// still become connected.
std::string ConnectionProblem(RpcChannel& line, const Address& address) {
  // A failed call reports the reason, which the channel itself does not.
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
  v1::ListDevicesReply reply;
  const grpc::Status status = line.stub.ListDevices(&context, v1::ListDevicesRequest(), &reply);
  const std::string& why = status.error_message();
  if (status.error_code() != grpc::StatusCode::UNAVAILABLE) return "";
  if (address.tls && absl::StrContains(why, "wrong version number")) {
    return absl::StrCat("it does not expect TLS; write ", address.HostAndPort());
  }
  if (address.tls && absl::StrContains(why, "certificate verify failed")) {
    return "its certificate is of no authority that is trusted here; name that one's file in "
           "ACCELD_CA_FILE";
  }
  if (address.tls && absl::StrContains(why, "Peer name")) {
    return absl::StrCat("its certificate is for another name than ", address.host,
                        "; use that name, or set ACCELD_SERVER_NAME");
  }
  if (address.tls && absl::StrContains(why, "handshake failed")) {
    return "TLS does not come about with it; it may want a client certificate, which "
           "ACCELD_CERT_FILE and ACCELD_KEY_FILE name, or this one is not one it accepts";
  }
  if (!address.tls && IsHangUp(why)) {
    return absl::StrCat("it hangs up; if it expects TLS, write tls://", address.HostAndPort());
  }
  return "";
}

grpc::ChannelArguments ArgumentsOf(const Address& address, const Secrets& secrets,
                                   std::chrono::milliseconds lease) {
  grpc::ChannelArguments arguments;
  // Each session has its own connections.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
  // The time that one attempt may take, including its handshake; it does not delay the next
  // attempt.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 2000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 200);
  if (lease.count() > 0 && !address.is_unix()) {
    // Detects a vanished peer while there is still time to resume the session on another stream.
    const int quarter_ms = static_cast<int>(lease.count() / 4);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, quarter_ms);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, quarter_ms);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  }
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  // The certificate is for the host name, although the target contains an IP address.
  if (!secrets.server_name.empty()) {
    arguments.SetSslTargetNameOverride(secrets.server_name);
  } else if (address.tls) {
    arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, address.HostAndPort());
  }
  return arguments;
}

std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> InterceptorsOf(
    const Secrets& secrets) {
  std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> interceptors;
  if (!secrets.token.empty()) interceptors.push_back(MakeTokenSender(secrets.token));
  return interceptors;
}

// Returns whether ConnectTrusted has failed because no daemon listens, which may still change.
bool IsNoListener(const absl::Status& status) {
  return absl::IsNotFound(status) || absl::IsUnavailable(status) ||
         absl::IsDeadlineExceeded(status);
}

absl::string_view WhyNot(const absl::Status& connecting) {
  if (absl::IsNotFound(connecting)) return "there is no such socket";
  if (absl::IsDeadlineExceeded(connecting)) return "nobody answers there";
  return "nobody listens there";
}

absl::Status AwaitUnixDaemon(Dialer& dialer, const Attempt& attempt) {
  const auto deadline = std::chrono::steady_clock::now() + attempt.timeout;
  while (true) {
    const auto rest =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const absl::Status status =
        dialer.Connect(std::min(std::max(rest, kRetryPause), kMaxProbe)).status();
    if (!IsNoListener(status)) return status;
    if (!attempt.wait_for_daemon) return NoDaemonError(attempt, WhyNot(status));
    if (rest <= kRetryPause) {
      return NoDaemonError(attempt, absl::StrCat("tried for ", attempt.timeout.count(), " ms"));
    }
    std::this_thread::sleep_for(kRetryPause);
  }
}

}  // namespace

RpcChannel::RpcChannel(std::shared_ptr<grpc::Channel> over)
    : channel(std::move(over)), stub(channel), generic(channel) {}

bool Dialer::Socket::IsBroken() const {
  struct stat info;
  if (fstat(fd, &info) != 0 || info.st_ino != inode) return true;
  pollfd state{.fd = fd, .events = POLLRDHUP, .revents = 0};
  return poll(&state, 1, 0) != 0;
}

Dialer::Dialer(const Address& address, const Secrets& secrets, std::chrono::milliseconds lease)
    : address_(address), peer_(address.ToString()), secrets_(secrets), lease_(lease) {}

absl::StatusOr<std::shared_ptr<RpcChannel>> Dialer::Get() {
  absl::StatusOr<std::shared_ptr<RpcChannel>> line = Connect(kPatience);
  if (line.ok() || !IsNoListener(line.status())) return line;
  return absl::UnavailableError(absl::StrCat("no daemon answers at ", peer_));
}

absl::StatusOr<std::shared_ptr<RpcChannel>> Dialer::Connect(std::chrono::milliseconds timeout) {
  MutexLock lock(mutex_);
  if (line_ != nullptr && !(address_.is_unix() && socket_.IsBroken())) return line_;
  const grpc::ChannelArguments arguments = ArgumentsOf(address_, secrets_, lease_);
  if (!address_.is_unix()) {
    line_ = std::make_shared<RpcChannel>(grpc::experimental::CreateCustomChannelWithInterceptors(
        TargetOf(address_), CredentialsFor(address_, secrets_), arguments,
        InterceptorsOf(secrets_)));
    return line_;
  }
  line_ = nullptr;
  ACCELD_ASSIGN_OR_RETURN(UniqueFd fd,
                          ConnectTrusted({address_.unix_path, secrets_.socket_users}, timeout));
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return absl::ErrnoToStatus(errno, "a socket's inode");
  socket_ = {.fd = fd.Release(), .inode = info.st_ino};
  line_ = std::make_shared<RpcChannel>(
      grpc::experimental::CreateCustomInsecureChannelWithInterceptorsFromFd(
          peer_, socket_.fd, arguments, InterceptorsOf(secrets_)));
  return line_;
}

bool Dialer::AwaitConnection(std::chrono::system_clock::time_point until) {
  if (address_.is_unix()) return true;
  const absl::StatusOr<std::shared_ptr<RpcChannel>> line = Get();
  return line.ok() && (*line)->channel->WaitForConnected(until);
}

absl::Status NoDaemonError(const Attempt& attempt, absl::string_view why) {
  if (!attempt.is_only) return absl::UnavailableError(why);
  Address listen = attempt.address;
  listen.ip.clear();
  const std::string address = listen.ToString();
  return absl::UnavailableError(
      absl::StrCat("no acceld daemon answers at ", attempt.address.ToString(), " (", why,
                   "); start one with `acceld",
                   address == DefaultAddress() ? "" : absl::StrCat(" --listen ", address),
                   "`, or name another address in ACCELD_ADDRESS"));
}

absl::Status AwaitDaemon(Dialer& dialer, const Attempt& attempt) {
  const Address& address = attempt.address;
  if (address.is_unix()) return AwaitUnixDaemon(dialer, attempt);
  const auto deadline = std::chrono::system_clock::now() + attempt.timeout;
  const auto misunderstood = [&](absl::string_view why) {
    return absl::UnavailableError(
        absl::StrCat("the daemon at ", address.ToString(), " was not understood: ", why));
  };
  if (!attempt.wait_for_daemon) {
    const absl::Status probe = Probe(address, std::min(attempt.timeout, kMaxProbe));
    if (absl::IsNotFound(probe)) {
      return NoDaemonError(attempt, "there is no such host");
    }
    if (absl::IsUnavailable(probe)) return NoDaemonError(attempt, "nobody listens there");
    if (absl::IsDeadlineExceeded(probe)) return NoDaemonError(attempt, "nobody answers there");
    ACCELD_RETURN_IF_ERROR(probe);
  }
  ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<RpcChannel> line, dialer.Get());
  const std::shared_ptr<grpc::Channel>& channel = line->channel;
  grpc_connectivity_state state = channel->GetState(/*try_to_connect=*/true);
  while (state != GRPC_CHANNEL_READY && channel->WaitForStateChange(state, deadline)) {
    state = channel->GetState(/*try_to_connect=*/true);
    if (state != GRPC_CHANNEL_TRANSIENT_FAILURE || attempt.wait_for_daemon) continue;
    const std::string why = ConnectionProblem(*line, address);
    if (!why.empty()) return misunderstood(why);
  }
  if (state == GRPC_CHANNEL_READY) return absl::OkStatus();
  // A failure between two checks is not seen above.
  const std::string why = ConnectionProblem(*line, address);
  if (!why.empty()) return misunderstood(why);
  return NoDaemonError(attempt, absl::StrCat("tried for ", attempt.timeout.count(), " ms"));
}

}  // namespace acceld::client

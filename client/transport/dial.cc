#include "client/transport/dial.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "acceld/v1/acceld.grpc.pb.h"
#include "client/transport/token_sender.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"

namespace acceld::client {
namespace {

constexpr std::chrono::milliseconds kMaxProbe{3000};

// For gRPC. No name, which it would resolve by itself, for each connection anew.
std::string TargetOf(const Address& address) {
  if (address.is_unix()) return address.ToString();
  const std::string endpoint = address.Endpoint();
  return absl::StrCat(absl::StartsWith(endpoint, "[") ? "ipv6:" : "ipv4:",
                      absl::StrReplaceAll(endpoint, {{"%", "%25"}}));  // It is a URI.
}

std::shared_ptr<grpc::ChannelCredentials> CredentialsFor(const Address& address,
                                                         const Secrets& secrets) {
  if (!address.tls) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({.pem_root_certs = secrets.ca_pem,
                               .pem_private_key = secrets.key_pem,
                               .pem_cert_chain = secrets.certificate_pem});
}

// What keeps a channel from connecting to somebody who accepts. Empty: it may be a matter of time.
std::string Misunderstanding(const std::shared_ptr<grpc::Channel>& channel,
                             const Address& address) {
  // A call says what the channel only knows.
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
  v1::ListDevicesReply reply;
  const grpc::Status status =
      v1::Acceld::NewStub(channel)->ListDevices(&context, v1::ListDevicesRequest(), &reply);
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
  if (address.tls && absl::StrContains(why, "handshake failed")) return why;
  if (!address.tls && !address.is_unix() && absl::StrContains(why, "Socket closed")) {
    return absl::StrCat("it hangs up; if it expects TLS, write tls://", address.HostAndPort());
  }
  return "";
}

}  // namespace

std::shared_ptr<grpc::Channel> MakeChannel(const Address& address, const Secrets& secrets,
                                           std::chrono::milliseconds lease) {
  grpc::ChannelArguments arguments;
  // Each session has connections of its own.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
  // So long an attempt may take, with its handshake; it does not delay the next.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 2000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 200);
  if (lease.count() > 0 && !address.is_unix()) {
    // A peer that vanished is noticed while there is time to go on with another stream.
    const int quarter_ms = static_cast<int>(lease.count() / 4);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, quarter_ms);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, quarter_ms);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  }
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  // The certificate is for the name, whatever the target is.
  if (!secrets.server_name.empty()) {
    arguments.SetSslTargetNameOverride(secrets.server_name);
  } else if (address.tls) {
    arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, address.HostAndPort());
  }
  std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> interceptors;
  if (!secrets.token.empty()) interceptors.push_back(MakeTokenSender(secrets.token));
  return grpc::experimental::CreateCustomChannelWithInterceptors(
      TargetOf(address), CredentialsFor(address, secrets), arguments, std::move(interceptors));
}

absl::Status NobodyAnswers(const Attempt& attempt, absl::string_view why) {
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

absl::Status AwaitDaemon(const std::shared_ptr<grpc::Channel>& channel, const Attempt& attempt) {
  const Address& address = attempt.address;
  const auto deadline = std::chrono::system_clock::now() + attempt.timeout;
  const auto misunderstood = [&](absl::string_view why) {
    return absl::UnavailableError(
        absl::StrCat("the daemon at ", address.ToString(), " was not understood: ", why));
  };
  if (!attempt.wait_for_daemon) {
    const absl::Status probe = Probe(address, std::min(attempt.timeout, kMaxProbe));
    if (absl::IsNotFound(probe)) {
      return NobodyAnswers(attempt,
                           address.is_unix() ? "there is no such socket" : "there is no such host");
    }
    if (absl::IsUnavailable(probe)) return NobodyAnswers(attempt, "nobody listens there");
    if (absl::IsDeadlineExceeded(probe)) return NobodyAnswers(attempt, "nobody answers there");
    ACCELD_RETURN_IF_ERROR(probe);
  }
  grpc_connectivity_state state = channel->GetState(/*try_to_connect=*/true);
  while (state != GRPC_CHANNEL_READY && channel->WaitForStateChange(state, deadline)) {
    state = channel->GetState(/*try_to_connect=*/true);
    if (state != GRPC_CHANNEL_TRANSIENT_FAILURE || attempt.wait_for_daemon) continue;
    const std::string why = Misunderstanding(channel, address);
    if (!why.empty()) return misunderstood(why);
  }
  if (state == GRPC_CHANNEL_READY) return absl::OkStatus();
  // A failure between two looks is not seen above.
  const std::string why = Misunderstanding(channel, address);
  if (!why.empty()) return misunderstood(why);
  return NobodyAnswers(attempt, absl::StrCat("tried for ", attempt.timeout.count(), " ms"));
}

}  // namespace acceld::client

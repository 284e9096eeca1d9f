#include "client/transport/dial.h"

#include "absl/strings/str_cat.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"

namespace acceld::client {

std::shared_ptr<grpc::Channel> MakeChannel(const Address& address,
                                           std::chrono::milliseconds lease) {
  grpc::ChannelArguments arguments;
  // Each session has connections of its own, and they never leave the machine.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 20);
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
  return grpc::CreateCustomChannel(address.ToString(), grpc::InsecureChannelCredentials(),
                                   arguments);
}

absl::Status NobodyAnswers(const Address& address, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat(
      "no acceld daemon answers at ", address.ToString(), " (", why, "); start one with `acceld",
      address.ToString() == DefaultAddress() ? "" : absl::StrCat(" --listen ", address.ToString()),
      "`, or name another address in ACCELD_ADDRESS"));
}

absl::Status AwaitDaemon(grpc::Channel& channel, const Address& address,
                         std::chrono::milliseconds timeout, bool wait_for_daemon) {
  const auto deadline = std::chrono::system_clock::now() + timeout;
  if (!wait_for_daemon) {
    const absl::Status probe = Probe(address);
    if (absl::IsNotFound(probe)) return NobodyAnswers(address, "there is no such socket");
    if (absl::IsUnavailable(probe)) return NobodyAnswers(address, "nobody listens there");
    ACCELD_RETURN_IF_ERROR(probe);
  }
  if (channel.WaitForConnected(deadline)) return absl::OkStatus();
  return NobodyAnswers(address, absl::StrCat("tried for ", timeout.count(), " ms"));
}

}  // namespace acceld::client

#include "client/transport/admin_connection.h"

#include <utility>

#include "acceld/v1/acceld.grpc.pb.h"
#include "client/transport/dial/call_status.h"
#include "client/transport/dial/dial.h"
#include "client/transport/dial/keep_grpc.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace acceld::client {
namespace {

constexpr std::chrono::seconds kUnaryTimeout{10};
constexpr std::chrono::seconds kTraceTimeout{60};
// For calls that may process all entries of a cache.
constexpr std::chrono::minutes kCacheTimeout{60};
// Below the smallest limit for one message that a daemon may have.
constexpr size_t kChunkBytes = size_t{32} << 10;

}  // namespace

class AdminConnection::Impl {
 public:
  Impl(const Address& address, const Secrets& secrets)
      : secrets_(secrets), dialer_(address, secrets, std::chrono::milliseconds(0)) {}

  Dialer& dialer() { return dialer_; }

  template <typename Reply, typename Request>
  absl::StatusOr<Reply> Ask(grpc::Status (v1::Acceld::Stub::*method)(grpc::ClientContext*,
                                                                     const Request&, Reply*),
                            const Request& request,
                            std::chrono::seconds timeout = kUnaryTimeout) const {
    ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<RpcChannel> line, dialer_.Get());
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + timeout);
    Reply reply;
    ACCELD_RETURN_IF_ERROR(WithAdvice((line->stub.*method)(&context, request, &reply)));
    return reply;
  }

  absl::StatusOr<bool> IsServing() const {
    using grpc::health::v1::HealthCheckResponse;
    ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<RpcChannel> line, dialer_.Get());
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kUnaryTimeout);
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(std::string(v1::Acceld::service_full_name()));
    HealthCheckResponse reply;
    ACCELD_RETURN_IF_ERROR(StatusOfCall(
        grpc::health::v1::Health::NewStub(line->channel)->Check(&context, request, &reply),
        dialer_.peer()));
    return reply.status() == HealthCheckResponse::SERVING;
  }

  // Calls `take` for each message of the stream.
  template <typename Message, typename Request>
  absl::Status Read(std::unique_ptr<grpc::ClientReader<Message>> (v1::Acceld::Stub::*method)(
                        grpc::ClientContext*, const Request&),
                    const Request& request, std::chrono::seconds timeout,
                    const std::function<void(const Message&)>& take) const {
    ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<RpcChannel> line, dialer_.Get());
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + timeout);
    const auto stream = (line->stub.*method)(&context, request);
    Message message;
    while (stream->Read(&message)) take(message);
    return WithAdvice(stream->Finish());
  }

  absl::StatusOr<v1::ImportCacheEntryReply> ImportCacheEntry(absl::string_view entry) const {
    ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<RpcChannel> line, dialer_.Get());
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCacheTimeout);
    v1::ImportCacheEntryReply reply;
    const auto stream = line->stub.ImportCacheEntry(&context, &reply);
    v1::CacheBundleChunk chunk;
    bool is_open = true;  // false: the daemon has ended the stream, with a status.
    while (is_open && !entry.empty()) {
      const absl::string_view piece = entry.substr(0, kChunkBytes);
      chunk.set_data(piece.data(), piece.size());
      is_open = stream->Write(chunk);
      entry.remove_prefix(piece.size());
    }
    stream->WritesDone();
    ACCELD_RETURN_IF_ERROR(WithAdvice(stream->Finish()));
    return reply;
  }

 private:
  // Returns the status as callers see it.
  absl::Status WithAdvice(const grpc::Status& status) const {
    return AdviseOnSecrets(StatusOfCall(status, dialer_.peer()), secrets_);
  }
  const Secrets secrets_;
  mutable Dialer dialer_;
};

AdminConnection::AdminConnection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AdminConnection::~AdminConnection() = default;

absl::StatusOr<std::unique_ptr<AdminConnection>> AdminConnection::Open(const Attempt& attempt,
                                                                       const Secrets& secrets) {
  KeepGrpc();
  auto impl = std::make_unique<Impl>(attempt.address, secrets);
  ACCELD_RETURN_IF_ERROR(AwaitDaemon(impl->dialer(), attempt));
  return std::unique_ptr<AdminConnection>(new AdminConnection(std::move(impl)));
}

absl::StatusOr<bool> AdminConnection::IsServing() const { return impl_->IsServing(); }
absl::StatusOr<v1::ListDevicesReply> AdminConnection::ListDevices() const {
  return impl_->Ask(&v1::Acceld::Stub::ListDevices, v1::ListDevicesRequest());
}
absl::StatusOr<v1::Stats> AdminConnection::GetStats() const {
  return impl_->Ask(&v1::Acceld::Stub::GetStats, v1::GetStatsRequest());
}
absl::StatusOr<v1::ListSessionsReply> AdminConnection::ListSessions() const {
  return impl_->Ask(&v1::Acceld::Stub::ListSessions, v1::ListSessionsRequest());
}
absl::StatusOr<v1::ListNamesReply> AdminConnection::ListNames() const {
  return impl_->Ask(&v1::Acceld::Stub::ListNames, v1::ListNamesRequest());
}
absl::StatusOr<v1::ListCacheReply> AdminConnection::ListCache(
    const v1::ListCacheRequest& request) const {
  return impl_->Ask(&v1::Acceld::Stub::ListCache, request,
                    request.remote() ? kCacheTimeout : kUnaryTimeout);
}
absl::Status AdminConnection::KillSession(const v1::KillSessionRequest& request) const {
  return impl_->Ask(&v1::Acceld::Stub::KillSession, request).status();
}
absl::StatusOr<v1::VerifyCacheReply> AdminConnection::VerifyCache(
    const v1::VerifyCacheRequest& request) const {
  return impl_->Ask(&v1::Acceld::Stub::VerifyCache, request, kCacheTimeout);
}

absl::StatusOr<v1::PurgeCacheReply> AdminConnection::PurgeCache(
    const v1::PurgeCacheRequest& request) const {
  return impl_->Ask(&v1::Acceld::Stub::PurgeCache, request, kCacheTimeout);
}

absl::StatusOr<std::string> AdminConnection::ExportCacheEntry(
    const v1::ExportCacheEntryRequest& request) const {
  std::string entry;
  ACCELD_RETURN_IF_ERROR(impl_->Read<v1::CacheBundleChunk>(
      &v1::Acceld::Stub::ExportCacheEntry, request, kCacheTimeout,
      [&](const v1::CacheBundleChunk& chunk) { entry += chunk.data(); }));
  return entry;
}

absl::StatusOr<v1::ImportCacheEntryReply> AdminConnection::ImportCacheEntry(
    absl::string_view entry) const {
  return impl_->ImportCacheEntry(entry);
}

absl::StatusOr<v1::DrainReply> AdminConnection::Drain(const v1::DrainRequest& request) const {
  return impl_->Ask(&v1::Acceld::Stub::Drain, request);
}
absl::Status AdminConnection::GetTrace(
    const v1::GetTraceRequest& request,
    const std::function<void(const v1::TraceChunk&)>& take) const {
  return impl_->Read<v1::TraceChunk>(&v1::Acceld::Stub::GetTrace, request, kTraceTimeout, take);
}

}  // namespace acceld::client

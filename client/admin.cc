#include "client/admin.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/transport/admin_connection.h"
#include "client/transport/dial/attempt.h"
#include "common/api/wire.h"
#include "common/ir/wire/wire.h"
#include "common/net/addresses.h"
#include "common/utf8.h"

namespace acceld::client {
namespace {

constexpr size_t kCachePageSize = 1000;

template <typename Value, typename Protos>
std::vector<Value> FromProtos(const Protos& protos) {
  std::vector<Value> values;
  values.reserve(protos.size());
  for (const auto& proto : protos) values.push_back(FromProto(proto));
  return values;
}

}  // namespace

struct Admin::Impl {
  std::unique_ptr<AdminConnection> connection;
  std::string address;
  std::vector<Address> addresses;  // As given in AdminOptions.

  // Returns OK unless the addresses lead to several daemons. Blocks.
  absl::Status CheckIsOne() const {
    std::vector<std::string> daemons;
    for (const Address& one : addresses) {
      const absl::StatusOr<ResolvedAddresses> resolved = Resolve(one);
      if (!resolved.ok()) continue;
      for (const Address& daemon : resolved->preferred) daemons.push_back(daemon.ToString());
    }
    if (daemons.size() <= 1) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("an order is for one daemon, and the address leads to ", daemons.size(),
                     "; name one: ", absl::StrJoin(daemons, ", ")));
  }
};

Admin::Admin(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Admin::~Admin() = default;

absl::StatusOr<std::unique_ptr<Admin>> Admin::Connect(AdminOptions options) {
  ACCELD_ASSIGN_OR_RETURN(
      std::vector<Address> addresses,
      ParseAddresses(options.address.empty() ? DefaultClientAddress() : options.address));
  ACCELD_ASSIGN_OR_RETURN(const Secrets secrets,
                          ReadSecrets(std::move(options.credentials), addresses));
  auto impl = std::make_unique<Impl>();
  const auto open = [&](const Attempt& attempt) -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(impl->connection, AdminConnection::Open(attempt, secrets));
    impl->address = attempt.address.ToString();
    return absl::OkStatus();
  };
  ACCELD_RETURN_IF_ERROR(TryEach(
      addresses, {.timeout = options.connect_timeout, .wait_for_daemon = options.wait_for_daemon},
      open));
  impl->addresses = std::move(addresses);
  return std::unique_ptr<Admin>(new Admin(std::move(impl)));
}

absl::StatusOr<bool> Admin::IsServing() const { return impl_->connection->IsServing(); }

const std::string& Admin::address() const { return impl_->address; }

absl::StatusOr<std::vector<DeviceInfo>> Admin::ListDevices() const {
  ACCELD_ASSIGN_OR_RETURN(const v1::ListDevicesReply reply, impl_->connection->ListDevices());
  return FromProtos<DeviceInfo>(reply.devices());
}

absl::StatusOr<std::vector<MissingDevices>> Admin::ListMissingDevices() const {
  ACCELD_ASSIGN_OR_RETURN(const v1::ListDevicesReply reply, impl_->connection->ListDevices());
  return FromProtos<MissingDevices>(reply.missing());
}

absl::StatusOr<ServerStats> Admin::GetStats() const {
  ACCELD_ASSIGN_OR_RETURN(const v1::Stats reply, impl_->connection->GetStats());
  return FromProto(reply);
}

absl::StatusOr<std::vector<SessionInfo>> Admin::ListSessions() const {
  ACCELD_ASSIGN_OR_RETURN(const v1::ListSessionsReply reply, impl_->connection->ListSessions());
  return FromProtos<SessionInfo>(reply.sessions());
}

absl::StatusOr<std::vector<EndedSessionInfo>> Admin::ListEndedSessions() const {
  ACCELD_ASSIGN_OR_RETURN(const v1::ListSessionsReply reply, impl_->connection->ListSessions());
  return FromProtos<EndedSessionInfo>(reply.ended());
}

absl::StatusOr<std::vector<RunningExecution>> Admin::ListRunning() const {
  ACCELD_ASSIGN_OR_RETURN(const v1::ListSessionsReply reply, impl_->connection->ListSessions());
  return FromProtos<RunningExecution>(reply.running());
}

absl::StatusOr<std::vector<NamedArrayInfo>> Admin::ListNames() const {
  ACCELD_ASSIGN_OR_RETURN(const v1::ListNamesReply reply, impl_->connection->ListNames());
  std::vector<NamedArrayInfo> arrays;
  for (const v1::NamedArray& proto : reply.arrays()) {
    ACCELD_ASSIGN_OR_RETURN(ir::TensorType type, ir::FromProto(proto.type()));
    arrays.push_back({.name = proto.name(),
                      .owner = proto.owner(),
                      .type = std::move(type),
                      .device = proto.device(),
                      .for_everyone = proto.for_everyone(),
                      .age_s = proto.age_s()});
  }
  return arrays;
}

absl::StatusOr<std::vector<CacheEntryInfo>> Admin::ListCache(size_t limit) const {
  std::vector<CacheEntryInfo> entries;
  v1::ListCacheRequest request;
  do {
    request.set_page_size(
        static_cast<uint32_t>(std::min<size_t>(limit - entries.size(), kCachePageSize)));
    ACCELD_ASSIGN_OR_RETURN(const v1::ListCacheReply reply, impl_->connection->ListCache(request));
    for (const v1::CacheEntry& entry : reply.entries()) entries.push_back(FromProto(entry));
    request.set_page_token(reply.next_page_token());
  } while (!request.page_token().empty() && entries.size() < limit);
  return entries;
}

absl::StatusOr<std::vector<CacheEntryInfo>> Admin::ListRemoteCache(size_t limit) const {
  std::vector<CacheEntryInfo> entries;
  std::set<std::string> keys;
  v1::ListCacheRequest request;
  request.set_remote(true);
  request.set_page_size(kCachePageSize);
  do {
    ACCELD_ASSIGN_OR_RETURN(const v1::ListCacheReply reply, impl_->connection->ListCache(request));
    for (const v1::CacheEntry& entry : reply.entries()) {
      if (entries.size() < limit && keys.insert(entry.key()).second) {
        entries.push_back(FromProto(entry));
      }
    }
    request.set_page_token(reply.next_page_token());
  } while (!request.page_token().empty() && entries.size() < limit);
  return entries;
}

absl::StatusOr<std::vector<TraceSpan>> Admin::GetTrace(double seconds) const {
  v1::GetTraceRequest request;
  request.set_seconds(seconds);
  std::vector<TraceSpan> spans;
  ACCELD_RETURN_IF_ERROR(impl_->connection->GetTrace(request, [&](const v1::TraceChunk& chunk) {
    for (const v1::TraceSpan& span : chunk.spans()) spans.push_back(FromProto(span));
  }));
  return spans;
}

absl::Status Admin::KillSession(uint64_t session, const std::string& reason) const {
  ACCELD_RETURN_IF_ERROR(impl_->CheckIsOne());
  v1::KillSessionRequest request;
  request.set_session_id(session);
  request.set_reason(EscapeNonUtf8(reason));
  return impl_->connection->KillSession(request);
}

absl::StatusOr<uint64_t> Admin::Drain(bool undo) const {
  ACCELD_RETURN_IF_ERROR(impl_->CheckIsOne());
  v1::DrainRequest request;
  request.set_undo(undo);
  ACCELD_ASSIGN_OR_RETURN(const v1::DrainReply reply, impl_->connection->Drain(request));
  return reply.sessions();
}

absl::StatusOr<std::vector<CacheCheck>> Admin::VerifyCache(bool remote) const {
  v1::VerifyCacheRequest request;
  request.set_remote(remote);
  ACCELD_ASSIGN_OR_RETURN(const v1::VerifyCacheReply reply,
                          impl_->connection->VerifyCache(request));
  std::vector<CacheCheck> checks;
  for (const v1::CacheCheck& check : reply.checks()) {
    checks.push_back({check.tier(), check.entries(), check.bytes(), check.bad()});
  }
  return checks;
}

absl::StatusOr<CacheRemoved> Admin::PurgeCache(const std::vector<std::string>& keys,
                                               bool remote) const {
  ACCELD_RETURN_IF_ERROR(impl_->CheckIsOne());
  v1::PurgeCacheRequest request;
  for (const std::string& key : keys) request.add_keys(key);
  request.set_remote(remote);
  ACCELD_ASSIGN_OR_RETURN(const v1::PurgeCacheReply reply, impl_->connection->PurgeCache(request));
  return CacheRemoved{reply.memory(), reply.disk(), reply.remote()};
}

absl::StatusOr<std::string> Admin::ExportCacheEntry(const std::string& key) const {
  v1::ExportCacheEntryRequest request;
  request.set_key(key);
  return impl_->connection->ExportCacheEntry(request);
}

absl::StatusOr<bool> Admin::ImportCacheEntry(absl::string_view entry) const {
  ACCELD_RETURN_IF_ERROR(impl_->CheckIsOne());
  ACCELD_ASSIGN_OR_RETURN(const v1::ImportCacheEntryReply reply,
                          impl_->connection->ImportCacheEntry(entry));
  return reply.added();
}

}  // namespace acceld::client

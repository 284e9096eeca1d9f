#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "grpcpp/server_context.h"
#include "server/engine/identity.h"
#include "server/observability/instruments/rpc_instruments.h"
#include "server/rpc/access_options.h"
#include "server/rpc/auth/caller.h"
#include "server/rpc/auth/client_certificates.h"
#include "server/rpc/auth/connections.h"
#include "server/rpc/auth/policy.h"
#include "server/rpc/auth/server_certificate.h"
#include "server/rpc/auth/token_table.h"

namespace acceld::rpc {

// The one place that decides who may call what (rpcs.def). A caller is, in this order: whom its
// token stands for; whom its client certificate names; the user at the other end of the unix
// socket; `loopback`, when it came without TLS to a daemon that has no tokens.
//
// Refusals are counted by reason and logged. Any thread may call; only Reload blocks.
class Gate {
 public:
  // What calls may carry besides messages; the token is the largest part that is looked at.
  static constexpr size_t kMaxMetadataBytes = size_t{16} << 10;

  // All outlive the gate.
  Gate(Connections& connections, observability::RpcInstruments& instruments,
       size_t max_message_bytes);

  // Reads the files and puts all of it into effect, or nothing: an error names file and trouble.
  // Calls that are under way go on.
  absl::Status Reload(const AccessOptions& options);

  // Who calls. UNAUTHENTICATED: nobody that can be told. PERMISSION_DENIED: one who may not do
  // this. UNIMPLEMENTED: there is no such RPC. RESOURCE_EXHAUSTED: its metadata is too large, or it
  // has too many connections.
  // `method` as "/package.Service/Method".
  absl::StatusOr<Caller> Admit(absl::string_view method,
                               const grpc::ServerContextBase& context) const;

  // RESOURCE_EXHAUSTED when a message is larger than the limit.
  absl::Status AdmitMessage(absl::string_view method, const Caller& caller,
                            size_t size_bytes) const;

  // Of the user at the other end of a unix socket who shows no token.
  absl::optional<Role> RoleOf(const PeerCredentials& peer) const {
    return rules()->policy.RoleOf(peer);
  }
  // Whether a token may stand for somebody else.
  bool takes_tokens() const { return rules()->tokens.has_value(); }

  // Whether rpcs.def has the method.
  static bool Knows(absl::string_view method);

  // What TLS addresses show; set by Reload.
  std::shared_ptr<const ServerCertificate> certificate() const { return certificate_; }

 private:
  // What Reload makes, at once for all calls.
  struct Rules {
    Policy policy;
    absl::optional<TokenTable> tokens;
    absl::optional<ClientCertificates> client_certificates;
  };
  // Of a caller that is not let in.
  struct Refused {
    observability::Refusal reason;
    absl::Status status;
  };
  static absl::StatusOr<Rules> ReadRules(const AccessOptions& options,
                                         ServerCertificate& certificate);
  std::shared_ptr<const Rules> rules() const;
  // Fills in `identity` as far as it is known.
  absl::optional<Refused> Authenticate(const grpc::ServerContextBase& context,
                                       const absl::optional<PeerCredentials>& peer,
                                       engine::Identity& identity) const;

  Connections& connections_;
  observability::RpcInstruments& instruments_;
  const size_t max_message_bytes_;
  const std::shared_ptr<ServerCertificate> certificate_;  // Shared with gRPC's credentials.
  mutable Mutex mutex_;
  std::shared_ptr<const Rules> rules_ ABSL_GUARDED_BY(mutex_);  // Shared with calls; immutable.
};

}  // namespace acceld::rpc

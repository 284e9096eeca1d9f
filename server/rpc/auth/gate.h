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

// Identifies the callers of RPCs and decides which RPCs each may call: rpcs.def lists the roles
// that RPCs need, AccessOptions the roles that callers have. The identity of a caller is the first
// of these that applies: the holder of its token, if the daemon has a token file; the user at the
// other end of the unix socket; the name in its client certificate; `loopback`, without TLS and if
// the daemon has no token file.
//
// Every refusal is counted by its reason and logged. Thread-safe; only Reload blocks.
class Gate {
 public:
  // The limit for the keys and values of a call's metadata.
  static constexpr size_t kMaxMetadataBytes = size_t{16} << 10;

  // `connections` and `instruments` must outlive the gate. Reload must succeed before the first
  // call is admitted.
  Gate(Connections& connections, observability::RpcInstruments& instruments,
       size_t max_message_bytes);

  // Reads the files that `options` names and replaces all rules at once. An error says what is
  // wrong, with the file; the rules stay as they were then. Calls that were admitted go on.
  absl::Status Reload(const AccessOptions& options);

  // Returns the caller of an RPC that is allowed to call it. `method` is spelled
  // "/package.Service/Method". UNAUTHENTICATED when the caller cannot be identified;
  // PERMISSION_DENIED when its role does not allow the RPC; UNIMPLEMENTED when there is no such
  // RPC; RESOURCE_EXHAUSTED when the metadata is too large or the identity has too many
  // connections.
  absl::StatusOr<Caller> Admit(absl::string_view method,
                               const grpc::ServerContextBase& context) const;

  // RESOURCE_EXHAUSTED when a message of the call is larger than max_message_bytes.
  absl::Status AdmitMessage(absl::string_view method, const Caller& caller,
                            size_t size_bytes) const;

  // Of the user at the other end of a unix socket who shows no token.
  absl::optional<Role> RoleOf(const PeerCredentials& peer) const {
    return rules()->policy.RoleOf(peer);
  }
  // Whether the daemon has a token file, so that a token may identify a caller.
  bool accepts_tokens() const { return rules()->tokens.has_value(); }

  // Whether rpcs.def has the method.
  static bool Knows(absl::string_view method);

  // The certificate that TLS addresses present; Reload sets it.
  std::shared_ptr<const ServerCertificate> certificate() const { return certificate_; }

 private:
  // What one Reload has read; never changed, only replaced as a whole.
  struct Rules {
    Policy policy;
    absl::optional<TokenTable> tokens;
    absl::optional<ClientCertificates> client_certificates;
  };
  // Why a caller is refused.
  struct Refused {
    observability::Refusal reason;
    absl::Status status;
  };
  static absl::StatusOr<Rules> ReadRules(const AccessOptions& options,
                                         ServerCertificate& certificate);
  std::shared_ptr<const Rules> rules() const;
  // Determines the caller's identity and role. nullopt: `identity` is complete. When the caller is
  // refused, `identity` has at most the name.
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

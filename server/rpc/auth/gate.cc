#include "server/rpc/auth/gate.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "acceld/v1/acceld.grpc.pb.h"
#include "common/files/file.h"
#include "server/rpc/auth/refusal_log.h"
#include "server/rpc/decode/message_size.h"

namespace acceld::rpc {
namespace {

using observability::Refusal;

constexpr size_t kMaxFileBytes = size_t{4} << 20;
constexpr absl::string_view kAnonymous = "loopback";

// The lowest role that may call each method; nullopt: every caller may.
using MethodTable = absl::flat_hash_map<std::string, absl::optional<Role>>;

const MethodTable& Methods() {
  static const MethodTable* const methods = [] {
    auto* table = new MethodTable;
#define ACCELD_RPC(name, shape, request, reply, role) \
  table->emplace(absl::StrCat("/", v1::Acceld::service_full_name(), "/" #name), Role::role);
#define ACCELD_STANDARD_RPC(method, role) table->emplace(method, Role::role);
#define ACCELD_OPEN_RPC(method) table->emplace(method, absl::nullopt);
#include "server/rpc/auth/rpcs.def"
    return table;
  }();
  return *methods;
}

absl::string_view ToView(grpc::string_ref text) { return {text.data(), text.size()}; }

// Returns the token that the caller sent; nullopt when it sent no authorization. Returns "", which
// is no token, when it sent several of them or something other than a bearer token.
absl::optional<absl::string_view> TokenOf(const grpc::ServerContextBase& context) {
  const auto [first, last] = context.client_metadata().equal_range("authorization");
  if (first == last) return absl::nullopt;
  const absl::string_view value = ToView(first->second);
  constexpr absl::string_view kScheme = "bearer ";
  if (std::next(first) != last || !absl::StartsWithIgnoreCase(value, kScheme)) return "";
  return value.substr(kScheme.size());
}

size_t MetadataBytes(const grpc::ServerContextBase& context) {
  size_t sum = 0;
  for (const auto& [key, value] : context.client_metadata()) sum += key.size() + value.size();
  return sum;
}

std::string PropertyOf(const grpc::AuthContext& context, const char* name) {
  const std::vector<grpc::string_ref> values = context.FindPropertyValues(name);
  return values.empty() ? "" : std::string(ToView(values.front()));
}

// Returns the address in gRPC's peer string of a TCP connection: "127.0.0.1:40312".
std::string TextOf(absl::string_view tcp_peer) {
  if (!absl::ConsumePrefix(&tcp_peer, "ipv4:")) absl::ConsumePrefix(&tcp_peer, "ipv6:");
  return std::string(tcp_peer);
}

absl::StatusOr<std::string> ReadNamed(const std::string& path) {
  if (path.empty()) return std::string();
  return ReadSmallFile(path, kMaxFileBytes);
}

}  // namespace

Gate::Gate(Connections& connections, observability::RpcInstruments& instruments,
           size_t max_message_bytes)
    : connections_(connections),
      instruments_(instruments),
      max_message_bytes_(max_message_bytes),
      certificate_(std::make_shared<ServerCertificate>()) {}

absl::StatusOr<Gate::Rules> Gate::ReadRules(const AccessOptions& options,
                                            ServerCertificate& certificate) {
  ACCELD_ASSIGN_OR_RETURN(Policy policy, Policy::Make(options));
  Rules rules{.policy = std::move(policy)};
  if (!options.tokens.empty()) {
    ACCELD_ASSIGN_OR_RETURN(rules.tokens, TokenTable::Read(options.tokens));
  }
  ACCELD_ASSIGN_OR_RETURN(std::string authorities, ReadNamed(options.tls_client_ca));
  if (!options.tls_client_ca.empty()) {
    absl::StatusOr<ClientCertificates> made = ClientCertificates::Make(authorities);
    if (!made.ok()) return Annotate(made.status(), options.tls_client_ca);
    rules.client_certificates = *std::move(made);
  }
  if (!options.tls_certificate.empty()) {
    ACCELD_ASSIGN_OR_RETURN(std::string chain, ReadNamed(options.tls_certificate));
    ACCELD_ASSIGN_OR_RETURN(std::string key, ReadNamed(options.tls_key));
    const absl::Status set =
        certificate.Set(std::move(chain), std::move(key), std::move(authorities));
    if (!set.ok()) {
      return Annotate(set, absl::StrCat(options.tls_certificate, " with ", options.tls_key));
    }
  }
  return rules;
}

absl::Status Gate::Reload(const AccessOptions& options) {
  ACCELD_ASSIGN_OR_RETURN(Rules rules, ReadRules(options, *certificate_));
  auto shared = std::make_shared<const Rules>(std::move(rules));
  MutexLock lock(mutex_);
  rules_ = std::move(shared);
  return absl::OkStatus();
}

bool Gate::Knows(absl::string_view method) { return Methods().contains(method); }

std::shared_ptr<const Gate::Rules> Gate::rules() const {
  MutexLock lock(mutex_);
  return rules_;
}

absl::optional<Gate::Refused> Gate::Authenticate(const grpc::ServerContextBase& context,
                                                 const absl::optional<PeerCredentials>& peer,
                                                 engine::Identity& identity) const {
  const std::shared_ptr<const Rules> rules = this->rules();
  const auto take_role = [&](absl::optional<Role> role) -> absl::optional<Refused> {
    if (!role.has_value()) {
      return Refused{Refusal::kIdentity,
                     absl::PermissionDeniedError(absl::StrCat(
                         identity.name, " is not among this daemon's users (--users)"))};
    }
    identity.role = *role;
    return absl::nullopt;
  };
  const absl::optional<absl::string_view> token = TokenOf(context);
  if (token.has_value() && rules->tokens.has_value()) {
    const absl::optional<engine::Identity> found = rules->tokens->Find(*token);
    if (found.has_value()) {
      identity = *found;
      return absl::nullopt;
    }
    return Refused{Refusal::kToken,
                   absl::UnauthenticatedError("the daemon does not know this token")};
  }
  if (peer.has_value()) {
    identity.name = IdentityOf(*peer);
    return take_role(rules->policy.RoleOf(*peer));
  }
  const std::shared_ptr<const grpc::AuthContext> tls = context.auth_context();
  const bool encrypted = tls != nullptr &&
                         !PropertyOf(*tls, GRPC_TRANSPORT_SECURITY_TYPE_PROPERTY_NAME).empty() &&
                         PropertyOf(*tls, GRPC_TRANSPORT_SECURITY_TYPE_PROPERTY_NAME) != "insecure";
  if (encrypted && rules->client_certificates.has_value()) {
    const std::string certificate = PropertyOf(*tls, GRPC_X509_PEM_CERT_PROPERTY_NAME);
    if (!certificate.empty()) {
      absl::StatusOr<std::string> name = rules->client_certificates->NameOf(
          certificate, PropertyOf(*tls, GRPC_X509_PEM_CERT_CHAIN_PROPERTY_NAME));
      if (!name.ok()) return Refused{Refusal::kCertificate, name.status()};
      identity.name = absl::StrCat("cert:", *name);
      return take_role(rules->policy.RoleOfCertificate(*name));
    }
  }
  if (!encrypted && !rules->tokens.has_value()) {
    const absl::optional<Role> role = rules->policy.RoleOfAnonymous();
    if (role.has_value()) {
      identity.name = std::string(kAnonymous);
      return take_role(role);
    }
  }
  std::string wanted;
  if (rules->tokens.has_value()) wanted = "a token";
  if (encrypted && rules->client_certificates.has_value()) {
    absl::StrAppend(&wanted, wanted.empty() ? "" : " or ", "a client certificate");
  }
  return Refused{Refusal::kCredentials,
                 absl::UnauthenticatedError(
                     wanted.empty() ? "the daemon takes nobody at this address"
                                    : absl::StrCat("the daemon wants ", wanted, " here"))};
}

absl::StatusOr<Caller> Gate::Admit(absl::string_view method,
                                   const grpc::ServerContextBase& context) const {
  Caller caller;
  const std::string address = context.peer();
  const Connections::Found connection = connections_.Find(address);
  const absl::optional<PeerCredentials>& peer = connection.peer;
  if (peer.has_value()) caller.uid = peer->uid;
  caller.peer = peer.has_value() ? TextOf(*peer) : TextOf(address);
  engine::Identity& identity = caller.identity;
  const auto row = Methods().find(method);
  absl::optional<Refused> refused;
  if (row == Methods().end()) {
    refused = Refused{Refusal::kMethod, absl::UnimplementedError("there is no such RPC")};
  } else if (const size_t size_bytes = MetadataBytes(context); size_bytes > kMaxMetadataBytes) {
    refused = Refused{Refusal::kLimit,
                      absl::ResourceExhaustedError(absl::StrCat(
                          "metadata of ", size_bytes, " bytes; the limit is ", kMaxMetadataBytes))};
  } else if (row->second.has_value()) {
    refused = Authenticate(context, peer, identity);
    if (!refused.has_value() && identity.role < *row->second) {
      refused = Refused{Refusal::kRole, absl::PermissionDeniedError(absl::StrCat(
                                            method.substr(method.rfind('/') + 1), " is for role ",
                                            RoleName(*row->second), "; ", identity.name,
                                            " has role ", RoleName(identity.role)))};
    }
  }
  if (!refused.has_value() && !connection.is_identified) {
    if (!row->second.has_value()) {
      connections_.NoteOpenCall(address);
    } else if (absl::Status room = connections_.Identify(address, identity); !room.ok()) {
      refused = Refused{Refusal::kConnections, std::move(room)};
    }
  }
  if (!refused.has_value()) return caller;
  NoteRefusal(instruments_, refused->reason, method, caller, refused->status);
  return refused->status;
}

absl::Status Gate::AdmitMessage(absl::string_view method, const Caller& caller,
                                size_t size_bytes) const {
  absl::Status status = CheckMessageSize(size_bytes, max_message_bytes_);
  if (!status.ok()) NoteRefusal(instruments_, Refusal::kLimit, method, caller, status);
  return status;
}

}  // namespace acceld::rpc

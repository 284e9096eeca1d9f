#include "client/transport/dial/secrets.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/files/file.h"

namespace acceld::client {
namespace {

constexpr size_t kMaxPemBytes = size_t{4} << 20;
constexpr size_t kMaxTokenBytes = 8 << 10;

constexpr char kTrustAdvice[] =
    "nothing was sent; if the daemon runs as another user on purpose, name that one in "
    "ACCELD_SERVER_USER, or with accelctl --server-user";

void TakeFromEnvironment(std::string& field, const char* variable) {
  const char* value = std::getenv(variable);
  if (field.empty() && value != nullptr) field = value;
}

absl::StatusOr<std::string> Read(const std::string& path, size_t max_bytes) {
  if (path.empty()) return std::string();
  return ReadSmallFile(path, max_bytes);
}

}  // namespace

absl::StatusOr<Secrets> ReadSecrets(Credentials credentials, absl::Span<const Address> addresses) {
  const bool tls = std::any_of(addresses.begin(), addresses.end(),
                               [](const Address& address) { return address.tls; });
  if (!tls && !(credentials.certificate_file + credentials.ca_file).empty()) {
    return absl::InvalidArgumentError(absl::StrCat("certificates are for TLS, and ",
                                                   addresses.front().ToString(),
                                                   " is not: write tls://HOST:PORT"));
  }
  if (credentials.token.empty()) TakeFromEnvironment(credentials.token_file, "ACCELD_TOKEN_FILE");
  if (tls) {
    TakeFromEnvironment(credentials.ca_file, "ACCELD_CA_FILE");
    TakeFromEnvironment(credentials.certificate_file, "ACCELD_CERT_FILE");
    TakeFromEnvironment(credentials.key_file, "ACCELD_KEY_FILE");
    TakeFromEnvironment(credentials.server_name, "ACCELD_SERVER_NAME");
  }
  TakeFromEnvironment(credentials.server_user, "ACCELD_SERVER_USER");
  if (credentials.certificate_file.empty() != credentials.key_file.empty()) {
    return absl::InvalidArgumentError(
        "a client certificate and its key go together; one is missing");
  }
  Secrets secrets{.token = std::move(credentials.token),
                  .server_name = std::move(credentials.server_name)};
  absl::optional<uid_t> server_user;
  if (!credentials.server_user.empty()) {
    ACCELD_ASSIGN_OR_RETURN(server_user, FindUser(credentials.server_user));
  }
  secrets.socket_users = TrustedUsers(server_user, kTrustAdvice);
  if (secrets.token.empty()) {
    ACCELD_ASSIGN_OR_RETURN(secrets.token, Read(credentials.token_file, kMaxTokenBytes));
    absl::StripAsciiWhitespace(&secrets.token);
    if (secrets.token.empty() && !credentials.token_file.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(credentials.token_file, " holds no token"));
    }
  }
  if (!std::all_of(secrets.token.begin(), secrets.token.end(), &absl::ascii_isgraph)) {
    return absl::InvalidArgumentError("a token has no spaces, line breaks or control characters");
  }
  ACCELD_ASSIGN_OR_RETURN(secrets.ca_pem, Read(credentials.ca_file, kMaxPemBytes));
  ACCELD_ASSIGN_OR_RETURN(secrets.certificate_pem,
                          Read(credentials.certificate_file, kMaxPemBytes));
  ACCELD_ASSIGN_OR_RETURN(secrets.key_pem, Read(credentials.key_file, kMaxPemBytes));
  return secrets;
}

absl::Status AdviseOnSecrets(const absl::Status& status, const Secrets& secrets) {
  if (!absl::IsUnauthenticated(status)) return status;
  if (!secrets.token.empty() || !secrets.certificate_pem.empty()) return status;
  return absl::UnauthenticatedError(
      absl::StrCat(status.message(),
                   "; name a file with your token in ACCELD_TOKEN_FILE, or a client certificate in "
                   "ACCELD_CERT_FILE and ACCELD_KEY_FILE"));
}

}  // namespace acceld::client

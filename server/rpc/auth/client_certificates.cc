#include "server/rpc/auth/client_certificates.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "server/rpc/auth/pem.h"

namespace acceld::rpc {
namespace {

constexpr size_t kMaxNameBytes = 256;

// Whether `text` may be used in identities, log lines and metric labels: it has no spaces, control
// characters or zero bytes (which would end it where C strings are used).
bool IsName(absl::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isgraph(c); });
}

absl::string_view TextOf(const ASN1_STRING* text) {
  return absl::string_view(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                           static_cast<size_t>(ASN1_STRING_length(text)));
}

// Returns the first subject alternative name of this kind; empty when there is none.
std::string AlternativeName(const X509* certificate, int kind) {
  std::string name;
  auto* names = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(names) && name.empty(); ++i) {
    const GENERAL_NAME* one = sk_GENERAL_NAME_value(names, i);
    if (one->type == kind) name = std::string(TextOf(one->d.ia5));  // for a URI and a DNS name
  }
  GENERAL_NAMES_free(names);
  return name;
}

std::string CommonName(const X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return "";
  return std::string(TextOf(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))));
}

absl::StatusOr<std::string> HolderOf(const X509* certificate) {
  std::string name = AlternativeName(certificate, GEN_URI);
  if (name.empty()) name = AlternativeName(certificate, GEN_DNS);
  if (name.empty()) name = CommonName(certificate);
  if (IsName(name)) return name;
  return absl::UnauthenticatedError("the client's certificate has no name that can be used");
}

}  // namespace

struct ClientCertificates::Store {
  OpenSslPtr<X509_STORE> store{X509_STORE_new()};
};

absl::StatusOr<ClientCertificates> ClientCertificates::Make(absl::string_view authorities) {
  auto store = std::make_shared<Store>();
  const std::vector<OpenSslPtr<X509>> certificates = ReadCertificates(authorities);
  if (certificates.empty()) return absl::InvalidArgumentError("there is no certificate in it");
  for (const OpenSslPtr<X509>& certificate : certificates) {
    X509_STORE_add_cert(store->store.get(), certificate.get());
  }
  return ClientCertificates(std::move(store));
}

absl::StatusOr<std::string> ClientCertificates::NameOf(absl::string_view certificate,
                                                       absl::string_view intermediates) const {
  const std::vector<OpenSslPtr<X509>> own = ReadCertificates(certificate);
  const std::vector<OpenSslPtr<X509>> others = ReadCertificates(intermediates);
  if (own.empty()) return absl::UnauthenticatedError("the client's certificate cannot be read");
  const std::unique_ptr<STACK_OF(X509), void (*)(STACK_OF(X509)*)> chain(
      sk_X509_new_null(), [](STACK_OF(X509) * stack) { sk_X509_free(stack); });
  for (const OpenSslPtr<X509>& other : others) sk_X509_push(chain.get(), other.get());
  const OpenSslPtr<X509_STORE_CTX> context(X509_STORE_CTX_new());
  if (X509_STORE_CTX_init(context.get(), store_->store.get(), own.front().get(), chain.get()) !=
      1) {
    return absl::InternalError("X509_STORE_CTX_init");
  }
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT);
  const bool good = X509_verify_cert(context.get()) == 1;
  ERR_clear_error();
  if (!good) {
    return absl::UnauthenticatedError(
        absl::StrCat("the client's certificate is refused: ",
                     X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()))));
  }
  return HolderOf(own.front().get());
}

}  // namespace acceld::rpc

#include "server/rpc/auth/pem.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <utility>

namespace acceld::rpc {
namespace {

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};

std::unique_ptr<BIO, FreeBio> Open(absl::string_view text) {
  return std::unique_ptr<BIO, FreeBio>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// A callback that gives no pass phrase. Without a callback OpenSSL would ask on the terminal.
int NoPassPhrase(char*, int, int, void*) { return 0; }

}  // namespace

std::vector<OpenSslPtr<X509>> ReadCertificates(absl::string_view pem) {
  std::vector<OpenSslPtr<X509>> certificates;
  const auto bio = Open(pem);
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, &NoPassPhrase, nullptr)) {
    certificates.emplace_back(certificate);
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!at_end) certificates.clear();
  return certificates;
}

OpenSslPtr<EVP_PKEY> ReadPrivateKey(absl::string_view pem) {
  const auto bio = Open(pem);
  OpenSslPtr<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassPhrase, nullptr));
  ERR_clear_error();
  return key;
}

}  // namespace acceld::rpc

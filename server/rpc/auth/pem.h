#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <vector>

#include "absl/strings/string_view.h"

// OpenSSL's objects with their owners, and their PEM forms.
namespace acceld::rpc {

struct FreeOpenSsl {
  void operator()(X509* x) const { X509_free(x); }
  void operator()(X509_STORE* x) const { X509_STORE_free(x); }
  void operator()(X509_STORE_CTX* x) const { X509_STORE_CTX_free(x); }
  void operator()(EVP_PKEY* x) const { EVP_PKEY_free(x); }
};
template <typename T>
using OpenSslPtr = std::unique_ptr<T, FreeOpenSsl>;

// The certificates of a text, in order; none when one of them cannot be read.
std::vector<OpenSslPtr<X509>> ReadCertificates(absl::string_view pem);
// Null when there is none without a pass phrase.
OpenSslPtr<EVP_PKEY> ReadPrivateKey(absl::string_view pem);

}  // namespace acceld::rpc

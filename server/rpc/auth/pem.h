#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <vector>

#include "absl/strings/string_view.h"

// Owning pointers to OpenSSL's objects, and functions that read such objects from PEM text.
namespace acceld::rpc {

// The deleter of OpenSslPtr.
struct FreeOpenSsl {
  void operator()(X509* x) const { X509_free(x); }
  void operator()(X509_STORE* x) const { X509_STORE_free(x); }
  void operator()(X509_STORE_CTX* x) const { X509_STORE_CTX_free(x); }
  void operator()(EVP_PKEY* x) const { EVP_PKEY_free(x); }
};
template <typename T>
using OpenSslPtr = std::unique_ptr<T, FreeOpenSsl>;

// Returns the certificates in a PEM text, in order. Empty when there is none or when any of them
// cannot be read.
std::vector<OpenSslPtr<X509>> ReadCertificates(absl::string_view pem);
// Returns the private key in a PEM text; nullptr when there is none that can be read without a pass
// phrase.
OpenSslPtr<EVP_PKEY> ReadPrivateKey(absl::string_view pem);

}  // namespace acceld::rpc

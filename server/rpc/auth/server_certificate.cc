#include "server/rpc/auth/server_certificate.h"

#include <atomic>
#include <utility>

#include "grpc/grpc.h"
#include "grpc/grpc_security.h"
#include "server/rpc/auth/pem.h"

namespace acceld::rpc {
namespace {

// Credentials made with gRPC's C interface, because gRPC's C++ classes cannot replace the
// certificate of a running server.
class TlsCredentials final : public grpc::ServerCredentials {
 public:
  TlsCredentials(std::shared_ptr<const ServerCertificate> certificate, bool ask_clients)
      : certificate_(std::move(certificate)),
        credentials_(grpc_ssl_server_credentials_create_with_options(
            grpc_ssl_server_credentials_create_options_using_config_fetcher(
                ask_clients ? GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_BUT_DONT_VERIFY
                            : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
                &TlsCredentials::Fetch, this))) {}
  ~TlsCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  // gRPC calls this before every TLS handshake.
  static grpc_ssl_certificate_config_reload_status Fetch(
      void* self, grpc_ssl_server_certificate_config** config) {
    auto& credentials = *static_cast<TlsCredentials*>(self);
    const ServerCertificate::Pair pair = credentials.certificate_->Get();
    if (credentials.shown_.exchange(pair.number) == pair.number) {
      return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    }
    const grpc_ssl_pem_key_cert_pair pem{pair.key.c_str(), pair.chain.c_str()};
    // gRPC requires a list of authorities. Without client certificates it has no effect, so any
    // certificate will do.
    const std::string& authorities = pair.authorities.empty() ? pair.chain : pair.authorities;
    *config = grpc_ssl_server_certificate_config_create(authorities.c_str(), &pem, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const std::shared_ptr<const ServerCertificate> certificate_;  // Shared with the gate.
  std::atomic<uint64_t> shown_{0};
  grpc_server_credentials* const credentials_;
};

}  // namespace

absl::Status ServerCertificate::Set(std::string chain, std::string key, std::string authorities) {
  const std::vector<OpenSslPtr<X509>> certificates = ReadCertificates(chain);
  if (certificates.empty()) return absl::InvalidArgumentError("no certificate can be read");
  const OpenSslPtr<EVP_PKEY> private_key = ReadPrivateKey(key);
  if (private_key == nullptr) {
    return absl::InvalidArgumentError("no private key (without a pass phrase) can be read");
  }
  X509* const own = certificates.front().get();
  if (X509_check_private_key(own, private_key.get()) != 1) {
    return absl::InvalidArgumentError("the private key is not that of the certificate");
  }
  if (X509_cmp_current_time(X509_get0_notAfter(own)) < 0) {
    return absl::InvalidArgumentError("the certificate has expired");
  }
  MutexLock lock(mutex_);
  if (pair_.chain == chain && pair_.key == key && pair_.authorities == authorities) {
    return absl::OkStatus();
  }
  pair_ = {std::move(chain), std::move(key), std::move(authorities), pair_.number + 1};
  return absl::OkStatus();
}

ServerCertificate::Pair ServerCertificate::Get() const {
  MutexLock lock(mutex_);
  return pair_;
}

std::shared_ptr<grpc::ServerCredentials> MakeTlsCredentials(
    std::shared_ptr<const ServerCertificate> certificate, bool ask_clients) {
  return std::make_shared<TlsCredentials>(std::move(certificate), ask_clients);
}

}  // namespace acceld::rpc

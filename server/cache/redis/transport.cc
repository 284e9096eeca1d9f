#include "server/cache/redis/transport.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/cache/redis/socket.h"

namespace acceld::cache::redis {
namespace {

class TcpTransport final : public Transport {
 public:
  explicit TcpTransport(Socket socket) : socket_(std::move(socket)) {}

  absl::Status Write(absl::string_view bytes, Clock::time_point deadline) override {
    while (!bytes.empty()) {
      ACCELD_RETURN_IF_ERROR(socket_.CheckTime(deadline));
      const ssize_t written = send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (written > 0) {
        bytes.remove_prefix(static_cast<size_t>(written));
      } else if (errno == EAGAIN) {
        ACCELD_RETURN_IF_ERROR(socket_.Await(POLLOUT, deadline));
      } else if (errno != EINTR) {
        return Failed(socket_.endpoint(), "send", std::strerror(errno));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<size_t> Read(char* to, size_t size, Clock::time_point deadline) override {
    while (true) {
      ACCELD_RETURN_IF_ERROR(socket_.CheckTime(deadline));
      const ssize_t got = recv(socket_.fd(), to, size, 0);
      if (got > 0) return static_cast<size_t>(got);
      if (got == 0) return Failed(socket_.endpoint(), "receive", "the connection was closed");
      if (errno == EAGAIN) {
        ACCELD_RETURN_IF_ERROR(socket_.Await(POLLIN, deadline));
      } else if (errno != EINTR) {
        return Failed(socket_.endpoint(), "receive", std::strerror(errno));
      }
    }
  }

 private:
  const Socket socket_;
};

std::string SslErrors() {
  std::string text;
  while (const unsigned long error = ERR_get_error()) {
    char buffer[256];
    ERR_error_string_n(error, buffer, sizeof(buffer));
    absl::StrAppend(&text, text.empty() ? "" : ", ", buffer);
  }
  return text.empty() ? "unknown" : text;
}

using SslContext = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

absl::StatusOr<SslContext> NewSslContext(const TlsOptions& tls) {
  SslContext context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  if (context == nullptr) return absl::InternalError(absl::StrCat("TLS: ", SslErrors()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  const bool trusts = tls.ca_file.empty() ? SSL_CTX_set_default_verify_paths(context.get()) == 1
                                          : SSL_CTX_load_verify_locations(
                                                context.get(), tls.ca_file.c_str(), nullptr) == 1;
  if (!trusts) {
    return absl::FailedPreconditionError(
        absl::StrCat("TLS to Redis: the CA file '", tls.ca_file, "': ", SslErrors()));
  }
  if (!tls.certificate_file.empty() &&
      (SSL_CTX_use_certificate_chain_file(context.get(), tls.certificate_file.c_str()) != 1 ||
       SSL_CTX_use_PrivateKey_file(context.get(), tls.key_file.c_str(), SSL_FILETYPE_PEM) != 1)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "TLS to Redis: '", tls.certificate_file, "' with '", tls.key_file, "': ", SslErrors()));
  }
  return context;
}

class TlsTransport final : public Transport {
 public:
  TlsTransport(Socket socket, SslContext context)
      : socket_(std::move(socket)),
        context_(std::move(context)),
        ssl_(SSL_new(context_.get()), &SSL_free) {}

  absl::Status Handshake(Clock::time_point deadline) {
    const std::string& host = socket_.endpoint().host;
    // Without a host name to verify, any certificate would be accepted.
    if (ssl_ == nullptr || host.empty() || SSL_set_fd(ssl_.get(), socket_.fd()) != 1) {
      return Failed(socket_.endpoint(), "TLS", SslErrors());
    }
    // The host is a name, or an IP address; SNI does not allow addresses.
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), host.c_str()) != 1) {
      ERR_clear_error();
      if (SSL_set_tlsext_host_name(ssl_.get(), host.c_str()) != 1 ||
          SSL_set1_host(ssl_.get(), host.c_str()) != 1) {
        return Failed(socket_.endpoint(), "TLS to this name", SslErrors());
      }
    }
    const absl::Status status =
        Repeat("TLS handshake", deadline, [this] { return SSL_connect(ssl_.get()); }).status();
    const long verified = SSL_get_verify_result(ssl_.get());
    if (!status.ok() && verified != X509_V_OK) {
      return absl::FailedPreconditionError(absl::StrCat(
          "Redis at ", ToString(socket_.endpoint()),
          ": its certificate is not trusted: ", X509_verify_cert_error_string(verified)));
    }
    return status;
  }

  absl::Status Write(absl::string_view bytes, Clock::time_point deadline) override {
    while (!bytes.empty()) {
      const int part = static_cast<int>(std::min(bytes.size(), size_t{1} << 20));
      ACCELD_ASSIGN_OR_RETURN(const int written, Repeat("send", deadline, [&] {
                                return SSL_write(ssl_.get(), bytes.data(), part);
                              }));
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<size_t> Read(char* to, size_t size, Clock::time_point deadline) override {
    const int part = static_cast<int>(std::min(size, size_t{1} << 20));
    ACCELD_ASSIGN_OR_RETURN(
        const int got, Repeat("receive", deadline, [&] { return SSL_read(ssl_.get(), to, part); }));
    return static_cast<size_t>(got);
  }

 private:
  // Repeats the operation until its result is positive, waiting for the socket in between.
  template <typename Operation>
  absl::StatusOr<int> Repeat(absl::string_view what, Clock::time_point deadline,
                             Operation operation) {
    while (true) {
      ACCELD_RETURN_IF_ERROR(socket_.CheckTime(deadline));
      ERR_clear_error();
      const int result = operation();
      if (result > 0) return result;
      switch (SSL_get_error(ssl_.get(), result)) {
        case SSL_ERROR_WANT_READ:
          ACCELD_RETURN_IF_ERROR(socket_.Await(POLLIN, deadline));
          break;
        case SSL_ERROR_WANT_WRITE:
          ACCELD_RETURN_IF_ERROR(socket_.Await(POLLOUT, deadline));
          break;
        case SSL_ERROR_ZERO_RETURN:
          return Failed(socket_.endpoint(), what, "the connection was closed");
        default:
          return Failed(socket_.endpoint(), what, SslErrors());
      }
    }
  }

  const Socket socket_;
  const SslContext context_;
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> Transport::Connect(const Endpoint& endpoint,
                                                              const TlsOptions& tls,
                                                              Clock::time_point deadline,
                                                              const Interrupt* interrupt) {
  if (!tls.enabled) {
    ACCELD_ASSIGN_OR_RETURN(Socket socket, Socket::Dial(endpoint, deadline, interrupt));
    return std::make_unique<TcpTransport>(std::move(socket));
  }
  ACCELD_ASSIGN_OR_RETURN(SslContext context, NewSslContext(tls));
  ACCELD_ASSIGN_OR_RETURN(Socket socket, Socket::Dial(endpoint, deadline, interrupt));
  auto transport = std::make_unique<TlsTransport>(std::move(socket), std::move(context));
  ACCELD_RETURN_IF_ERROR(transport->Handshake(deadline));
  return transport;
}

}  // namespace acceld::cache::redis

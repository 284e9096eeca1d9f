#include "server/cache/redis/transport.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::cache::redis {
namespace {

absl::Status Failed(const Endpoint& endpoint, absl::string_view what, absl::string_view why) {
  return absl::UnavailableError(
      absl::StrCat("Redis at ", ToString(endpoint), ": ", what, ": ", why));
}

// A file descriptor; closed with this object.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

absl::Status AwaitSocket(const Endpoint& endpoint, int fd, short events,
                         Clock::time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left < 0) {
      return absl::DeadlineExceededError(
          absl::StrCat("Redis at ", ToString(endpoint), " does not answer in time"));
    }
    pollfd polled{.fd = fd, .events = events, .revents = 0};
    const int ready = poll(&polled, 1, static_cast<int>(std::min<int64_t>(left + 1, 60'000)));
    if (ready > 0) return absl::OkStatus();
    if (ready < 0 && errno != EINTR) return Failed(endpoint, "poll", std::strerror(errno));
  }
}

absl::StatusOr<Socket> ConnectTo(const Endpoint& endpoint, const addrinfo& address,
                                 Clock::time_point deadline) {
  Socket socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.fd() < 0) return Failed(endpoint, "socket", std::strerror(errno));
  if (connect(socket.fd(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return Failed(endpoint, "connect", std::strerror(errno));
    ACCELD_RETURN_IF_ERROR(AwaitSocket(endpoint, socket.fd(), POLLOUT, deadline));
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return Failed(endpoint, "connect", std::strerror(error));
  }
  const int on = 1;
  setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(socket.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  return socket;
}

// By whichever of the host's addresses answers first in order.
absl::StatusOr<Socket> Dial(const Endpoint& endpoint, Clock::time_point deadline) {
  const addrinfo hints{.ai_flags = AI_ADDRCONFIG, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  if (const int error =
          getaddrinfo(endpoint.host.c_str(), absl::StrCat(endpoint.port).c_str(), &hints, &found);
      error != 0) {
    return Failed(endpoint, "look-up of the name", gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);
  absl::Status last = Failed(endpoint, "look-up of the name", "no address");
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    absl::StatusOr<Socket> socket = ConnectTo(endpoint, *address, deadline);
    if (socket.ok()) return socket;
    last = socket.status();
  }
  return last;
}

class TcpTransport final : public Transport {
 public:
  TcpTransport(Endpoint endpoint, Socket socket)
      : endpoint_(std::move(endpoint)), socket_(std::move(socket)) {}

  absl::Status Write(absl::string_view bytes, Clock::time_point deadline) override {
    while (!bytes.empty()) {
      const ssize_t written = send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (written > 0) {
        bytes.remove_prefix(static_cast<size_t>(written));
      } else if (errno == EAGAIN) {
        ACCELD_RETURN_IF_ERROR(AwaitSocket(endpoint_, socket_.fd(), POLLOUT, deadline));
      } else if (errno != EINTR) {
        return Failed(endpoint_, "send", std::strerror(errno));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<size_t> Read(char* to, size_t size, Clock::time_point deadline) override {
    while (true) {
      const ssize_t got = recv(socket_.fd(), to, size, 0);
      if (got > 0) return static_cast<size_t>(got);
      if (got == 0) return Failed(endpoint_, "receive", "the connection was closed");
      if (errno == EAGAIN) {
        ACCELD_RETURN_IF_ERROR(AwaitSocket(endpoint_, socket_.fd(), POLLIN, deadline));
      } else if (errno != EINTR) {
        return Failed(endpoint_, "receive", std::strerror(errno));
      }
    }
  }

 private:
  const Endpoint endpoint_;
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
  TlsTransport(Endpoint endpoint, Socket socket, SslContext context)
      : endpoint_(std::move(endpoint)),
        socket_(std::move(socket)),
        context_(std::move(context)),
        ssl_(SSL_new(context_.get()), &SSL_free) {}

  absl::Status Handshake(Clock::time_point deadline) {
    SSL_set_fd(ssl_.get(), socket_.fd());
    // A name, or an address, which has no place in SNI.
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), endpoint_.host.c_str()) != 1) {
      ERR_clear_error();
      SSL_set_tlsext_host_name(ssl_.get(), endpoint_.host.c_str());
      SSL_set1_host(ssl_.get(), endpoint_.host.c_str());
    }
    const absl::Status status =
        Repeat("TLS handshake", deadline, [this] { return SSL_connect(ssl_.get()); }).status();
    const long verified = SSL_get_verify_result(ssl_.get());
    if (!status.ok() && verified != X509_V_OK) {
      return absl::FailedPreconditionError(absl::StrCat(
          "Redis at ", ToString(endpoint_),
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
  // Until it gives something positive.
  template <typename Operation>
  absl::StatusOr<int> Repeat(absl::string_view what, Clock::time_point deadline,
                             Operation operation) {
    while (true) {
      ERR_clear_error();
      const int result = operation();
      if (result > 0) return result;
      switch (SSL_get_error(ssl_.get(), result)) {
        case SSL_ERROR_WANT_READ:
          ACCELD_RETURN_IF_ERROR(AwaitSocket(endpoint_, socket_.fd(), POLLIN, deadline));
          break;
        case SSL_ERROR_WANT_WRITE:
          ACCELD_RETURN_IF_ERROR(AwaitSocket(endpoint_, socket_.fd(), POLLOUT, deadline));
          break;
        case SSL_ERROR_ZERO_RETURN:
          return Failed(endpoint_, what, "the connection was closed");
        default:
          return Failed(endpoint_, what, SslErrors());
      }
    }
  }

  const Endpoint endpoint_;
  const Socket socket_;
  const SslContext context_;
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> Transport::Connect(const Endpoint& endpoint,
                                                              const TlsOptions& tls,
                                                              Clock::time_point deadline) {
  if (!tls.enabled) {
    ACCELD_ASSIGN_OR_RETURN(Socket socket, Dial(endpoint, deadline));
    return std::make_unique<TcpTransport>(endpoint, std::move(socket));
  }
  ACCELD_ASSIGN_OR_RETURN(SslContext context, NewSslContext(tls));
  ACCELD_ASSIGN_OR_RETURN(Socket socket, Dial(endpoint, deadline));
  auto transport = std::make_unique<TlsTransport>(endpoint, std::move(socket), std::move(context));
  ACCELD_RETURN_IF_ERROR(transport->Handshake(deadline));
  return transport;
}

}  // namespace acceld::cache::redis

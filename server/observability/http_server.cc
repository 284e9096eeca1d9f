#include "server/observability/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/threads/start_thread.h"

namespace acceld::observability {
namespace {

constexpr size_t kMaxRequestBytes = 8192;
constexpr std::chrono::milliseconds kDescriptorWait{20};

absl::Status CannotListen(const std::string& host, uint16_t port, int error) {
  return absl::UnavailableError(absl::StrCat("cannot listen on ", host, " port ", port, ": ",
                                             absl::ErrnoToStatus(error, "").message()));
}

// Fills in an address and returns its size; 0 when `host` is not an IP address.
socklen_t MakeAddress(const std::string& host, uint16_t port, sockaddr_storage& storage) {
  auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    return sizeof(*v4);
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    return sizeof(*v6);
  }
  return 0;
}

uint16_t PortOf(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size);
  return ntohs(storage.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(storage).sin_port);
}

std::string Answer(absl::string_view status, absl::string_view content_type, absl::string_view body,
                   bool with_body, absl::string_view headers = "") {
  return absl::StrCat("HTTP/1.1 ", status, "\r\nContent-Type: ", content_type,
                      "\r\nContent-Length: ", body.size(),
                      "\r\nX-Content-Type-Options: nosniff\r\n", headers,
                      "Connection: close\r\n\r\n", with_body ? body : "");
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& host,
                                                              uint16_t port, Handler handler,
                                                              Options options) {
  sockaddr_storage address{};
  const socklen_t size = MakeAddress(host, port, address);
  if (size == 0) return CannotListen(host, port, EAFNOSUPPORT);
  UniqueFd listener(socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  // A daemon that is started again must not wait for connections of the one before.
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (listener.get() < 0 ||
      bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener.get(), SOMAXCONN) != 0) {
    return CannotListen(host, port, errno);
  }
  UniqueFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake.get() < 0) return CannotListen(host, port, errno);
  const uint16_t chosen = PortOf(listener.get());
  return std::unique_ptr<HttpServer>(
      new HttpServer(std::move(handler), options, std::move(listener), std::move(wake), chosen));
}

HttpServer::HttpServer(Handler handler, Options options, UniqueFd listener, UniqueFd wake,
                       uint16_t port)
    : handler_(std::move(handler)),
      options_(options),
      listener_(std::move(listener)),
      wake_(std::move(wake)),
      port_(port),
      thread_(StartThread("metrics", [this] { Run(); })) {}

HttpServer::~HttpServer() {
  const uint64_t one = 1;
  // A write of 8 bytes to an event file that nobody else writes to is never cut short.
  while (write(wake_.get(), &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  thread_.join();
}

void HttpServer::Run() {
  while (true) {
    std::vector<pollfd> files = {{wake_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    int wait_ms = -1;
    const auto now = std::chrono::steady_clock::now();
    for (const Connection& connection : connections_) {
      files.push_back(
          {connection.file.get(), static_cast<short>(connection.writes() ? POLLOUT : POLLIN), 0});
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(connection.deadline - now).count();
      wait_ms = static_cast<int>(
          std::max<int64_t>(0, wait_ms < 0 ? left : std::min<int64_t>(wait_ms, left)));
    }
    poll(files.data(), files.size(), wait_ms);
    if (files[0].revents != 0) return;
    const auto after = std::chrono::steady_clock::now();
    size_t file = 2;
    for (auto it = connections_.begin(); it != connections_.end(); ++file) {
      const bool open = after < it->deadline && (files[file].revents == 0 || Serve(*it));
      it = open ? std::next(it) : connections_.erase(it);
    }
    if (files[1].revents != 0) Accept();
  }
}

void HttpServer::Accept() {
  while (true) {
    UniqueFd file(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (file.get() < 0) {
      if (errno != EMFILE && errno != ENFILE) return;
      // Without a free descriptor the client stays in the backlog and wakes this thread again at
      // once.
      if (!connections_.empty()) connections_.pop_front();
      std::this_thread::sleep_for(kDescriptorWait);
      return;
    }
    if (connections_.size() >= options_.max_connections) connections_.pop_front();
    Connection& connection = connections_.emplace_back();
    connection.file = std::move(file);
    connection.deadline = std::chrono::steady_clock::now() + options_.patience;
  }
}

bool HttpServer::Serve(Connection& connection) {
  const int fd = connection.file.get();
  while (connection.answer.empty()) {
    std::array<char, 2048> bytes;
    const ssize_t got = recv(fd, bytes.data(), bytes.size(), 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    connection.request.append(bytes.data(), static_cast<size_t>(got));
    const size_t end = connection.request.find("\r\n\r\n");
    if (end != std::string::npos) {
      connection.answer = AnswerTo(absl::string_view(connection.request).substr(0, end));
    } else if (connection.request.size() > kMaxRequestBytes) {
      connection.answer =
          Answer("431 Request Header Fields Too Large", "text/plain", "too large\n", true);
    }
  }
  while (connection.sent_bytes < connection.answer.size()) {
    const ssize_t sent = send(fd, connection.answer.data() + connection.sent_bytes,
                              connection.answer.size() - connection.sent_bytes, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    connection.sent_bytes += static_cast<size_t>(sent);
  }
  // Reads until the client closes the connection: closing a socket with unread bytes would reset
  // the connection, and the client would lose the answer.
  shutdown(fd, SHUT_WR);
  std::array<char, 2048> rest;
  const ssize_t got = recv(fd, rest.data(), rest.size(), 0);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

std::string HttpServer::AnswerTo(absl::string_view request) const {
  const std::vector<absl::string_view> words =
      absl::StrSplit(request.substr(0, request.find("\r\n")), ' ');
  if (words.size() != 3 || words[2].substr(0, 7) != "HTTP/1.") {
    return Answer("400 Bad Request", "text/plain", "not a request of HTTP/1\n", true);
  }
  if (words[0] != "GET" && words[0] != "HEAD") {
    return Answer("405 Method Not Allowed", "text/plain", "only GET and HEAD\n", true,
                  "Allow: GET, HEAD\r\n");
  }
  const bool with_body = words[0] == "GET";
  const absl::StatusOr<HttpPage> page = handler_(words[1].substr(0, words[1].find('?')));
  if (!page.ok()) return Answer("404 Not Found", "text/plain", "no such page\n", with_body);
  return Answer("200 OK", page->content_type, page->body, with_body, page->headers);
}

}  // namespace acceld::observability

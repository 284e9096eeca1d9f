#include "tests/support/daemon/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <regex>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace acceld::testing {

absl::StatusOr<TcpConnection> TcpConnection::Open(uint16_t port) {
  TcpConnection connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(connection.fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("connect to port ", port));
  }
  return connection;
}

TcpConnection::TcpConnection(TcpConnection&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

TcpConnection::~TcpConnection() {
  if (fd_ >= 0) close(fd_);
}

absl::Status TcpConnection::Send(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return absl::ErrnoToStatus(errno, "send");
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return absl::OkStatus();
}

std::string TcpConnection::ReadToEnd() {
  std::string all(1 << 16, '\0'), text;
  ssize_t got = 0;
  while ((got = recv(fd_, all.data(), all.size(), 0)) > 0) {
    text.append(all, 0, static_cast<size_t>(got));
  }
  return text;
}

absl::StatusOr<HttpReply> HttpGet(uint16_t port, const std::string& path) {
  ACCELD_ASSIGN_OR_RETURN(TcpConnection connection, TcpConnection::Open(port));
  ACCELD_RETURN_IF_ERROR(connection.Send(
      absl::StrCat("GET ", path, " HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\n\r\n")));
  const std::string reply = connection.ReadToEnd();
  std::smatch status;
  if (!std::regex_search(reply, status, std::regex("^HTTP/1\\.[01] ([0-9]{3}) "))) {
    return absl::InvalidArgumentError(absl::StrCat("not HTTP: ", reply.substr(0, 100)));
  }
  const size_t head_end = reply.find("\r\n\r\n");
  return HttpReply{std::stoi(status[1]),
                   head_end == std::string::npos ? "" : reply.substr(head_end + 4)};
}

absl::StatusOr<std::map<std::string, double>> ParsePrometheusText(absl::string_view text) {
  static const std::regex help_line(R"(# HELP [a-zA-Z_:][a-zA-Z0-9_:]* .*)");
  static const std::regex type_line(
      R"(# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped))");
  static const std::regex sample_line(
      R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\.)*",?)*\})? ([^ ]+))re");
  static const std::regex part(R"(_(bucket|sum|count)$)");
  std::map<std::string, double> samples;
  std::set<std::string> typed;
  for (absl::string_view view : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::string line(view);
    std::smatch match;
    if (std::regex_match(line, match, type_line)) {
      typed.insert(match[1]);
      continue;
    }
    if (std::regex_match(line, help_line)) continue;
    double value = 0;
    if (!std::regex_match(line, match, sample_line) ||
        !absl::SimpleAtod(std::string(match[5]), &value) ||
        (typed.count(match[1]) == 0 &&
         typed.count(std::regex_replace(std::string(match[1]), part, "")) == 0)) {
      return absl::InvalidArgumentError(absl::StrCat("'", line, "' is no sample"));
    }
    if (!samples.emplace(absl::StrCat(std::string(match[1]), std::string(match[2])), value)
             .second) {
      return absl::InvalidArgumentError(absl::StrCat("'", line, "' stands twice"));
    }
  }
  return samples;
}

}  // namespace acceld::testing

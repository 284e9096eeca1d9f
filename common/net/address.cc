#include "common/net/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/files/unique_fd.h"
#include "common/net/socket_trust.h"

namespace acceld {
namespace {

constexpr size_t kMaxUnixPath = sizeof(sockaddr_un::sun_path) - 1;

bool IsLoopback(absl::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  in_addr parsed;
  return inet_pton(AF_INET, std::string(host).c_str(), &parsed) == 1 &&
         (ntohl(parsed.s_addr) >> 24) == 127;
}

// Whether all characters may occur in a host name or an IP address.
bool IsHost(absl::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '%';
  });
}

// SimpleAtoi alone would take signs and white space too.
bool ParsePort(absl::string_view text, uint32_t& port) {
  return std::all_of(text.begin(), text.end(), &absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, &port) && port <= 65535;
}

std::string TemporaryFolder() { return absl::StrCat("/tmp/acceld-", getuid()); }

absl::Status TryConnect(const sockaddr* address, socklen_t size, const std::string& name,
                        std::chrono::milliseconds patience) {
  const UniqueFd fd(socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, "socket");
  const int64_t micros = std::max<int64_t>(1, 1000 * patience.count());  // Zero would be forever.
  const timeval timeout{.tv_sec = micros / 1'000'000, .tv_usec = micros % 1'000'000};
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
  if (connect(fd.get(), address, size) == 0) return absl::OkStatus();
  const int error = errno;
  if (error == ENOENT) return absl::NotFoundError(name);
  if (error == ECONNREFUSED) return absl::UnavailableError(name);
  if (error == EINPROGRESS) return absl::DeadlineExceededError(name);
  return absl::ErrnoToStatus(error, name);
}

// Tries the addresses of the host in turn until one accepts the connection.
absl::Status ProbeTcp(const Address& address, std::chrono::milliseconds timeout) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string& host = address.ip.empty() ? address.host : address.ip;
  const int error = getaddrinfo(host.c_str(), absl::StrCat(address.port).c_str(), &hints, &found);
  if (error != 0) {
    return absl::NotFoundError(absl::StrCat(address.ToString(), ": ", gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, &freeaddrinfo);
  absl::Status status;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    status = TryConnect(one->ai_addr, one->ai_addrlen, address.ToString(), timeout);
    if (status.ok()) break;
  }
  return status;
}

std::string WithPort(absl::string_view host, uint16_t port) {
  if (absl::StrContains(host, ':')) return absl::StrCat("[", host, "]:", port);
  return absl::StrCat(host, ":", port);
}

}  // namespace

std::string Address::HostAndPort() const { return WithPort(host, port); }

std::string Address::Endpoint() const { return WithPort(ip.empty() ? host : ip, port); }

std::string Address::ToString() const {
  if (is_unix()) return absl::StrCat("unix:", unix_path);
  return absl::StrCat(tls ? "tls://" : "", ip.empty() ? "" : absl::StrCat(host, "@"), Endpoint());
}

absl::StatusOr<Address> ParseAddress(absl::string_view text) {
  Address address;
  if (absl::string_view path = text; absl::ConsumePrefix(&path, "unix:")) {
    absl::ConsumePrefix(&path, "//");
    if (path.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("address '", text, "' has no path"));
    }
    if (absl::StrContains(path, ',')) {
      return absl::InvalidArgumentError(absl::StrCat(
          "address '", text, "': a path has no comma, which stands between addresses"));
    }
    if (path.size() > kMaxUnixPath) {
      return absl::InvalidArgumentError(absl::StrCat("socket path '", path, "' has ", path.size(),
                                                     " bytes; the system allows ", kMaxUnixPath));
    }
    address.unix_path = std::string(path);
    return address;
  }
  absl::string_view rest = text;
  address.tls = absl::ConsumePrefix(&rest, "tls://");
  if (!address.tls) absl::ConsumePrefix(&rest, "tcp://");
  const size_t colon = rest.rfind(':');
  uint32_t port = 0;
  if (colon == absl::string_view::npos || !ParsePort(rest.substr(colon + 1), port)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "address '", text, "': expected unix:PATH, 127.0.0.1:PORT or tls://HOST:PORT"));
  }
  absl::string_view host = rest.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (address.tls ? !IsHost(host) : !IsLoopback(host)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "address '", text, "': '", host,
        address.tls ? "' is not a host"
                    : "' is not a loopback host; without encryption TCP stays on this machine. For "
                      "others write tls://HOST:PORT"));
  }
  address.host = std::string(host);
  address.port = static_cast<uint16_t>(port);
  return address;
}

std::string DefaultAddress() {
  if (const char* address = std::getenv("ACCELD_ADDRESS"); address && *address) return address;
  struct stat info;
  if (const char* folder = std::getenv("XDG_RUNTIME_DIR");
      folder && *folder && stat(folder, &info) == 0 && S_ISDIR(info.st_mode)) {
    return absl::StrCat("unix:", folder, "/acceld.sock");
  }
  return absl::StrCat("unix:", TemporaryFolder(), "/acceld.sock");
}

std::string DefaultClientAddress() {
  const std::string own = DefaultAddress();
  const char* const named = std::getenv("ACCELD_ADDRESS");
  const auto is_there = [](absl::string_view address) {
    return CheckSocketFile(std::string(absl::StripPrefix(address, "unix:")), TrustedUsers()).ok();
  };
  const bool is_named = named != nullptr && *named != '\0';
  return is_named || is_there(own) || !is_there(kSystemAddress) ? own : kSystemAddress;
}

absl::Status PrepareSocketFolder(const Address& address) {
  if (!address.is_unix()) return absl::OkStatus();
  const std::string folder = address.unix_path.substr(0, address.unix_path.rfind('/'));
  if (folder == TemporaryFolder() && mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make the socket folder ", folder));
  }
  return CheckSocketFolder(address.unix_path, TrustedUsers());
}

absl::Status Probe(const Address& address, std::chrono::milliseconds timeout) {
  if (!address.is_unix()) return ProbeTcp(address, timeout);
  sockaddr_un unix_address{};
  unix_address.sun_family = AF_UNIX;
  std::memcpy(unix_address.sun_path, address.unix_path.c_str(),
              std::min(address.unix_path.size(), kMaxUnixPath));
  return TryConnect(reinterpret_cast<const sockaddr*>(&unix_address), sizeof(unix_address),
                    address.ToString(), timeout);
}

}  // namespace acceld

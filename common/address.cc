#include "common/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace acceld {
namespace {

constexpr size_t kMaxUnixPath = sizeof(sockaddr_un::sun_path) - 1;

bool IsLoopback(absl::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  in_addr parsed;
  return inet_pton(AF_INET, std::string(host).c_str(), &parsed) == 1 &&
         (ntohl(parsed.s_addr) >> 24) == 127;
}

// SimpleAtoi alone would take signs and white space too.
bool ParsePort(absl::string_view text, uint32_t& port) {
  return std::all_of(text.begin(), text.end(), &absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, &port) && port <= 65535;
}

std::string TemporaryFolder() { return absl::StrCat("/tmp/acceld-", getuid()); }

}  // namespace

std::string Address::ToString() const {
  if (is_unix()) return absl::StrCat("unix:", unix_path);
  if (absl::StrContains(host, ':')) return absl::StrCat("[", host, "]:", port);
  return absl::StrCat(host, ":", port);
}

absl::StatusOr<Address> ParseAddress(absl::string_view text) {
  Address address;
  if (absl::string_view path = text; absl::ConsumePrefix(&path, "unix:")) {
    absl::ConsumePrefix(&path, "//");
    if (path.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("address '", text, "' has no path"));
    }
    if (path.size() > kMaxUnixPath) {
      return absl::InvalidArgumentError(absl::StrCat("socket path '", path, "' has ", path.size(),
                                                     " bytes; the system allows ", kMaxUnixPath));
    }
    address.unix_path = std::string(path);
    return address;
  }
  const size_t colon = text.rfind(':');
  uint32_t port = 0;
  if (colon == absl::string_view::npos || !ParsePort(text.substr(colon + 1), port)) {
    return absl::InvalidArgumentError(
        absl::StrCat("address '", text, "': expected unix:PATH or 127.0.0.1:PORT"));
  }
  absl::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (!IsLoopback(host)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "address '", text, "': '", host,
        "' is not a loopback host; TCP is not encrypted, so it stays on this machine"));
  }
  address.host = std::string(host);
  address.port = static_cast<uint16_t>(port);
  return address;
}

std::string DefaultAddress() {
  if (const char* address = std::getenv("ACCELD_ADDRESS"); address && *address) return address;
  if (const char* folder = std::getenv("XDG_RUNTIME_DIR"); folder && *folder) {
    return absl::StrCat("unix:", folder, "/acceld.sock");
  }
  return absl::StrCat("unix:", TemporaryFolder(), "/acceld.sock");
}

absl::Status PrepareSocketFolder(const Address& address) {
  const std::string folder = address.unix_path.substr(0, address.unix_path.rfind('/'));
  if (!address.is_unix() || folder != TemporaryFolder()) return absl::OkStatus();
  if (mkdir(folder.c_str(), 0700) == 0) return absl::OkStatus();
  if (errno != EEXIST) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make the socket folder ", folder));
  }
  struct stat info;
  if (lstat(folder.c_str(), &info) != 0) return absl::ErrnoToStatus(errno, folder);
  if (!S_ISDIR(info.st_mode) || info.st_uid != getuid() || (info.st_mode & 077) != 0) {
    return absl::PermissionDeniedError(absl::StrCat(
        folder, " must be a folder of this user with mode 0700; another user may have made it"));
  }
  return absl::OkStatus();
}

absl::Status Probe(const Address& address) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (address.is_unix()) {
    auto* unix_address = reinterpret_cast<sockaddr_un*>(&storage);
    unix_address->sun_family = AF_UNIX;
    std::memcpy(unix_address->sun_path, address.unix_path.c_str(),
                std::min(address.unix_path.size(), kMaxUnixPath));
    size = sizeof(sockaddr_un);
  } else if (absl::StrContains(address.host, ':')) {
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_addr = in6addr_loopback;
    v6->sin6_port = htons(address.port);
    size = sizeof(sockaddr_in6);
  } else {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
    v4->sin_family = AF_INET;
    if (inet_pton(AF_INET, address.host.c_str(), &v4->sin_addr) != 1) {
      v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
    v4->sin_port = htons(address.port);
    size = sizeof(sockaddr_in);
  }
  const int fd = socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::ErrnoToStatus(errno, "socket");
  const int result = connect(fd, reinterpret_cast<const sockaddr*>(&storage), size);
  const int error = errno;
  close(fd);
  if (result == 0) return absl::OkStatus();
  if (error == ENOENT) return absl::NotFoundError(address.ToString());
  if (error == ECONNREFUSED) return absl::UnavailableError(address.ToString());
  return absl::ErrnoToStatus(error, address.ToString());
}

}  // namespace acceld

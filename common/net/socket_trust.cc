#include "common/net/socket_trust.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/files/unique_fd.h"

namespace acceld {
namespace {

// Room for an entry of the user database.
constexpr size_t kEntryBytes = size_t{16} << 10;

struct PathParts {
  std::string folder, name;
};

PathParts Split(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

absl::Status Distrust(absl::string_view socket_path, absl::string_view why,
                      const TrustedUsers& trusted) {
  return absl::PermissionDeniedError(absl::StrCat(
      "the socket ", socket_path, " is not trusted: ", why, "; it and its folder have to be of ",
      trusted.ToString(), ", and writable by no others", trusted.advice().empty() ? "" : "; ",
      trusted.advice()));
}

// Opens the folder of a socket, if it passes the check.
absl::StatusOr<UniqueFd> OpenFolder(const std::string& socket_path, const TrustedUsers& trusted) {
  const std::string folder = Split(socket_path).folder;
  UniqueFd fd(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat info;
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open the folder ", folder));
  }
  if (!trusted.Include(info.st_uid)) {
    return Distrust(socket_path,
                    absl::StrCat("its folder ", folder, " belongs to ", DescribeUser(info.st_uid)),
                    trusted);
  }
  if ((info.st_mode & 022) != 0) {
    return Distrust(socket_path,
                    absl::StrFormat("its folder %s has mode %04o, so that others may put a socket "
                                    "there",
                                    folder, info.st_mode & 07777),
                    trusted);
  }
  return fd;
}

absl::Status CheckFile(const std::string& path, const TrustedUsers& trusted, bool& is_link) {
  ACCELD_ASSIGN_OR_RETURN(const UniqueFd folder, OpenFolder(path, trusted));
  struct stat info;
  if (fstatat(folder.get(), Split(path).name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return absl::ErrnoToStatus(errno, path);
  }
  if (!trusted.Include(info.st_uid)) {
    return Distrust(path, absl::StrCat("it belongs to ", DescribeUser(info.st_uid)), trusted);
  }
  is_link = S_ISLNK(info.st_mode);
  return absl::OkStatus();
}

}  // namespace

bool TrustedUsers::Include(uid_t user) const {
  return user == geteuid() || user == 0 || user == another_;
}

std::string TrustedUsers::ToString() const {
  std::vector<std::string> users;
  for (const uid_t user : {geteuid(), uid_t{0}, another_.value_or(0)}) {
    const std::string text = DescribeUser(user);
    if (users.empty() || (users.front() != text && users.back() != text)) users.push_back(text);
  }
  return absl::StrJoin(users, " or ");
}

std::string DescribeUser(uid_t user) {
  std::array<char, kEntryBytes> buffer;
  passwd entry, *found = nullptr;
  if (getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    return absl::StrCat("uid ", user);
  }
  return absl::StrCat(found->pw_name, " (uid ", user, ")");
}

absl::StatusOr<uid_t> FindUser(const std::string& user) {
  uint32_t number = 0;
  if (absl::SimpleAtoi(user, &number) && number != static_cast<uid_t>(-1)) return number;
  std::array<char, kEntryBytes> buffer;
  passwd entry, *found = nullptr;
  if (getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("there is no user '", user, "'"));
  }
  return found->pw_uid;
}

absl::Status CheckSocketFolder(const std::string& socket_path, const TrustedUsers& trusted) {
  return OpenFolder(socket_path, trusted).status();
}

absl::Status CheckSocketFile(const std::string& socket_path, const TrustedUsers& trusted) {
  bool is_link = false;
  ACCELD_RETURN_IF_ERROR(CheckFile(socket_path, trusted, is_link));
  if (!is_link) return absl::OkStatus();
  const std::unique_ptr<char, void (*)(void*)> target(realpath(socket_path.c_str(), nullptr),
                                                      &std::free);
  if (target == nullptr) return absl::ErrnoToStatus(errno, socket_path);
  return CheckFile(target.get(), trusted, is_link);
}

absl::Status CheckPeer(int socket, absl::string_view socket_path, const TrustedUsers& trusted) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("who listens at ", socket_path));
  }
  if (trusted.Include(peer.uid)) return absl::OkStatus();
  return Distrust(socket_path,
                  absl::StrCat("who listens there is a process of ", DescribeUser(peer.uid)),
                  trusted);
}

}  // namespace acceld

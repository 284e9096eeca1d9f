#include "client/embedded/daemon_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace acceld::client {
namespace {

constexpr off_t kMaxTailBytes = 4096;
constexpr int kMaxTailLines = 20;

// Creates the folder and its parent folder.
void MakeFolder(const std::string& folder) {
  (void)mkdir(folder.substr(0, folder.rfind('/')).c_str(), 0700);
  (void)mkdir(folder.c_str(), 0700);
}

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  if (gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0') return "daemon";
  return name;
}

// Returns "" if the environment determines no such folder.
std::string CacheFolder() {
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder == '/') {
    return absl::StrCat(folder, "/acceld");
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return absl::StrCat(absl::StripSuffix(home, "/"), "/.cache/acceld");
  }
  return "";
}

}  // namespace

absl::StatusOr<DaemonLog> DaemonLog::Open(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat info;
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open the daemon's log ", path));
  }
  return DaemonLog(path, std::move(fd), info.st_size);
}

absl::StatusOr<DaemonLog> DaemonLog::OpenOfUser(const std::string& fallback_folder) {
  if (const std::string folder = CacheFolder(); !folder.empty()) {
    MakeFolder(folder);
    absl::StatusOr<DaemonLog> log = Open(absl::StrCat(folder, "/", HostName(), ".log"));
    if (log.ok()) return log;
  }
  return Open(absl::StrCat(fallback_folder, "/acceld.log"));
}

std::string DaemonLog::Tail() const {
  struct stat info;
  if (fstat(fd_.get(), &info) != 0 || info.st_size <= begin_) return "(nothing)";
  const off_t begin = std::max(begin_, info.st_size - kMaxTailBytes);
  std::string text(static_cast<size_t>(info.st_size - begin), '\0');
  const ssize_t got = pread(fd_.get(), text.data(), text.size(), begin);
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  size_t cut = text.size();
  for (int lines = 0; lines < kMaxTailLines && cut != std::string::npos && cut > 0; ++lines) {
    cut = text.rfind('\n', cut - 1);
  }
  return cut == std::string::npos || cut == 0 ? text : text.substr(cut + 1);
}

}  // namespace acceld::client

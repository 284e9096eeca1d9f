#include "client/embedded/find_daemon.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace acceld::client {
namespace {

constexpr char kName[] = "acceld";

bool IsProgram(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::string Absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

// Returns the folder of the file from which this code was loaded, with symbolic links resolved, or
// an empty path if that cannot be determined.
std::filesystem::path OwnFolder() {
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&FindDaemon), &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0) {
    return {};
  }
  // The main program has an empty name in the dynamic loader's list.
  const bool is_shared = map != nullptr && map->l_name != nullptr && *map->l_name != '\0';
  std::error_code error;
  const std::filesystem::path file =
      std::filesystem::canonical(is_shared ? map->l_name : "/proc/self/exe", error);
  return error ? std::filesystem::path() : file.parent_path();
}

absl::StatusOr<std::string> Named(const std::string& path, absl::string_view by) {
  if (IsProgram(path)) return Absolute(path);
  return absl::NotFoundError(
      absl::StrCat("the daemon's binary is to be ", path, ", by ", by, ", but that is no program"));
}

}  // namespace

absl::StatusOr<std::string> FindDaemon(const std::string& preferred) {
  if (const char* path = std::getenv("ACCELD_DAEMON"); path != nullptr && *path != '\0') {
    return Named(path, "ACCELD_DAEMON");
  }
  if (!preferred.empty()) return Named(preferred, "the program that needs it");
  std::vector<std::string> candidates;
  if (const std::filesystem::path folder = OwnFolder(); !folder.empty()) {
    candidates.push_back((folder / kName).string());
    candidates.push_back((folder.parent_path() / "bin" / kName).string());
  }
  for (const std::string& candidate : candidates) {
    if (IsProgram(candidate)) return candidate;
  }
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    for (const absl::string_view folder : absl::StrSplit(path, ':', absl::SkipEmpty())) {
      const std::string candidate = absl::StrCat(folder, "/", kName);
      if (IsProgram(candidate)) return Absolute(candidate);
    }
  }
  candidates.push_back("$PATH");
  return absl::NotFoundError(absl::StrCat("the daemon's binary was not found, looked for at ",
                                          absl::StrJoin(candidates, ", "),
                                          "; name it in ACCELD_DAEMON"));
}

}  // namespace acceld::client

#include "client/file.h"

#include <cerrno>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"

namespace acceld::client {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  std::string contents;
  if (std::fseek(file.get(), 0, SEEK_END) == 0) {
    const long size = std::ftell(file.get());
    if (size > 0) contents.reserve(static_cast<size_t>(size));
    std::rewind(file.get());
  }
  char buffer[1 << 16];
  while (const size_t count = std::fread(buffer, 1, sizeof(buffer), file.get())) {
    contents.append(buffer, count);
  }
  if (std::ferror(file.get()))
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
  return contents;
}

absl::Status WriteFile(const std::string& path, absl::string_view contents) {
  File file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return absl::ErrnoToStatus(errno, absl::StrCat("cannot create ", path));
  const bool written =
      std::fwrite(contents.data(), 1, contents.size(), file.get()) == contents.size();
  if (std::fclose(file.release()) != 0 || !written) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  }
  return absl::OkStatus();
}

}  // namespace acceld::client

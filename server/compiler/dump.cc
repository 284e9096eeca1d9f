#include "server/compiler/dump.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/log/log.h"

namespace acceld::compiler {
namespace {

// Replaces all characters but letters and digits by '_', because program names come from clients
// and must not lead to another folder.
std::string FileNameOf(absl::string_view name) {
  std::string out;
  for (char c : name.substr(0, 60)) {
    out.push_back(absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_');
  }
  return out.empty() ? "program" : out;
}

}  // namespace

Dump::Dump(const std::string& root, absl::string_view program, absl::string_view digest) {
  if (root.empty()) return;
  folder_ = absl::StrCat(root, "/", FileNameOf(program), "-", digest.substr(0, 12));
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) {
    LogWarning("dump: cannot make ", folder_, ": ", error.message());
    folder_.clear();
  }
}

void Dump::Write(absl::string_view file_name, absl::string_view text) {
  if (folder_.empty()) return;
  const std::string path = absl::StrCat(folder_, "/", file_name);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) {
    LogWarning("dump: cannot write ", path);
    folder_.clear();
  }
}

}  // namespace acceld::compiler

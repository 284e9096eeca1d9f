#include "server/compiler/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/crypto/digest.h"
#include "server/compiler/compiler.h"

namespace acceld::compiler {
namespace {

// Reads the GNU build-id note of the first object, which is the executable itself.
int FindNote(dl_phdr_info* info, size_t, void* out) {
  std::string& id = *static_cast<std::string*>(out);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
    const char* end = at + header.p_memsz;
    while (static_cast<size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const size_t name_size = (note.n_namesz + 3) & ~size_t{3};
      const size_t data_size = (note.n_descsz + 3) & ~size_t{3};
      at += sizeof note;
      if (static_cast<size_t>(end - at) < name_size + data_size) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(at, "GNU", 4) == 0) {
        id = absl::BytesToHexString(absl::string_view(at + name_size, note.n_descsz));
        return 1;
      }
      at += name_size + data_size;
    }
  }
  return 1;
}

std::string Find() {
  std::string id = BuildIdNote();
  return id.empty() ? BuildIdOfFile("/proc/self/exe") : id;
}

}  // namespace

std::string BuildIdNote() {
  std::string id;
  dl_iterate_phdr(&FindNote, &id);
  return id;
}

std::string BuildIdOfFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!bytes.empty()) return DigestOf(bytes).ToHex();
  std::random_device random;
  return absl::StrCat("unknown-", absl::Hex(random(), absl::kZeroPad8),
                      absl::Hex(random(), absl::kZeroPad8));
}

const std::string& BuildId() {
  static const std::string& id = *new std::string(Find());
  return id;
}

}  // namespace acceld::compiler

#include <elf.h>
#include <link.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/escaping.h"
#include "common/digest.h"
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
  std::string id;
  dl_iterate_phdr(&FindNote, &id);
  if (!id.empty()) return id;
  // Linked without a note: the file's own content says which build it is.
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return DigestOf(bytes).ToHex();
}

}  // namespace

const std::string& BuildId() {
  static const std::string& id = *new std::string(Find());
  return id;
}

}  // namespace acceld::compiler

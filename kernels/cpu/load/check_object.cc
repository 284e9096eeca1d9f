#include "kernels/cpu/load/check_object.h"

#include <elf.h>

#include <cstring>

#include "absl/strings/str_cat.h"

namespace acceld::kernels::cpu {
namespace {

constexpr size_t kMaxObjectBytes = size_t{1} << 30;

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#endif

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("object: ", what));
}

bool IsInside(uint64_t offset, uint64_t size, uint64_t total) {
  return size <= total && offset <= total - size;
}

}  // namespace

absl::Status CheckObject(absl::string_view object) {
  Elf64_Ehdr header;
  if (object.size() < sizeof(header)) {
    return Malformed(absl::StrCat(object.size(), " bytes are too few"));
  }
  if (object.size() > kMaxObjectBytes) {
    return Malformed(absl::StrCat(object.size(), " bytes are too many"));
  }
  std::memcpy(&header, object.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Malformed("it is not ELF");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_type != ET_REL || header.e_machine != kMachine) {
    return Malformed("it is not a relocatable object for this machine");
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
      !IsInside(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), object.size())) {
    return Malformed("its section table lies outside");
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, object.data() + header.e_shoff + i * sizeof(section), sizeof(section));
    const uint64_t file_bytes = section.sh_type == SHT_NOBITS ? 0 : section.sh_size;
    if (section.sh_size > kMaxObjectBytes ||
        !IsInside(section.sh_offset, file_bytes, object.size())) {
      return Malformed(absl::StrCat("section ", i, " lies outside"));
    }
  }
  return absl::OkStatus();
}

}  // namespace acceld::kernels::cpu

#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace acceld::testing {

// The inode of the file that this process has mapped at `address`; 0: none.
inline uint64_t MappedFileAt(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  uintptr_t begin, end;
  char dash;
  std::string mode, offset, device, path;
  uint64_t inode;
  while (maps >> std::hex >> begin >> dash >> end >> mode >> offset >> device >> std::dec >>
         inode) {
    if (begin <= at && at < end) return inode;
    std::getline(maps, path);
  }
  return 0;
}

}  // namespace acceld::testing

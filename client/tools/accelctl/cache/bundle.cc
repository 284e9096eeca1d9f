#include "client/tools/accelctl/cache/bundle.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "client/tools/accelctl/views/format.h"

namespace acceld::tools {
namespace {

// The format of a bundle: the magic bytes, then each entry, preceded by its length (8 bytes,
// little-endian). Each entry is signed separately.
constexpr absl::string_view kMagic = "acceldb2";
// A larger length shows that the file is not a bundle.
constexpr uint64_t kMaxEntryBytes = uint64_t{1} << 32;

void WriteEntry(std::ostream& out, const std::string& bytes) {
  for (int i = 0; i < 8; ++i) {
    out.put(static_cast<char>(static_cast<uint64_t>(bytes.size()) >> (8 * i)));
  }
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// Reads the next entry. Returns false at the end of the file; DATA_LOSS if the file ends inside an
// entry.
absl::StatusOr<bool> ReadEntry(std::istream& in, std::string& bytes) {
  uint64_t size = 0;
  for (int i = 0; i < 8; ++i) {
    const int byte = in.get();
    if (byte == std::istream::traits_type::eof()) {
      if (i == 0) return false;
      return absl::DataLossError("the bundle is cut short");
    }
    size |= static_cast<uint64_t>(byte) << (8 * i);
  }
  if (size > kMaxEntryBytes) {
    return absl::DataLossError(absl::StrCat("the bundle has an entry of ", size, " bytes"));
  }
  // Reads in pieces, so that a wrong length does not allocate more memory than the file has bytes.
  bytes.clear();
  while (bytes.size() < size) {
    const size_t before = bytes.size();
    bytes.resize(before + std::min<uint64_t>(size - before, 1 << 20));
    in.read(bytes.data() + before, static_cast<std::streamsize>(bytes.size() - before));
    if (!in) return absl::DataLossError("the bundle is cut short");
  }
  return true;
}

}  // namespace

absl::Status ExportBundle(client::Admin& admin, const std::string& path,
                          const std::vector<std::string>& keys) {
  std::vector<std::string> wanted = keys;
  if (wanted.empty()) {
    ACCELD_ASSIGN_OR_RETURN(const std::vector<client::CacheEntryInfo> entries,
                            admin.ListCache(SIZE_MAX));
    for (const client::CacheEntryInfo& entry : entries) {
      if (entry.on_disk) wanted.push_back(entry.key);
    }
  }
  const std::string temporary = path + ".tmp";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(kMagic.data(), static_cast<std::streamsize>(kMagic.size()));
  for (const std::string& key : wanted) {
    const absl::StatusOr<std::string> entry = admin.ExportCacheEntry(key);
    if (!entry.ok()) {
      std::remove(temporary.c_str());
      return entry.status();
    }
    WriteEntry(out, *entry);
  }
  const auto size = static_cast<int64_t>(out.tellp());
  out.close();
  if (!out || std::rename(temporary.c_str(), path.c_str()) != 0) {
    std::remove(temporary.c_str());
    return absl::InternalError(absl::StrCat("cannot write ", path));
  }
  std::cout << CountText(wanted.size(), "entry", "entries") << ", "
            << SizeText(static_cast<uint64_t>(size)) << "\n";
  return absl::OkStatus();
}

absl::StatusOr<int> ImportBundle(client::Admin& admin, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  std::string magic(kMagic.size(), '\0');
  in.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  if (magic != kMagic) return absl::DataLossError(absl::StrCat(path, " is no bundle"));
  int added = 0, present = 0, refused = 0;
  while (true) {
    std::string entry;
    ACCELD_ASSIGN_OR_RETURN(const bool more, ReadEntry(in, entry));
    if (!more) break;
    const absl::StatusOr<bool> result = admin.ImportCacheEntry(entry);
    if (result.ok()) {
      ++(*result ? added : present);
    } else if (absl::IsPermissionDenied(result.status()) || absl::IsDataLoss(result.status())) {
      std::cout << absl::StreamFormat("entry %d: %s\n", added + present + refused + 1,
                                      result.status().message());
      ++refused;
    } else {
      return result.status();
    }
  }
  std::cout << absl::StreamFormat("%d added, %d present, %d refused\n", added, present, refused);
  return refused == 0 ? 0 : 1;
}

}  // namespace acceld::tools

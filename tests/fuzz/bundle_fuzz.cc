// Whatever is brought as an entry of another site, in pieces of any size, is refused or is one that
// was signed; and it never takes more memory than its signature vouches for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/check.h"
#include "server/cache/bundle.h"

using acceld::cache::BundleReader;
using acceld::cache::EncodeBundleEntry;
using acceld::cache::Entry;
using acceld::cache::SigningKey;

namespace {

const SigningKey& Key() {
  static const SigningKey* const key = new SigningKey(32, 'k');
  return *key;
}

absl::StatusOr<Entry> Read(absl::string_view bytes, size_t piece) {
  BundleReader reader({Key()});
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    ACCELD_RETURN_IF_ERROR(reader.Append(bytes.substr(0, piece)));
  }
  return reader.Take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  ACCELD_CHECK(!Read(bytes, 7).ok());  // Nobody signs these.
  ACCELD_CHECK(!Read(bytes, size + 1).ok());

  // As names and code of an entry that is ours they come back the same; with a byte changed, or
  // without the last, they do not.
  const size_t third = size / 3;
  std::string entry = EncodeBundleEntry(
      {.program_name = bytes.substr(0, third), .signature = bytes.substr(third)}, bytes, Key());
  const absl::StatusOr<Entry> read = Read(entry, 1 + size % 100);
  ACCELD_CHECK(read.ok());
  ACCELD_CHECK(read->payload == bytes);
  ACCELD_CHECK(!Read(absl::string_view(entry).substr(0, entry.size() - 1), 64).ok());
  size_t at = size;
  for (size_t i = 0; i < size; ++i) at = at * 31 + data[i];
  entry[at % entry.size()] ^= static_cast<char>(1 + at % 255);
  const absl::StatusOr<Entry> changed = Read(entry, 1 + size % 100);
  // Some bits of a compressed frame mean nothing; then it is the same code.
  ACCELD_CHECK(!changed.ok() || changed->payload == bytes);
  return 0;
}

#include "server/cache/remote/compression.h"

#include <zstd.h>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::cache {
namespace {

constexpr int kLevel = 3;

}  // namespace

std::string Compress(absl::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kLevel);
  ACCELD_CHECK(!ZSTD_isError(size));
  out.resize(size);
  out.shrink_to_fit();
  return out;
}

uint64_t CompressedBytesBound(uint64_t size) { return ZSTD_compressBound(size); }

absl::StatusOr<std::string> Decompress(absl::string_view bytes, uint64_t size) {
  // Checked before allocating, as `size` may come from an entry whose blob was replaced by a small
  // one.
  const unsigned long long announced = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (announced != size || announced == ZSTD_CONTENTSIZE_UNKNOWN ||
      announced == ZSTD_CONTENTSIZE_ERROR) {
    return absl::DataLossError(absl::StrCat("not what was compressed from ", size, " bytes"));
  }
  std::string out(size, '\0');
  const size_t got = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got)) {
    return absl::DataLossError(absl::StrCat("compressed bytes: ", ZSTD_getErrorName(got)));
  }
  if (got != size) return absl::DataLossError(absl::StrCat(got, " bytes, not ", size));
  return out;
}

}  // namespace acceld::cache

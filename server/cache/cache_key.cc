#include "server/cache/cache_key.h"

namespace acceld::cache {

Digest MakeCacheKey(const Digest& fingerprint, absl::Span<const ir::TensorType> arguments,
                    absl::string_view architecture, absl::string_view build_id,
                    absl::string_view options) {
  Hasher hasher;
  hasher.Add("acceld executable key 1").Add(fingerprint);
  hasher.Add(static_cast<uint64_t>(arguments.size()));
  for (const ir::TensorType& type : arguments) {
    hasher.Add(ir::DTypeName(type.dtype)).Add(static_cast<uint64_t>(type.rank()));
    for (const int64_t dim : type.dims) hasher.Add(static_cast<uint64_t>(dim));
  }
  return hasher.Add(architecture).Add(build_id).Add(options).Finish();
}

}  // namespace acceld::cache

#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/digest.h"
#include "common/ir/types/type.h"

namespace acceld::cache {

// The name of an executable: everything that its code depends on, and nothing else. Ordinals,
// addresses, paths and names never enter, so equal programs of different clients, processes and
// hosts meet. `options` lists the compile options that change code, canonically spelled.
Digest MakeCacheKey(const Digest& fingerprint, absl::Span<const ir::TensorType> arguments,
                    absl::string_view architecture, absl::string_view build_id,
                    absl::string_view options);

}  // namespace acceld::cache

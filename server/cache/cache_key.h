#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/digest.h"
#include "common/ir/types/type.h"

namespace acceld::cache {

// Returns the digest that names an executable in every cache tier. It covers all that the generated
// code depends on and nothing else: no device ordinals, addresses, paths or names, so that equal
// programs of different clients, processes and hosts get the same key. `options` lists the compile
// options that change code, in canonical spelling.
Digest MakeCacheKey(const Digest& fingerprint, absl::Span<const ir::TensorType> arguments,
                    absl::string_view architecture, absl::string_view build_id,
                    absl::string_view options);

}  // namespace acceld::cache

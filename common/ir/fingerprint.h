#pragma once

#include "absl/strings/string_view.h"
#include "common/crypto/digest.h"
#include "common/ir/module.h"

namespace acceld::ir {

// Returns a 128-bit digest of what a program means: of the functions that `entry` calls, directly
// or through others, in the order of their calls, with ops, types, attributes and numbered values.
// The number of processes, the shapes of meshes, and shardings count where there are several
// processes. Names of values, functions, meshes, axes and the module, locations, and the order of
// attributes do not count.
// The digest is the same in all processes and on all machines, and does not depend on how the
// program was made (builder, text, bytecode). The module must be verified and contain `entry`.
Digest Fingerprint(const Module& module, absl::string_view entry);

}  // namespace acceld::ir

#pragma once

#include "absl/strings/string_view.h"
#include "common/crypto/digest.h"
#include "common/ir/module.h"

namespace acceld::ir {

// What a program means, as 128 bits: the functions reachable from `entry` in call order, ops, types
// and attributes, values by number. Names of values, functions and the module, locations and the
// order of attributes do not count. Equal over all processes, machines and ways in (builder, text,
// bytecode). The module must be verified and hold `entry`.
Digest Fingerprint(const Module& module, absl::string_view entry);

}  // namespace acceld::ir

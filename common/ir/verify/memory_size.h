#pragma once

#include <cstdint>

#include "common/ir/attributes/attribute.h"
#include "common/ir/module.h"
#include "common/ir/types/type.h"

// About how much memory values take with all that they own; what a memory budget is charged. What
// copies share counts with none of them: the bytes of constants, the scales of quantized types.
namespace acceld::ir {

int64_t MemoryBytesOf(const Type& type);
int64_t MemoryBytesOf(const Attribute& attribute);
int64_t MemoryBytesOf(const AttributeDictionary& dictionary);
// These walk all ops.
int64_t MemoryBytesOf(const Function& function);
int64_t MemoryBytesOf(const Module& module);

// The same with the bytes of constants, each counted once however many ops share them.
int64_t MemoryBytesWithConstants(const Module& module);

// One op with a result, without its attributes and types: the place in its list, which grows ahead,
// and the lists of its own.
inline constexpr int64_t kOpBytes = 2 * sizeof(Op);

}  // namespace acceld::ir

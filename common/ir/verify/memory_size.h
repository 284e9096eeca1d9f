#pragma once

#include <cstdint>

#include "common/ir/attributes/attribute.h"
#include "common/ir/module.h"
#include "common/ir/types/type.h"

// About how much memory objects take, including everything that they own; for charges to a
// MemoryBudget. Data that copies share counts for none of them: the bytes of constants, the scales
// of quantized types.
namespace acceld::ir {

int64_t MemoryBytesOf(const Type& type);
int64_t MemoryBytesOf(const Attribute& attribute);
int64_t MemoryBytesOf(const AttributeDictionary& dictionary);
// These visit all ops.
int64_t MemoryBytesOf(const Function& function);
int64_t MemoryBytesOf(const Module& module);

// As MemoryBytesOf, with the bytes of constants, each counted once however many ops share them.
int64_t MemoryBytesWithConstants(const Module& module);

// The memory of one op with a result, without its attributes and types: its entry in the list of
// ops, which grows in advance, and its own lists.
inline constexpr int64_t kOpBytes = 2 * sizeof(Op);

}  // namespace acceld::ir

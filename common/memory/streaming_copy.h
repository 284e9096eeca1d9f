#pragma once

#include <cstddef>

namespace acceld {

// memcpy of bytes that this processor does not read again soon: for many of them it writes around
// the cache, which saves reading the destination first and leaves in the cache what is there.
void StreamingCopy(char* to, const char* from, size_t size_bytes);

}  // namespace acceld

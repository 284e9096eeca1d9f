#pragma once

#include <cstddef>

namespace acceld {

// Copies as memcpy does, for bytes that this processor will not read again soon. Large copies
// bypass the cache where the processor can do that: the destination need not be read first, and the
// cache keeps its contents.
void StreamingCopy(char* to, const char* from, size_t size_bytes);

}  // namespace acceld

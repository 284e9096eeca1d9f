#include "common/memory/streaming_copy.h"

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace acceld {

#ifdef __SSE2__

void StreamingCopy(char* to, const char* from, size_t size_bytes) {
  constexpr size_t kLine = 64;
  constexpr size_t kMany = size_t{64} << 10;
  if (size_bytes < kMany) {
    if (size_bytes > 0) std::memcpy(to, from, size_bytes);
    return;
  }
  const size_t head = (kLine - reinterpret_cast<uintptr_t>(to) % kLine) % kLine;
  std::memcpy(to, from, head);
  size_t at = head;
  for (; at + kLine <= size_bytes; at += kLine) {
    const auto* const line = reinterpret_cast<const __m128i*>(from + at);
    auto* const target = reinterpret_cast<__m128i*>(to + at);
    const __m128i a = _mm_loadu_si128(line), b = _mm_loadu_si128(line + 1);
    const __m128i c = _mm_loadu_si128(line + 2), d = _mm_loadu_si128(line + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();  // Orders the streaming stores before later stores.
  std::memcpy(to + at, from + at, size_bytes - at);
}

#else

void StreamingCopy(char* to, const char* from, size_t size_bytes) {
  if (size_bytes > 0) std::memcpy(to, from, size_bytes);
}

#endif

}  // namespace acceld

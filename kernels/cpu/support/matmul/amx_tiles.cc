#include "kernels/cpu/support/matmul/amx_tiles.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <oneapi/dnnl/dnnl.hpp>

namespace acceld::kernels::cpu {
namespace {

#define ACCELD_AVX512 [[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi")]]
#define ACCELD_AMX [[gnu::target("avx512f,amx-tile,amx-int8,amx-bf16")]]

// Asks Linux for the state of the tile registers (Documentation/arch/x86/xstate.rst).
bool AskSystem() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// A tile while it is packed: 16 rows of 16 words of 4 bytes, each of which has consecutive elements
// in the direction of the depth.
using Words = __m512i[kAmxTileRows];

// The lowest `count` bits.
uint64_t Mask(int64_t count) {
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << std::max<int64_t>(count, 0)) - 1;
}

// Reads the vectors one after the other: row i has the words of vector first + i.
ACCELD_AVX512 void ReadVectors(const AmxOperand& operand, int64_t first, int64_t depth,
                               Words& words) {
  const int64_t bytes = BytesOf(operand.type);
  const uint64_t mask = Mask((operand.depth - depth) * bytes);
  const char* from = operand.data + (first * operand.width_stride + depth) * bytes;
  for (int64_t i = 0; i < kAmxTileRows; ++i, from += operand.width_stride * bytes) {
    words[i] =
        first + i < operand.width ? _mm512_maskz_loadu_epi8(mask, from) : _mm512_setzero_si512();
  }
}

// Reads 16 vectors side by side: row i has word i of each vector.
ACCELD_AVX512 void InterleaveBytes(const AmxOperand& operand, int64_t first, int64_t depth,
                                   Words& words) {
  alignas(64) static constexpr uint8_t kOrder[64] = {
      0,  16, 32, 48, 1,  17, 33, 49, 2,  18, 34, 50, 3,  19, 35, 51, 4,  20, 36, 52, 5,  21,
      37, 53, 6,  22, 38, 54, 7,  23, 39, 55, 8,  24, 40, 56, 9,  25, 41, 57, 10, 26, 42, 58,
      11, 27, 43, 59, 12, 28, 44, 60, 13, 29, 45, 61, 14, 30, 46, 62, 15, 31, 47, 63};
  const __m512i order = _mm512_load_si512(kOrder);
  const auto mask = static_cast<__mmask16>(Mask(operand.width - first));
  const auto line = [&](int64_t d) __attribute__((target("avx512f,avx512bw,avx512vl"))) {
    return d < operand.depth
               ? _mm_maskz_loadu_epi8(mask, operand.data + d * operand.depth_stride + first)
               : _mm_setzero_si128();
  };
  const char* from = operand.data + depth * operand.depth_stride + first;
  const bool is_whole =
      first + kAmxTileRows <= operand.width && depth + 4 * kAmxTileRows <= operand.depth;
  for (int64_t i = 0; i < kAmxTileRows; ++i, from += 4 * operand.depth_stride) {
    __m512i lines;
    if (is_whole) {
      const auto line_at = [&](int64_t j) __attribute__((target("avx512f"))) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + j * operand.depth_stride));
      };
      lines = _mm512_castsi128_si512(line_at(0));
      lines = _mm512_mask_broadcast_i32x4(lines, 0x00F0, line_at(1));
      lines = _mm512_mask_broadcast_i32x4(lines, 0x0F00, line_at(2));
      lines = _mm512_mask_broadcast_i32x4(lines, 0xF000, line_at(3));
    } else {
      const int64_t d = depth + 4 * i;
      lines = _mm512_castsi128_si512(line(d));
      lines = _mm512_inserti32x4(lines, line(d + 1), 1);
      lines = _mm512_inserti32x4(lines, line(d + 2), 2);
      lines = _mm512_inserti32x4(lines, line(d + 3), 3);
    }
    words[i] = _mm512_permutexvar_epi8(order, lines);
  }
}

// As InterleaveBytes, for elements of two bytes.
ACCELD_AVX512 void InterleavePairs(const AmxOperand& operand, int64_t first, int64_t depth,
                                   Words& words) {
  alignas(64) static constexpr uint16_t kOrder[32] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                      21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                      11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i order = _mm512_load_si512(kOrder);
  const auto mask = static_cast<__mmask16>(Mask(operand.width - first));
  const auto line = [&](int64_t d) __attribute__((target("avx512f,avx512bw,avx512vl"))) {
    return d < operand.depth ? _mm256_maskz_loadu_epi16(
                                   mask, operand.data + (d * operand.depth_stride + first) * 2)
                             : _mm256_setzero_si256();
  };
  for (int64_t i = 0; i < kAmxTileRows; ++i) {
    const int64_t d = depth + 2 * i;
    const __m512i lines = _mm512_inserti64x4(_mm512_castsi256_si512(line(d)), line(d + 1), 1);
    words[i] = _mm512_permutexvar_epi16(order, lines);
  }
}

// Transposes 16 x 16 words: first squares of 2 x 2 and 4 x 4 within each quarter of the rows, then
// the quarters.
ACCELD_AVX512 void Transpose(Words& words) {
  Words pairs, quads;
  for (int i = 0; i < 16; i += 2) {
    pairs[i] = _mm512_unpacklo_epi32(words[i], words[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi32(words[i], words[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    quads[i] = _mm512_unpacklo_epi64(pairs[i], pairs[i + 2]);
    quads[i + 1] = _mm512_unpackhi_epi64(pairs[i], pairs[i + 2]);
    quads[i + 2] = _mm512_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
    quads[i + 3] = _mm512_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    const __m512i even01 = _mm512_shuffle_i32x4(quads[i], quads[4 + i], 0x88);
    const __m512i odd01 = _mm512_shuffle_i32x4(quads[i], quads[4 + i], 0xDD);
    const __m512i even23 = _mm512_shuffle_i32x4(quads[8 + i], quads[12 + i], 0x88);
    const __m512i odd23 = _mm512_shuffle_i32x4(quads[8 + i], quads[12 + i], 0xDD);
    words[i] = _mm512_shuffle_i32x4(even01, even23, 0x88);
    words[8 + i] = _mm512_shuffle_i32x4(even01, even23, 0xDD);
    words[4 + i] = _mm512_shuffle_i32x4(odd01, odd23, 0x88);
    words[12 + i] = _mm512_shuffle_i32x4(odd01, odd23, 0xDD);
  }
}

// Packs one tile of vectors [first, first + 16) from `depth` on. Its rows are the vectors, or, with
// `by_words`, their words.
ACCELD_AVX512 void PackTile(const AmxOperand& operand, int64_t first, int64_t depth, bool by_words,
                            char* to) {
  Words words;
  const bool reads_vectors = operand.depth_stride == 1;
  if (reads_vectors) {
    ReadVectors(operand, first, depth, words);
  } else if (operand.type == AmxType::kS8) {
    InterleaveBytes(operand, first, depth, words);
  } else {
    InterleavePairs(operand, first, depth, words);
  }
  if (reads_vectors == by_words) Transpose(words);
  for (int64_t i = 0; i < kAmxTileRows; ++i) {
    _mm512_store_si512(to + i * kAmxDepthBytes, words[i]);
  }
}

void Pack(const AmxOperand& operand, int64_t first, int64_t first_step, int64_t steps,
          bool by_words, char* to) {
  const int64_t depth = kAmxDepthBytes / BytesOf(operand.type);
  for (int64_t step = first_step; step < first_step + steps; ++step) {
    for (int64_t tile = 0; tile < 2; ++tile, to += kAmxTileBytes) {
      PackTile(operand, first + tile * kAmxTileRows, step * depth, by_words, to);
    }
  }
}

// The operand of the instruction that configures the tile registers.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

ACCELD_AMX void LoadConfig() {
  static constexpr TileConfig kConfig;
  _tile_loadconfig(&kConfig);
}

ACCELD_AMX void ReleaseTiles() { _tile_release(); }

}  // namespace

bool HasAmx() {
  static const bool has = [] {
    constexpr int kAmx = dnnl_cpu_isa_avx512_core_amx & ~dnnl_cpu_isa_avx512_core_bf16;
    return (static_cast<int>(dnnl::get_effective_cpu_isa()) & kAmx) != 0 &&
           __builtin_cpu_supports("avx512vbmi") != 0 && AskSystem();
  }();
  return has;
}

void PackAmxRows(const AmxOperand& lhs, int64_t first, int64_t first_step, int64_t steps,
                 char* to) {
  Pack(lhs, first, first_step, steps, /*by_words=*/false, to);
}

void PackAmxColumns(const AmxOperand& rhs, int64_t first, int64_t first_step, int64_t steps,
                    char* to) {
  Pack(rhs, first, first_step, steps, /*by_words=*/true, to);
}

ACCELD_AMX void MultiplyAmxPanels(AmxType type, const char* rows, const char* columns,
                                  int64_t steps, AmxSums from, AmxSums to) {
  if (from.data == nullptr) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  } else {
    const char* const below = from.data + kAmxTileRows * from.row_bytes;
    _tile_loadd(0, from.data, from.row_bytes);
    _tile_loadd(1, from.data + kAmxDepthBytes, from.row_bytes);
    _tile_loadd(2, below, from.row_bytes);
    _tile_loadd(3, below + kAmxDepthBytes, from.row_bytes);
  }
  if (type == AmxType::kBf16) {
    for (int64_t i = 0; i < steps; ++i, rows += 2 * kAmxTileBytes, columns += 2 * kAmxTileBytes) {
      _tile_loadd(4, rows, kAmxDepthBytes);
      _tile_loadd(6, columns, kAmxDepthBytes);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(7, columns + kAmxTileBytes, kAmxDepthBytes);
      _tile_dpbf16ps(1, 4, 7);
      _tile_loadd(5, rows + kAmxTileBytes, kAmxDepthBytes);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  } else {
    for (int64_t i = 0; i < steps; ++i, rows += 2 * kAmxTileBytes, columns += 2 * kAmxTileBytes) {
      _tile_loadd(4, rows, kAmxDepthBytes);
      _tile_loadd(6, columns, kAmxDepthBytes);
      _tile_dpbssd(0, 4, 6);
      _tile_loadd(7, columns + kAmxTileBytes, kAmxDepthBytes);
      _tile_dpbssd(1, 4, 7);
      _tile_loadd(5, rows + kAmxTileBytes, kAmxDepthBytes);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(3, 5, 7);
    }
  }
  char* const below = to.data + kAmxTileRows * to.row_bytes;
  _tile_stored(0, to.data, to.row_bytes);
  _tile_stored(1, to.data + kAmxDepthBytes, to.row_bytes);
  _tile_stored(2, below, to.row_bytes);
  _tile_stored(3, below + kAmxDepthBytes, to.row_bytes);
}

ACCELD_AVX512 void AddAmxSums(const char* part, char* sums) {
  constexpr int64_t kBytes = kAmxPanel * kAmxPanel * 4;
  for (int64_t at = 0; at < kBytes; at += 64) {
    const __m512 sum = _mm512_add_ps(_mm512_load_ps(sums + at), _mm512_load_ps(part + at));
    _mm512_store_ps(sums + at, sum);
  }
}

AmxScope::AmxScope() { LoadConfig(); }

AmxScope::~AmxScope() { ReleaseTiles(); }

#undef ACCELD_AMX
#undef ACCELD_AVX512

}  // namespace acceld::kernels::cpu

#else

#include "common/check.h"

namespace acceld::kernels::cpu {

bool HasAmx() { return false; }
void PackAmxRows(const AmxOperand&, int64_t, int64_t, int64_t, char*) { ACCELD_CHECK(false); }
void PackAmxColumns(const AmxOperand&, int64_t, int64_t, int64_t, char*) { ACCELD_CHECK(false); }
void MultiplyAmxPanels(AmxType, const char*, const char*, int64_t, AmxSums, AmxSums) {
  ACCELD_CHECK(false);
}
void AddAmxSums(const char*, char*) { ACCELD_CHECK(false); }
AmxScope::AmxScope() = default;
AmxScope::~AmxScope() = default;

}  // namespace acceld::kernels::cpu

#endif

#pragma once

#include <cstdint>

// Products of tiles by the matrix unit of Intel's processors (Intel Advanced Matrix Extensions,
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18). A tile has
// 16 rows of 64 bytes: 16 x 32 bf16 or 16 x 64 bytes of the left operand, 16 x 16 sums. Only on
// x86-64; elsewhere HasAmx() is false.
namespace acceld::kernels::cpu {

inline constexpr int64_t kAmxTileRows = 16;
inline constexpr int64_t kAmxTileBytes = 1024;
// The depth of a tile, in bytes.
inline constexpr int64_t kAmxDepthBytes = 64;
// The rows and columns that MultiplyAmxPanels computes at a time: two tiles each.
inline constexpr int64_t kAmxPanel = 2 * kAmxTileRows;

enum class AmxType : uint8_t { kBf16, kS8 };
constexpr int64_t BytesOf(AmxType type) { return type == AmxType::kBf16 ? 2 : 1; }

// Whether the processor has the matrix unit and the system lets this process use it. Asks the
// system for that when it is called for the first time.
bool HasAmx();

// An operand in memory, as `width` vectors of `depth` elements: the rows of the left operand, the
// columns of the right one. Strides are in elements; one of them is 1.
struct AmxOperand {
  AmxType type;
  const char* data;
  int64_t width, depth;
  int64_t width_stride, depth_stride;
};

// The tiles that a depth takes.
constexpr int64_t AmxSteps(AmxType type, int64_t depth) {
  return (depth * BytesOf(type) + kAmxDepthBytes - 1) / kAmxDepthBytes;
}

// Packs vectors [first, first + kAmxPanel) of an operand for MultiplyAmxPanels: of AmxSteps pairs
// of tiles, `steps` pairs from `first_step` on, to `to`, which is aligned to 64 bytes. Missing
// vectors and missing elements are zeros.
void PackAmxRows(const AmxOperand& lhs, int64_t first, int64_t first_step, int64_t steps, char* to);
void PackAmxColumns(const AmxOperand& rhs, int64_t first, int64_t first_step, int64_t steps,
                    char* to);

// Where 32 x 32 sums, of f32 or i32, are: the address of the first one and the distance of two
// rows.
struct AmxSums {
  char* data;
  int64_t row_bytes;
};

// Multiplies a panel of packed rows by one of packed columns, adds the products to the sums at
// `from`, or to zeros if its data are null, and writes the sums to `to`. Each thread that calls
// this has an AmxScope.
void MultiplyAmxPanels(AmxType type, const char* rows, const char* columns, int64_t steps,
                       AmxSums from, AmxSums to);

// Adds 32 x 32 sums of f32 to others. Both lie one after the other, aligned to 64 bytes.
void AddAmxSums(const char* part, char* sums);

// Makes the calling thread's tile registers usable while it exists.
class AmxScope {
 public:
  AmxScope();
  ~AmxScope();
  AmxScope(const AmxScope&) = delete;
  AmxScope& operator=(const AmxScope&) = delete;
};

}  // namespace acceld::kernels::cpu

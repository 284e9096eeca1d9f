#include "kernels/cpu/support/copy.h"

#include <algorithm>
#include <cstring>

#include "common/ceil_divide.h"
#include "kernels/cpu/support/parallel_for.h"
#include "kernels/cpu/support/poll.h"

namespace acceld::kernels::cpu {
namespace {

// A tile takes some hundred microseconds; distributing tiles to threads takes a hundredth of that.
constexpr int64_t kTileBytes = int64_t{2} << 20;

struct Frame {
  char* to;
  const char* from;
  int64_t size_bytes;
};

int32_t CopyTile(const void* frame, int64_t tile) {
  const auto& copy = *static_cast<const Frame*>(frame);
  const int64_t begin = tile * kTileBytes;
  std::memcpy(copy.to + begin, copy.from + begin,
              static_cast<size_t>(std::min(kTileBytes, copy.size_bytes - begin)));
  return static_cast<int32_t>(CodeStatus::kOk);
}

}  // namespace

int32_t CopyOnThreads(const LaunchContext* context, void* to, const void* from,
                      int64_t size_bytes) {
  if (to == from || size_bytes < 2 * kTileBytes) {
    return CopyInPieces(context, to, from, size_bytes);
  }
  const Frame frame{static_cast<char*>(to), static_cast<const char*>(from), size_bytes};
  return ParallelFor(context, &CopyTile, &frame, CeilDivide(size_bytes, kTileBytes));
}

}  // namespace acceld::kernels::cpu

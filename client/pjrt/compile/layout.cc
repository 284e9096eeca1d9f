#include "client/pjrt/compile/layout.h"

#include <algorithm>
#include <array>

#include "client/pjrt/functions.h"
#include "client/pjrt/transfer/buffer.h"
#include "common/check.h"
#include "common/ir/verify/limits.h"

namespace acceld::pjrt {
namespace {

constexpr size_t kMaxRank = ir::limits::kMaxRank;

constexpr std::array<int64_t, kMaxRank> kDescending = [] {
  std::array<int64_t, kMaxRank> numbers{};
  for (size_t i = 0; i < kMaxRank; ++i) numbers[i] = static_cast<int64_t>(kMaxRank - 1 - i);
  return numbers;
}();

}  // namespace

const int64_t* RowMajorDimensions(size_t rank) {
  ACCELD_CHECK(rank <= kMaxRank);
  return kDescending.data() + (kMaxRank - rank);
}

PJRT_Buffer_MemoryLayout RowMajorLayout(size_t rank) {
  return {.struct_size = sizeof(PJRT_Buffer_MemoryLayout),
          .extension_start = nullptr,
          .tiled = {.struct_size = sizeof(PJRT_Buffer_MemoryLayout_Tiled),
                    .extension_start = nullptr,
                    .minor_to_major = RowMajorDimensions(rank),
                    .minor_to_major_size = rank,
                    .tile_dims = nullptr,
                    .tile_dim_sizes = nullptr,
                    .num_tiles = 0},
          .type = PJRT_Buffer_MemoryLayout_Type_Tiled};
}

bool IsRowMajorLayout(const PJRT_Buffer_MemoryLayout* layout, size_t rank) {
  if (layout == nullptr) return true;
  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled) return false;
  const auto& tiled = layout->tiled;
  return tiled.num_tiles == 0 && tiled.minor_to_major_size == rank && rank <= kMaxRank &&
         std::equal(tiled.minor_to_major, tiled.minor_to_major + rank, RowMajorDimensions(rank));
}

absl::Status Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args& args) {
  args.layout = RowMajorLayout(args.buffer->type().dims.size());
  return absl::OkStatus();
}

}  // namespace acceld::pjrt

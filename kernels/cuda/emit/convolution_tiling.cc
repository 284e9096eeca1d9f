#include "kernels/cuda/emit/convolution_tiling.h"

#include <algorithm>
#include <cmath>

#include "common/ceil_divide.h"

namespace acceld::kernels::cuda {
namespace {

using Dim = ConvolutionShape::Dim;

// With fewer tiles, some multiprocessors of a large GPU would have no work, so products are split
// into parts.
constexpr int64_t kFewTiles = 132;
constexpr int64_t kWantedBlocks = 2 * kFewTiles;
// The smallest number of products in a part for which storing partial sums pays.
constexpr int64_t kMinPartProducts = 256;
constexpr int64_t kMaxPartsBytes = int64_t{64} << 20;
// The largest index for 32-bit indices, which leaves room for indices past the end in partial
// tiles.
constexpr double kMaxNarrowIndex = 1 << 30;

struct Tile {
  int64_t m, n, k, thread_m, thread_n;
};
constexpr Tile kLargeTile = {128, 128, 8, 8, 8};
constexpr Tile kMiddleTile = {128, 64, 16, 8, 4};
constexpr Tile kSmallTile = {64, 64, 16, 4, 4};
constexpr Tile kNarrowTile = {128, 32, 16, 4, 4};
// For sums in f64.
constexpr Tile kSmallTileOfDoubles = {64, 64, 8, 4, 4};
constexpr Tile kNarrowTileOfDoubles = {128, 32, 8, 4, 4};

int64_t TilesOf(const ConvolutionShape& shape, const Tile& tile) {
  return shape.groups * CeilDivide(shape.num_output_positions(), tile.m) *
         CeilDivide(shape.outputs, tile.n);
}

Tile TileOf(const ConvolutionStep& convolution) {
  const ConvolutionShape& shape = convolution.shape;
  const bool is_narrow = shape.outputs <= kNarrowTile.n;
  if (ConvolutionSumType(convolution.input_dtype) == ir::DType::kF64) {
    return is_narrow ? kNarrowTileOfDoubles : kSmallTileOfDoubles;
  }
  if (is_narrow) return kNarrowTile;
  if (shape.outputs > kMiddleTile.n && TilesOf(shape, kLargeTile) >= kFewTiles) return kLargeTile;
  return TilesOf(shape, kMiddleTile) >= kFewTiles ? kMiddleTile : kSmallTile;
}

void DivideProducts(const ConvolutionStep& convolution, ConvolutionTiling& tiling) {
  const ConvolutionShape& shape = convolution.shape;
  const int64_t products = shape.num_window_elements() * shape.features;
  tiling.part_products = products;
  const int64_t tiles = tiling.blocks(shape);
  if (tiles >= kFewTiles) return;
  const int64_t sum_bytes = shape.groups * shape.num_output_positions() * shape.outputs *
                            ir::StorageBytesOf(ConvolutionSumType(convolution.input_dtype));
  const int64_t parts = std::min({CeilDivide(kWantedBlocks, tiles), products / kMinPartProducts,
                                  kMaxPartsBytes / std::max<int64_t>(sum_bytes, 1)});
  if (parts < 2) return;
  tiling.part_products = CeilDivide(CeilDivide(products, parts), tiling.tile_k) * tiling.tile_k;
  tiling.parts = CeilDivide(products, tiling.part_products);
}

// The innermost dimension whose window has more than one element; nullptr if there is none.
const Dim* InnermostWindow(const ConvolutionShape& shape) {
  for (int d = ConvolutionShape::kNumDims; d-- > 0;) {
    if (shape.dims[d].window > 1) return &shape.dims[d];
  }
  return nullptr;
}

bool FeaturesOutermost(const ConvolutionShape& shape) {
  const Dim* const inner = InnermostWindow(shape);
  if (inner == nullptr || shape.features == 1) return inner != nullptr;
  if (shape.lhs_feature_stride == 1) return false;
  return inner->rhs_stride == 1 && shape.rhs_output_stride != 1;
}

// Whether vectors of so many elements are aligned at all offsets that the added strides produce.
class Alignment {
 public:
  explicit Alignment(int64_t lanes) : lanes_(lanes) {}
  void Add(int64_t count, int64_t stride) { holds_ &= count == 1 || stride % lanes_ == 0; }
  bool holds() const { return holds_; }

 private:
  const int64_t lanes_;
  bool holds_ = true;
};

bool LhsIsAligned(const ConvolutionShape& shape, int64_t lanes, bool along_products) {
  Alignment alignment(lanes);
  const Dim* const inner = &shape.dims[ConvolutionShape::kNumDims - 1];
  for (const Dim& dim : shape.dims) {
    if (!along_products && &dim == inner) continue;
    alignment.Add(dim.size, dim.lhs_stride);
  }
  alignment.Add(shape.groups, shape.lhs_group_stride);
  if (!along_products) {
    alignment.Add(shape.features, shape.lhs_feature_stride);
    return alignment.holds() && inner->lhs_stride == 1 && inner->stride == 1 &&
           IsPlainDim(*inner) && inner->extent % lanes == 0;
  }
  return alignment.holds() && shape.lhs_feature_stride == 1 && shape.features % lanes == 0;
}

// With `along_products`, `inner` is the innermost window dimension, or nullptr if features are
// innermost.
bool RhsIsAligned(const ConvolutionShape& shape, int64_t lanes, bool along_products,
                  const Dim* inner) {
  Alignment alignment(lanes);
  for (const Dim& dim : shape.dims) {
    if (!along_products || &dim != inner) alignment.Add(dim.window, dim.rhs_stride);
  }
  alignment.Add(shape.groups, shape.rhs_group_stride);
  if (!along_products || inner != nullptr) {
    alignment.Add(shape.features, shape.rhs_feature_stride);
  }
  if (!along_products) {
    return alignment.holds() && shape.rhs_output_stride == 1 && shape.outputs % lanes == 0;
  }
  alignment.Add(shape.outputs, shape.rhs_output_stride);
  const int64_t stride = inner == nullptr ? shape.rhs_feature_stride : inner->rhs_stride;
  const int64_t extent = inner == nullptr ? shape.features : inner->window;
  return alignment.holds() && stride == 1 && extent % lanes == 0;
}

void ChooseLoads(const ConvolutionShape& shape, ConvolutionTiling& tiling) {
  tiling.features_outermost = FeaturesOutermost(shape);
  const Dim* const inner = tiling.features_outermost ? InnermostWindow(shape) : nullptr;
  const Dim& row = shape.dims[ConvolutionShape::kNumDims - 1];
  tiling.lhs_along_products = inner == nullptr ? shape.lhs_feature_stride == 1
                                               : std::abs(inner->step * inner->lhs_stride) == 1 &&
                                                     row.stride * row.lhs_stride != 1;
  tiling.rhs_along_products =
      shape.rhs_output_stride != 1 &&
      (inner == nullptr ? shape.rhs_feature_stride : inner->rhs_stride) == 1;
  static constexpr int64_t kMaxLanes = 4;
  const auto most = [&tiling](int64_t across) {
    return std::min(kMaxLanes, across * tiling.tile_k / ConvolutionTiling::kThreads);
  };
  tiling.lhs_lanes = most(tiling.tile_m);
  while (!LhsIsAligned(shape, tiling.lhs_lanes, tiling.lhs_along_products) &&
         tiling.lhs_lanes > 1) {
    tiling.lhs_lanes /= 2;
  }
  tiling.rhs_lanes = most(tiling.tile_n);
  while (!RhsIsAligned(shape, tiling.rhs_lanes, tiling.rhs_along_products, inner) &&
         tiling.rhs_lanes > 1) {
    tiling.rhs_lanes /= 2;
  }
}

}  // namespace

ConvolutionTiling ConvolutionTiling::Of(const ConvolutionStep& convolution) {
  const ConvolutionShape& shape = convolution.shape;
  const Tile tile = TileOf(convolution);
  ConvolutionTiling tiling{.tile_m = tile.m,
                           .tile_n = tile.n,
                           .tile_k = tile.k,
                           .thread_m = tile.thread_m,
                           .thread_n = tile.thread_n,
                           .tiles_m = CeilDivide(shape.num_output_positions(), tile.m),
                           .tiles_n = CeilDivide(shape.outputs, tile.n)};
  DivideProducts(convolution, tiling);
  ChooseLoads(shape, tiling);
  tiling.output_positions_innermost = shape.out_feature_stride != 1;
  tiling.is_wide = LargestIndexOf(shape) > kMaxNarrowIndex;
  return tiling;
}

ir::DType ConvolutionSumType(ir::DType input) {
  return input == ir::DType::kF64 ? ir::DType::kF64 : ir::DType::kF32;
}

bool IsPlainDim(const Dim& dim) {
  return dim.window == 1 && dim.dilation == 1 && dim.offset == 0 &&
         (dim.extent == 1 || dim.stride <= (dim.size - 1) / (dim.extent - 1));
}

double LargestIndexOf(const ConvolutionShape& shape) {
  const auto product = [](int64_t a, int64_t b) {
    return std::abs(static_cast<double>(a)) * std::abs(static_cast<double>(b));
  };
  double lhs = product(shape.groups, shape.lhs_group_stride) +
               product(shape.features, shape.lhs_feature_stride);
  double rhs = product(shape.groups, shape.rhs_group_stride) +
               product(shape.features, shape.rhs_feature_stride) +
               product(shape.outputs, shape.rhs_output_stride);
  double out = product(shape.groups, shape.out_group_stride) +
               product(shape.outputs, shape.out_feature_stride);
  double positions = 0, results = 1, products = static_cast<double>(shape.features);
  for (const Dim& dim : shape.dims) {
    lhs += product(dim.size, dim.lhs_stride);
    rhs += product(dim.window, dim.rhs_stride);
    out += product(dim.extent, dim.out_stride);
    positions = std::max({positions, product(dim.size, dim.dilation),
                          product(dim.extent, dim.stride) + product(dim.window, dim.step) +
                              std::abs(static_cast<double>(dim.offset))});
    results *= static_cast<double>(dim.extent);
    products *= static_cast<double>(dim.window);
  }
  results *= product(shape.groups, shape.outputs);
  return std::max({lhs, rhs, out, positions, results, products});
}

}  // namespace acceld::kernels::cuda

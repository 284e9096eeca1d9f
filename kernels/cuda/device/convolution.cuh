// Convolutions (kernels/ir/convolution_shape.h) as products of matrices (implicit GEMM). The left
// matrix, output positions by pairs of a window element and an input feature, is never stored: a
// block gathers tiles of it from the input, multiplies them by tiles of the kernel, and keeps the
// sums of a tile of the output, output positions by output features, in registers. The template
// parameter `C` is a struct that kernels/cuda/emit/convolution.cc prints. All sizes in it are
// constants, so that divisions become multiplications and dimensions of size 1 cost nothing.
//
// Element (m, n) of a group is at output position m and output feature n. Product k of its sum is
// for one pair of a window element and an input feature.

// One dimension of the convolution, as ConvolutionShape::Dim.
template <typename Index>
struct ConvolutionDim {
  Index extent, window, stride, step, offset, dilation, size, lhs, rhs, out;
};

// An output position: the coordinates in the input at which its window begins.
template <typename C>
struct ConvolutionOutputPosition {
  // The window's origin in the dilated input, in the dimensions that need bounds checks.
  typename C::Index at[4];
  Wide<typename C::Index> from;  // what the other (plain) dimensions add to the input index
  bool inside;                   // whether the position is inside the output
};

// The part of a product's operand addresses that does not depend on the output position.
template <typename C>
struct ConvolutionProduct {
  typename C::Index at[4];           // the window element's distance from the window's origin
  Wide<typename C::Index> lhs, rhs;  // what the product adds to the operands' indices
  bool inside;                       // whether there is a product with this number
};

template <typename C>
__device__ __forceinline__ ConvolutionOutputPosition<C> OutputPositionOf(typename C::Index m) {
  using Index = typename C::Index;
  using Unsigned = Wide<Index>;
  ConvolutionOutputPosition<C> position;
  position.inside = m < C::kOutputPositions;
  position.from = 0;
  Unsigned rest = Unsigned(m);
#pragma unroll
  for (int d = 3; d >= 0; --d) {
    const ConvolutionDim<Index> dim = C::Dim(d);
    const Index x = Index(d == 0 ? rest : rest % Unsigned(dim.extent));
    rest /= Unsigned(dim.extent);
    if (C::IsPlain(d)) {
      position.from += Unsigned(x) * Unsigned(dim.stride * dim.lhs);
      position.at[d] = 0;
    } else {
      position.at[d] = x * dim.stride + dim.offset;
    }
  }
  return position;
}

template <typename C>
__device__ __forceinline__ ConvolutionProduct<C> ProductOf(typename C::Index k) {
  using Index = typename C::Index;
  using Unsigned = Wide<Index>;
  ConvolutionProduct<C> product;
  product.inside = k < C::kProducts;
  Unsigned rest = Unsigned(k);
  Unsigned feature = 0;
  if (!C::kFeaturesOutermost) {
    feature = rest % Unsigned(C::kFeatures);
    rest /= Unsigned(C::kFeatures);
  }
  product.rhs = 0;
#pragma unroll
  for (int d = 3; d >= 0; --d) {
    const ConvolutionDim<Index> dim = C::Dim(d);
    const bool is_last = d == 0 && !C::kFeaturesOutermost;
    const Index cell = Index(is_last ? rest : rest % Unsigned(dim.window));
    rest /= Unsigned(dim.window);
    product.at[d] = cell * dim.step;
    product.rhs += Unsigned(cell) * Unsigned(dim.rhs);
  }
  if (C::kFeaturesOutermost) feature = rest;
  product.lhs = feature * Unsigned(C::kLhsFeatureStride);
  product.rhs += feature * Unsigned(C::kRhsFeatureStride);
  return product;
}

// Computes the index of the input element of a product at an output position. Returns false if
// there is none, because of padding or dilation; the element is then 0. Unsigned, because arbitrary
// indices outside the input must not overflow.
template <typename C>
__device__ __forceinline__ bool FindInput(const ConvolutionOutputPosition<C>& position,
                                          const ConvolutionProduct<C>& product,
                                          Wide<typename C::Index>& from) {
  using Index = typename C::Index;
  using Unsigned = Wide<Index>;
  bool inside = position.inside && product.inside;
  from = position.from + product.lhs;
#pragma unroll
  for (int d = 0; d < 4; ++d) {
    if (C::IsPlain(d)) continue;
    const ConvolutionDim<Index> dim = C::Dim(d);
    const Unsigned at = Unsigned(position.at[d] + product.at[d]);
    inside = inside && at <= Unsigned((dim.size - 1) * dim.dilation);
    if (dim.dilation != 1) inside = inside && at % Unsigned(dim.dilation) == 0;
    from += at / Unsigned(dim.dilation) * Unsigned(dim.lhs);
  }
  return inside;
}

// The part of an operand's tiles that one thread loads: vectors of adjacent elements along k, or
// across it (along m or n). The elements go to registers first and later to shared memory.
template <typename C, int kTileAcross, int kLanes, bool kAlongProducts>
struct ConvolutionLoads {
  static constexpr int kAcross = kAlongProducts ? kTileAcross : kTileAcross / kLanes;
  static constexpr int kAlong = kAlongProducts ? C::kTileK / kLanes : C::kTileK;
  static constexpr int kCount = kAcross * kAlong / C::kThreads;
  static_assert(kCount * C::kThreads == kAcross * kAlong, "threads share a tile evenly");
  // The coordinates in the tile of the first element of this thread's vector i.
  __device__ static int Across(int i) {
    const int number = i * C::kThreads + int(threadIdx.x);
    return kAlongProducts ? number / kAlong : number % kAcross * kLanes;
  }
  __device__ static int Along(int i) {
    const int number = i * C::kThreads + int(threadIdx.x);
    return kAlongProducts ? number % kAlong * kLanes : number / kAcross;
  }
  // Whether all vectors of a thread have the same coordinate across, or along.
  static constexpr bool kSameAcross = !kAlongProducts && C::kThreads % kAcross == 0;
  static constexpr bool kSameAlong = kAlongProducts && C::kThreads % kAlong == 0;

  Lanes<typename C::In, kLanes> values[kCount];

  // Stores the loaded elements to a tile in shared memory, [k][across] with `pitch` elements a row.
  __device__ __forceinline__ void Store(typename C::Sum* tile, int pitch) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int across = Across(i), along = Along(i);
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        const int k = kAlongProducts ? along + lane : along;
        const int x = kAlongProducts ? across : across + lane;
        tile[k * pitch + x] = C::Decoded(values[i].at[lane]);
      }
    }
  }
};

template <typename C>
struct ConvolutionLhs : ConvolutionLoads<C, C::kTileM, C::kLhsLanes, C::kLhsAlongProducts> {
  using Loads = ConvolutionLoads<C, C::kTileM, C::kLhsLanes, C::kLhsAlongProducts>;
  static constexpr int kOutputPositions = Loads::kSameAcross ? 1 : Loads::kCount;
  ConvolutionOutputPosition<C> positions[kOutputPositions];

  __device__ __forceinline__ void Begin(typename C::Index first_position) {
#pragma unroll
    for (int i = 0; i < kOutputPositions; ++i) positions[i] = OutputPositionOf<C>(first_position + Loads::Across(i));
  }

  __device__ __forceinline__ void Load(const typename C::In* lhs, typename C::Index first_product) {
    ConvolutionProduct<C> product = ProductOf<C>(first_product + Loads::Along(0));
#pragma unroll
    for (int i = 0; i < Loads::kCount; ++i) {
      if (i > 0 && !Loads::kSameAlong) product = ProductOf<C>(first_product + Loads::Along(i));
      Wide<typename C::Index> from;
      this->values[i] = {};
      if (FindInput<C>(positions[kOutputPositions == 1 ? 0 : i], product, from)) {
        this->values[i] = LoadLanes<C::kLhsLanes>(lhs + from);
      }
    }
  }
};

template <typename C>
struct ConvolutionRhs : ConvolutionLoads<C, C::kTileN, C::kRhsLanes, C::kRhsAlongProducts> {
  using Loads = ConvolutionLoads<C, C::kTileN, C::kRhsLanes, C::kRhsAlongProducts>;

  __device__ __forceinline__ void Load(const typename C::In* rhs, typename C::Index first_output,
                                       typename C::Index first_product) {
    ConvolutionProduct<C> product = ProductOf<C>(first_product + Loads::Along(0));
#pragma unroll
    for (int i = 0; i < Loads::kCount; ++i) {
      if (i > 0 && !Loads::kSameAlong) product = ProductOf<C>(first_product + Loads::Along(i));
      const typename C::Index n = first_output + Loads::Across(i);
      this->values[i] = {};
      if (product.inside && n < C::kOutputs) {
        const auto from = product.rhs + Wide<typename C::Index>(n * C::kRhsOutputStride);
        this->values[i] = LoadLanes<C::kRhsLanes>(rhs + from);
      }
    }
  }
};

// The sums of one thread: several groups of 4 by 4 adjacent elements of the tile.
template <typename C>
struct ConvolutionSums {
  static constexpr int kRows = C::kTileM / C::kThreadM, kColumns = C::kTileN / C::kThreadN;
  static_assert(kRows * kColumns == C::kThreads, "threads share a tile evenly");

  typename C::Sum at[C::kThreadM][C::kThreadN];

  // The thread's row and column in the tile. Adjacent threads store to adjacent addresses.
  __device__ static int Row() {
    return C::kOutputPositionsInnermost ? int(threadIdx.x) % kRows : int(threadIdx.x) / kColumns;
  }
  __device__ static int Column() {
    return C::kOutputPositionsInnermost ? int(threadIdx.x) / kRows : int(threadIdx.x) % kColumns;
  }
  // In the tile.
  __device__ static int OutputPositionOf(int i) { return (i / 4 * kRows + Row()) * 4 + i % 4; }
  __device__ static int OutputOf(int j) { return (j / 4 * kColumns + Column()) * 4 + j % 4; }

  __device__ __forceinline__ void Add(const typename C::Sum* lhs, const typename C::Sum* rhs) {
#pragma unroll
    for (int k = 0; k < C::kTileK; ++k) {
      typename C::Sum a[C::kThreadM], b[C::kThreadN];
#pragma unroll
      for (int i = 0; i < C::kThreadM; i += 4) {
        const auto lanes = LoadLanes<4>(lhs + k * C::kPitchM + OutputPositionOf(i));
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) a[i + lane] = lanes.at[lane];
      }
#pragma unroll
      for (int j = 0; j < C::kThreadN; j += 4) {
        const auto lanes = LoadLanes<4>(rhs + k * C::kPitchN + OutputOf(j));
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) b[j + lane] = lanes.at[lane];
      }
#pragma unroll
      for (int i = 0; i < C::kThreadM; ++i) {
#pragma unroll
        for (int j = 0; j < C::kThreadN; ++j) at[i][j] = Fma(a[i], b[j], at[i][j]);
      }
    }
  }
};

// The index in the output of element (m, n) of a group.
template <typename C>
__device__ __forceinline__ typename C::Index OutputIndexOf(typename C::Index group,
                                                           typename C::Index m,
                                                           typename C::Index n) {
  using Unsigned = Wide<typename C::Index>;
  typename C::Index to = group * C::kOutGroupStride + n * C::kOutFeatureStride;
  Unsigned rest = Unsigned(m);
#pragma unroll
  for (int d = 3; d >= 0; --d) {
    const auto dim = C::Dim(d);
    to += typename C::Index(d == 0 ? rest : rest % Unsigned(dim.extent)) * dim.out;
    rest /= Unsigned(dim.extent);
  }
  return to;
}

// The index of the sum of element (m, n) of a group among the partial sums of one part.
template <typename C>
__device__ __forceinline__ typename C::Index NumberOf(typename C::Index group, typename C::Index m,
                                                      typename C::Index n) {
  return C::kOutputPositionsInnermost ? (group * C::kOutputs + n) * C::kOutputPositions + m
                             : (group * C::kOutputPositions + m) * C::kOutputs + n;
}

// Computes the convolution, with one block for each tile of each part of the products. `tiles` is
// shared memory. If there is more than one part, the sums are stored to `parts`, else to `out`.
// With C::kPolls the kernel returns early when *cancelled is not 0.
template <typename C>
__device__ __forceinline__ void Convolve(const typename C::In* lhs, const typename C::In* rhs,
                                         typename C::Out* out, typename C::Sum* parts,
                                         typename C::Sum (*tiles)[C::kTileElements],
                                         const volatile int* cancelled) {
  using Index = typename C::Index;
  using Unsigned = Wide<Index>;
  Unsigned rest = Unsigned(blockIdx.x);
  const Index first_output = Index(rest % Unsigned(C::kTilesN)) * C::kTileN;
  rest /= Unsigned(C::kTilesN);
  const Index first_position = Index(rest % Unsigned(C::kTilesM)) * C::kTileM;
  rest /= Unsigned(C::kTilesM);
  const Index group = Index(rest % Unsigned(C::kGroups));
  const Index part = Index(rest / Unsigned(C::kGroups));
  lhs += group * C::kLhsGroupStride;
  rhs += group * C::kRhsGroupStride;
  const Index begin = part * C::kPartProducts;
  const bool is_last = C::kParts == 1 || part == C::kParts - 1;
  const Index end = is_last ? C::kProducts : begin + C::kPartProducts;

  ConvolutionLhs<C> left;
  ConvolutionRhs<C> right;
  ConvolutionSums<C> sums = {};
  left.Begin(first_position);
  left.Load(lhs, begin);
  right.Load(rhs, first_output, begin);
  int now = 0;
  for (Index k = begin; k < end; k += C::kTileK) {
    // Polls every 1024 iterations. All threads of the block must leave the loop together.
    if (C::kPolls && (k - begin) % (C::kTileK * 1024) == 0 && __syncthreads_or(*cancelled != 0)) {
      break;
    }
    typename C::Sum* const tile = tiles[now];
    left.Store(tile, C::kPitchM);
    right.Store(tile + C::kTileK * C::kPitchM, C::kPitchN);
    __syncthreads();
    // Loads the next tiles while these are multiplied.
    if (k + C::kTileK < end) {
      left.Load(lhs, k + C::kTileK);
      right.Load(rhs, first_output, k + C::kTileK);
    }
    sums.Add(tile, tile + C::kTileK * C::kPitchM);
    // Fast threads may already write the other tile, which no thread reads any more.
    now ^= 1;
  }

  using Sums = ConvolutionSums<C>;
#pragma unroll
  for (int i = 0; i < C::kThreadM; ++i) {
    const Index m = first_position + Sums::OutputPositionOf(i);
    if (m >= C::kOutputPositions) continue;
#pragma unroll
    for (int j = 0; j < C::kThreadN; ++j) {
      const Index n = first_output + Sums::OutputOf(j);
      if (n >= C::kOutputs) continue;
      if (C::kParts > 1) {
        parts[part * (C::kGroups * C::kOutputPositions * C::kOutputs) + NumberOf<C>(group, m, n)] =
            sums.at[i][j];
      } else {
        out[OutputIndexOf<C>(group, m, n)] = C::Encoded(sums.at[i][j]);
      }
    }
  }
}

// Adds the partial sums of all parts in order, with one thread for each element of the output.
template <typename C>
__device__ __forceinline__ void AddParts(const typename C::Sum* parts, typename C::Out* out) {
  using Index = typename C::Index;
  using Unsigned = Wide<Index>;
  constexpr Index kElements = C::kGroups * C::kOutputPositions * C::kOutputs;
  const Unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= Unsigned(kElements)) return;
  typename C::Sum sum = parts[number];
#pragma unroll 4
  for (Index part = 1; part < C::kParts; ++part) sum += parts[part * kElements + Index(number)];
  constexpr Unsigned kInner = C::kOutputPositionsInnermost ? C::kOutputPositions : C::kOutputs;
  constexpr Unsigned kOuter = C::kOutputPositionsInnermost ? C::kOutputs : C::kOutputPositions;
  const Index inner = Index(number % kInner), outer = Index(number / kInner % kOuter);
  const Index group = Index(number / kInner / kOuter);
  const Index m = C::kOutputPositionsInnermost ? inner : outer, n = C::kOutputPositionsInnermost ? outer : inner;
  out[OutputIndexOf<C>(group, m, n)] = C::Encoded(sum);
}

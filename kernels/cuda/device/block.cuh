// Reductions and scans over the threads of a thread block. "Lane" is the number of a thread in its
// warp. All functions must be called by all threads of the warp or block.

// The value of the lane that is `distance` higher. (ShuffleUp: `distance` lower.)
__device__ inline f32 ShuffleDown(f32 x, int distance) {
  return __shfl_down_sync(0xffffffffu, x, distance);
}
__device__ inline f64 ShuffleDown(f64 x, int distance) {
  return __shfl_down_sync(0xffffffffu, x, distance);
}
template <typename T>
__device__ T ShuffleDown(T x, int distance) {
  return T(__shfl_down_sync(0xffffffffu, Wide<T>(x), distance));
}

__device__ inline f32 FromFirstLane(f32 x) { return __shfl_sync(0xffffffffu, x, 0); }
__device__ inline f64 FromFirstLane(f64 x) { return __shfl_sync(0xffffffffu, x, 0); }
template <typename T>
__device__ T FromFirstLane(T x) {
  return T(__shfl_sync(0xffffffffu, Wide<T>(x), 0));
}

// Combines one value of each thread of the block, in an order that depends only on the size of the
// block; all threads get the result. `space` is shared memory for 32 values, which may be reused
// after the call.
template <typename Combine, typename T>
__device__ T BlockReduce(T value, Combine combine, u64* space) {
  T* const of_warps = reinterpret_cast<T*>(space);
  for (int distance = 16; distance > 0; distance /= 2) {
    value = combine(value, ShuffleDown(value, distance));
  }
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  // Combines in pairs, as above. The number of warps is a power of two.
  const int warps = int(blockDim.x / 32);
  value = of_warps[threadIdx.x % warps];
  for (int distance = warps / 2; distance > 0; distance /= 2) {
    value = combine(value, ShuffleDown(value, distance));
  }
  value = FromFirstLane(value);
  __syncthreads();
  return value;
}

// Combines one value of each of the threads with the same lane (whose numbers differ by multiples
// of 32), in pairs; all of them get the result. `space` is shared memory for one value of each
// thread of the block, which may be reused after the call.
template <typename Combine, typename T>
__device__ T ColumnReduce(T value, Combine combine, u64* space) {
  T* const of_threads = reinterpret_cast<T*>(space);
  of_threads[threadIdx.x] = value;
  __syncthreads();
  for (u32 distance = blockDim.x / 2; distance >= 32; distance /= 2) {
    if (threadIdx.x < distance) {
      of_threads[threadIdx.x] = combine(of_threads[threadIdx.x], of_threads[threadIdx.x + distance]);
    }
    __syncthreads();
  }
  value = of_threads[threadIdx.x % 32];
  __syncthreads();
  return value;
}

__device__ inline f32 ShuffleUp(f32 x, int distance) {
  return __shfl_up_sync(0xffffffffu, x, distance);
}
__device__ inline f64 ShuffleUp(f64 x, int distance) {
  return __shfl_up_sync(0xffffffffu, x, distance);
}
template <typename T>
__device__ T ShuffleUp(T x, int distance) {
  return T(__shfl_up_sync(0xffffffffu, Wide<T>(x), distance));
}
__device__ inline f32 FromLastLane(f32 x) { return __shfl_sync(0xffffffffu, x, 31); }
__device__ inline f64 FromLastLane(f64 x) { return __shfl_sync(0xffffffffu, x, 31); }
template <typename T>
__device__ T FromLastLane(T x) {
  return T(__shfl_sync(0xffffffffu, Wide<T>(x), 31));
}

// Scans the items of each warp: item k of lane l has position k * 32 + l, and is replaced by the
// combination of all items up to it. Afterwards `of_warps` has the last item of each warp.
template <int kItems, typename Combine, typename T>
__device__ void ScanInWarps(T (&items)[kItems], Combine combine, T* of_warps) {
  const u32 lane = threadIdx.x % 32;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    for (int distance = 1; distance < 32; distance *= 2) {
      const T before = ShuffleUp(items[k], distance);
      if (lane >= u32(distance)) items[k] = combine(before, items[k]);
    }
  }
#pragma unroll
  for (int k = 1; k < kItems; ++k) items[k] = combine(FromLastLane(items[k - 1]), items[k]);
  if (lane == 31) of_warps[threadIdx.x / 32] = items[kItems - 1];
  __syncthreads();
}

// Scans the items of the block: item k of lane l in warp w has position w * 32 * kItems + k * 32 +
// l, and is replaced by the combination of `carry` with all items up to it, in order. `carry`
// becomes the last of these. The grouping of combinations depends only on kItems and the size of
// the block. `space` is shared memory for 32 values, which may be reused after the call.
template <int kItems, typename Combine, typename T>
__device__ void BlockScan(T (&items)[kItems], T& carry, Combine combine, u64* space) {
  T* const of_warps = reinterpret_cast<T*>(space);
  ScanInWarps(items, combine, of_warps);
  const u32 own = threadIdx.x / 32;
  T before = carry;
  for (u32 warp = 0; warp < blockDim.x / 32; ++warp) {
    if (warp == own) before = carry;
    carry = combine(carry, of_warps[warp]);
  }
#pragma unroll
  for (int k = 0; k < kItems; ++k) items[k] = combine(before, items[k]);
  __syncthreads();
}

// As BlockScan, for compensated sums: `lost` has the rounding errors of `carry` (AddCompensated).
template <int kItems, typename T>
__device__ void BlockSums(T (&items)[kItems], T& carry, T& lost, u64* space) {
  T* const of_warps = reinterpret_cast<T*>(space);
  ScanInWarps(items, [](T a, T b) { return a + b; }, of_warps);
  const u32 own = threadIdx.x / 32;
  T before = RoundedSum(carry, lost);
  for (u32 warp = 0; warp < blockDim.x / 32; ++warp) {
    if (warp == own) before = RoundedSum(carry, lost);
    AddCompensated(carry, lost, of_warps[warp]);
  }
#pragma unroll
  for (int k = 0; k < kItems; ++k) items[k] = before + items[k];
  __syncthreads();
}

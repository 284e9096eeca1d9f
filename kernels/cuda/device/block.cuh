// What the threads of one block do together.

__device__ inline f32 FromLaneBelow(f32 x, int distance) {
  return __shfl_down_sync(0xffffffffu, x, distance);
}
__device__ inline f64 FromLaneBelow(f64 x, int distance) {
  return __shfl_down_sync(0xffffffffu, x, distance);
}
template <typename T>
__device__ T FromLaneBelow(T x, int distance) {
  return T(__shfl_down_sync(0xffffffffu, Wide<T>(x), distance));
}

// One value of each thread, combined in an order that depends on the size of the block alone; all
// threads get the result. `space` holds 32 values and is free again when all have left.
template <typename Combine, typename T>
__device__ T BlockReduce(T value, Combine combine, u64* space) {
  T* const of_warps = reinterpret_cast<T*>(space);
  for (int distance = 16; distance > 0; distance /= 2) {
    value = combine(value, FromLaneBelow(value, distance));
  }
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warps[0];
  for (u32 warp = 1; warp < blockDim.x / 32; ++warp) value = combine(value, of_warps[warp]);
  __syncthreads();
  return value;
}

// One value of each thread, combined with those of the threads that are multiples of 32 apart, in
// order; all of these get the result. `space` holds a value for each thread of the block and is
// free again when all have left.
template <typename Combine, typename T>
__device__ T ColumnReduce(T value, Combine combine, u64* space) {
  T* const of_threads = reinterpret_cast<T*>(space);
  of_threads[threadIdx.x] = value;
  __syncthreads();
  u32 at = threadIdx.x % 32;
  value = of_threads[at];
  for (at += 32; at < blockDim.x; at += 32) value = combine(value, of_threads[at]);
  __syncthreads();
  return value;
}

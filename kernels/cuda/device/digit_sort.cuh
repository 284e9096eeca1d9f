// The parts of a digit sort (kernels/ir/build/digit_sort.h): a stable sort of rows of keys by their
// lowest 8 bits. They work with any number of blocks of 256 threads, one for each digit. The large
// functions are not inlined, because they take long to compile, and all kernels of a module can
// share them.

constexpr u32 kDigits = 256;
constexpr u32 kSortWarps = 8;
constexpr u32 kSortItems = 16;   // keys that a thread sorts at a time
constexpr u32 kSortTile = 4096;  // keys that a block sorts at a time
constexpr u32 kAllLanes = 0xffffffffu;

// The sizes, as in kernels::DigitSort. A unit is one tile of one row.
struct DigitSort {
  i64 rows;
  u32 length, tile, tiles;

  __device__ i64 RowOf(i64 unit) const { return unit / tiles; }
  __device__ u32 TileOf(i64 unit) const { return u32(unit % tiles); }
  __device__ u32 EndOf(u32 begin) const { return length - begin < tile ? length : begin + tile; }
  // The index in `starts` of the tiles + 1 numbers of a digit in a row.
  __device__ i64 StartsOf(i64 row, u32 digit) const {
    return (row * kDigits + digit) * (i64(tiles) + 1);
  }
  template <typename Key>
  __device__ static u32 DigitOf(Key key) {
    return u32(key) & (kDigits - 1);
  }
  // The key rotated right by 8 bits.
  template <typename Key>
  __device__ static Key Rotated(Key key) {
    return sizeof(Key) == 1 ? key : Key(key >> 8 | key << (8 * sizeof(Key) - 8));
  }
};

// The sum of the values of all lanes up to this one.
__device__ inline u32 SumOfLanes(u32 value) {
  for (u32 distance = 1; distance < 32; distance *= 2) {
    const u32 below = __shfl_up_sync(kAllLanes, value, distance);
    if (threadIdx.x % 32 >= distance) value += below;
  }
  return value;
}

// The sum of the values of all threads before this one. `of_warps` may be reused after the call.
__device__ inline u32 SumOfThreadsBefore(u32 value, u32* of_warps) {
  const u32 sum = SumOfLanes(value), warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 31) of_warps[warp] = sum;
  __syncthreads();
  u32 before = sum - value;
  for (u32 other = 0; other < warp; ++other) before += of_warps[other];
  __syncthreads();
  return before;
}

// Stores in starts[row][digit][tile] the number of keys of the tile that have the digit; if rows
// have a single tile, what SumDigits would store.
template <typename Key>
__device__ __noinline__ void CountDigits(DigitSort sort, const Key* keys, u32* starts) {
  __shared__ u32 of_warps[kSortWarps][kDigits];
  const u32 digit = threadIdx.x;
  for (i64 unit = blockIdx.x; unit < sort.rows * sort.tiles; unit += gridDim.x) {
    for (u32 warp = 0; warp < kSortWarps; ++warp) of_warps[warp][digit] = 0;
    __syncthreads();
    const u32 begin = sort.TileOf(unit) * sort.tile, end = sort.EndOf(begin);
    const Key* const row = keys + sort.RowOf(unit) * sort.length;
#pragma unroll 4
    for (u32 i = begin + threadIdx.x; i < end; i += kDigits) {
      atomicAdd(&of_warps[threadIdx.x / 32][sort.DigitOf(row[i])], 1u);
    }
    __syncthreads();
    u32 count = 0;
    for (u32 warp = 0; warp < kSortWarps; ++warp) count += of_warps[warp][digit];
    u32* const of_digit = starts + sort.StartsOf(sort.RowOf(unit), digit);
    if (sort.tiles == 1) {
      of_digit[0] = 0;
      of_digit[1] = count;
    } else {
      of_digit[sort.TileOf(unit)] = count;
    }
    __syncthreads();
  }
}

// Replaces starts[row][digit][tile] by the sum of the counts of all earlier tiles, and stores in
// starts[row][digit][tiles] the sum of all. Each warp computes different digits.
__device__ __noinline__ void SumDigits(DigitSort sort, u32* starts) {
  constexpr u32 kLoads = 4;  // loads of a thread in progress at the same time
  const u32 lane = threadIdx.x % 32;
  for (i64 unit = i64(blockIdx.x) * kSortWarps + threadIdx.x / 32; unit < sort.rows * kDigits;
       unit += i64(gridDim.x) * kSortWarps) {
    u32* const of_digit = starts + unit * (i64(sort.tiles) + 1);
    u32 before = 0;
    for (u32 first = lane; first - lane < sort.tiles; first += 32 * kLoads) {
      u32 counts[kLoads];
#pragma unroll
      for (u32 k = 0; k < kLoads; ++k) {
        const u32 tile = first + 32 * k;
        counts[k] = tile < sort.tiles ? of_digit[tile] : 0;
      }
#pragma unroll
      for (u32 k = 0; k < kLoads; ++k) {
        const u32 tile = first + 32 * k, sum = SumOfLanes(counts[k]);
        if (tile < sort.tiles) of_digit[tile] = before + sum - counts[k];
        before += __shfl_sync(kAllLanes, sum, 31);
      }
    }
    if (lane == 0) of_digit[sort.tiles] = before;
  }
}

// A mask of the lanes with `has_one` that have the same digit as this lane.
__device__ inline u32 LanesOfDigit(u32 digit, bool has_one) {
  u32 lanes = __ballot_sync(kAllLanes, has_one);
#pragma unroll
  for (u32 bit = 1; bit < kDigits; bit *= 2) {
    const u32 with_bit = __ballot_sync(kAllLanes, (digit & bit) != 0);
    lanes &= (digit & bit) != 0 ? with_bit : ~with_bit;
  }
  return lanes;
}

// Moves each key, and its value if kHasValues (else Value is u8), to its position in the sorted
// row. A block first sorts a part of its tile in shared memory, so that adjacent threads then store
// to mostly adjacent addresses.
template <bool kHasValues, typename Key, typename Value>
__device__ __noinline__ void MoveByDigit(DigitSort sort, const Key* keys, const Value* values,
                                         Key* sorted_keys, Value* sorted_values,
                                         const u32* starts) {
  constexpr u32 kItemBytes = sizeof(Key) > sizeof(Value) ? sizeof(Key) : sizeof(Value);
  __shared__ u32 of_warps[kSortWarps][kDigits];
  __shared__ u32 bases[kDigits];
  __shared__ u32 sums[kSortWarps];
  // The sorted keys of the part, and afterwards the sorted values.
  __shared__ u64 items[kSortTile * kItemBytes / sizeof(u64)];
  const u32 digit = threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u32 lanes_before = (1u << lane) - 1;
  Key* const key_items = reinterpret_cast<Key*>(items);
  Value* const value_items = reinterpret_cast<Value*>(items);
  // The position in the part of this thread's first item. A warp has consecutive positions: item i
  // of a thread is at own + 32 * i.
  const u32 own = warp * 32 * kSortItems + lane;
  for (i64 unit = blockIdx.x; unit < sort.rows * sort.tiles; unit += gridDim.x) {
    const i64 row = sort.RowOf(unit), at = row * sort.length;
    const u32* const of_digit = starts + sort.StartsOf(row, digit);
    // The position in the sorted row of the next key with this thread's digit.
    u32 next = SumOfThreadsBefore(of_digit[sort.tiles], sums) + of_digit[sort.TileOf(unit)];
    const u32 begin = sort.TileOf(unit) * sort.tile, end = sort.EndOf(begin);
    for (u32 first = begin; first < end; first += kSortTile) {
      const u32 count = end - first < kSortTile ? end - first : kSortTile;
      for (u32 other = 0; other < kSortWarps; ++other) of_warps[other][digit] = 0;
      Key key[kSortItems];
      u32 rank[kSortItems];
#pragma unroll
      for (u32 i = 0; i < kSortItems; ++i) {
        const u32 position = own + 32 * i;
        key[i] = position < count ? keys[at + first + position] : Key(0);
      }
      __syncthreads();
#pragma unroll
      for (u32 i = 0; i < kSortItems; ++i) {
        const bool is_there = own + 32 * i < count;
        const u32 of_key = sort.DigitOf(key[i]);
        const u32 same = LanesOfDigit(of_key, is_there);
        const u32 before = of_warps[warp][of_key];
        __syncwarp();
        if (is_there && (same & lanes_before) == 0) {
          of_warps[warp][of_key] = before + __popc(same);
        }
        __syncwarp();
        rank[i] = before + __popc(same & lanes_before);
      }
      __syncthreads();
      u32 all = 0;
      for (u32 other = 0; other < kSortWarps; ++other) all += of_warps[other][digit];
      u32 start = SumOfThreadsBefore(all, sums);
      bases[digit] = next - start;
      next += all;
      for (u32 other = 0; other < kSortWarps; ++other) {
        const u32 of_warp = of_warps[other][digit];
        of_warps[other][digit] = start;
        start += of_warp;
      }
      __syncthreads();
#pragma unroll
      for (u32 i = 0; i < kSortItems; ++i) {
        if (own + 32 * i >= count) continue;
        rank[i] += of_warps[warp][sort.DigitOf(key[i])];
        key_items[rank[i]] = key[i];
      }
      __syncthreads();
      u32 to[kSortItems];
#pragma unroll
      for (u32 i = 0; i < kSortItems; ++i) {
        const u32 item = threadIdx.x + kDigits * i;
        if (item >= count) continue;
        const Key moved = key_items[item];
        to[i] = bases[sort.DigitOf(moved)] + item;
        sorted_keys[at + to[i]] = sort.Rotated(moved);
      }
      __syncthreads();
      if (!kHasValues) continue;
#pragma unroll
      for (u32 i = 0; i < kSortItems; ++i) {
        const u32 position = own + 32 * i;
        if (position < count) value_items[rank[i]] = values[at + first + position];
      }
      __syncthreads();
#pragma unroll
      for (u32 i = 0; i < kSortItems; ++i) {
        const u32 item = threadIdx.x + kDigits * i;
        if (item < count) sorted_values[at + to[i]] = value_items[item];
      }
      __syncthreads();
    }
  }
}

// Attention of f16 and bf16 with tensor cores (device/mma.cuh).

// The layout in shared memory of rows of kColumns elements of 16 bits; kColumns is a multiple of
// 16. Chunks of eight elements are arranged so that the same chunk of eight adjacent rows is in
// different banks.
template <int kColumns>
struct Tile {
  static constexpr int kChunks = kColumns / 8;
  static constexpr bool kSwizzled = kChunks % 8 == 0;
  static constexpr int kStride = kSwizzled ? kChunks : kChunks + 1;

  __device__ static int At(int row, int chunk) {
    return row * kStride + (kSwizzled ? chunk ^ (row & 7) : chunk);
  }
};

// Loads rows [first, first + kRows) of an operand, which has `rows` rows of kWidth elements, into a
// tile; the rest is filled with zeros. Copies may be asynchronous; the caller commits the group.
template <typename Operand, int kRows, int kWidth, int kColumns>
__device__ void LoadTile(Chunk* tile, const u16* from, i64 first, i64 rows) {
  using At = Tile<kColumns>;
  if constexpr (Operand::kAligned && kWidth % 8 == 0) {
    for (int i = threadIdx.x; i < kRows * At::kChunks; i += blockDim.x) {
      const int row = i / At::kChunks, chunk = i % At::kChunks;
      const bool exists = first + row < rows && chunk * 8 < kWidth;
      CopyAsync(&tile[At::At(row, chunk)],
                exists ? from + (first + row) * Operand::kRow + chunk * 8 : from, exists);
    }
  } else {
    // Adjacent threads read adjacent elements in memory.
    constexpr bool kAlongRows = Operand::kColumn != 1 && Operand::kRow == 1;
    for (int i = threadIdx.x; i < kRows * kColumns; i += blockDim.x) {
      const int row = kAlongRows ? i % kRows : i / kColumns;
      const int column = kAlongRows ? i / kRows : i % kColumns;
      u16 element = 0;
      if (first + row < rows && column < kWidth) {
        element = from[(first + row) * Operand::kRow + column * Operand::kColumn];
      }
      reinterpret_cast<u16*>(&tile[At::At(row, column / 8)])[column % 8] = element;
    }
  }
}

__device__ constexpr int Larger(int a, int b) { return a < b ? b : a; }

template <typename A>
struct TensorSizes {
  static constexpr int kThreads = 32 * A::kRowWarps * A::kKeyWarps;
  static constexpr int kRows = 16 * A::kRowWarps;                 // queries of a thread block
  static constexpr int kKeys = A::kBlockKeys;                     // keys of a step
  static constexpr int kWarpKeys = A::kBlockKeys / A::kKeyWarps;  // keys of a warp in a step
  static constexpr int kDepth = (A::kDepth + 15) / 16 * 16;
  static constexpr int kFeatures = (A::kFeatures + 15) / 16 * 16;
  // Whether the queries are kept in registers rather than in shared memory.
  static constexpr bool kKeepsQueries = kDepth <= 128;
  static constexpr int kQueryChunks = kRows * Tile<kDepth>::kStride;
  static constexpr int kKeyChunks = kKeys * Tile<kDepth>::kStride;
  static constexpr int kValueChunks = kKeys * Tile<kFeatures>::kStride;
  // For MergeWarps: the output sums of all rows, and the maximum and the sum of each row and warp.
  static constexpr int kMergeChunks =
      A::kKeyWarps == 1 ? 0 : kRows * kFeatures / 4 + A::kKeyWarps * kRows / 2;
  static constexpr int kChunks =
      Larger(kMergeChunks, kKeepsQueries ? Larger(kQueryChunks, kKeyChunks + kValueChunks)
                                         : kQueryChunks + kKeyChunks + kValueChunks);
};

template <typename A>
__device__ void TensorProduct(f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  if constexpr (A::kIsBF16) {
    MmaBF16(c, a, b0, b1);
  } else {
    MmaF16(c, a, b0, b1);
  }
}

template <typename A>
__device__ u32 PackPair(f32 low, f32 high) {
  return A::kIsBF16 ? PackBF16(low, high) : PackF16(low, high);
}

// Reductions over the four lanes that share a row; every lane gets the result.
__device__ inline f32 RowMax(f32 x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
__device__ inline f32 RowSum(f32 x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

// A warp's running results for its 16 queries. Lane l has rows l / 4 and l / 4 + 8.
template <typename A>
struct WarpRows {
  using S = TensorSizes<A>;
  f32 picked[S::kFeatures / 8][4] = {};  // weighted sums of the values
  f32 largest[2] = {-Infinity(), -Infinity()};
  f32 sum[2] = {};  // of the exponentials for this lane's keys

  // Updates the results for the scores of kWarpKeys more keys, and replaces the scores by their
  // exponentials.
  __device__ void Take(f32 (&scores)[S::kWarpKeys / 8][4]) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      f32 more = largest[r];
#pragma unroll
      for (int n = 0; n < S::kWarpKeys / 8; ++n) {
        more = fmaxf(more, fmaxf(scores[n][2 * r], scores[n][2 * r + 1]));
      }
      more = RowMax(more);
      const f32 subtrahend = Subtrahend(more);
      Scale(r, __expf(largest[r] - subtrahend));
      largest[r] = more;
#pragma unroll
      for (int n = 0; n < S::kWarpKeys / 8; ++n) {
#pragma unroll
        for (int i = 2 * r; i < 2 * r + 2; ++i) {
          scores[n][i] = __expf(scores[n][i] - subtrahend);
          sum[r] += scores[n][i];
        }
      }
    }
  }

  // Multiplies the sums of row r by a factor, when its maximum has changed.
  __device__ void Scale(int r, f32 factor) {
    sum[r] *= factor;
#pragma unroll
    for (int f = 0; f < S::kFeatures / 8; ++f) {
      picked[f][2 * r] *= factor;
      picked[f][2 * r + 1] *= factor;
    }
  }
};

// Combines the results of the warps that share rows, in the warp with key_warp 0. All threads of
// the block must call it.
template <typename A>
__device__ void MergeWarps(WarpRows<A>& mine, Chunk* space, int row_warp, int key_warp) {
  using S = TensorSizes<A>;
  const int lane = threadIdx.x % 32;
  f32* const features = reinterpret_cast<f32*>(space);
  f32* const largest = features + S::kRows * S::kFeatures;  // [key_warp][row]
  f32* const sums = largest + A::kKeyWarps * S::kRows;
  for (int r = 0; r < 2; ++r) {
    const int row = 16 * row_warp + lane / 4 + 8 * r;
    mine.sum[r] = RowSum(mine.sum[r]);
    if (lane % 4 == 0) {
      largest[key_warp * S::kRows + row] = mine.largest[r];
      sums[key_warp * S::kRows + row] = mine.sum[r];
    }
  }
  __syncthreads();
  for (int r = 0; r < 2; ++r) {
    const int row = 16 * row_warp + lane / 4 + 8 * r;
    f32 all = -Infinity(), sum = 0;
    for (int w = 0; w < A::kKeyWarps; ++w) all = fmaxf(all, largest[w * S::kRows + row]);
    const f32 subtrahend = Subtrahend(all);
    for (int w = 0; w < A::kKeyWarps; ++w) {
      sum += sums[w * S::kRows + row] * __expf(largest[w * S::kRows + row] - subtrahend);
    }
    mine.Scale(r, __expf(mine.largest[r] - subtrahend));
    mine.sum[r] = sum;
    mine.largest[r] = all;
  }
  // One warp after the other, so that the order of the summation is always the same.
  for (int w = A::kKeyWarps - 1; w >= 0; --w) {
#pragma unroll
    for (int f = 0; f < S::kFeatures / 8; ++f) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = 16 * row_warp + lane / 4 + 8 * (i / 2);
        f32& at = features[row * S::kFeatures + 8 * f + 2 * (lane % 4) + i % 2];
        if (key_warp != w) continue;
        if (w < A::kKeyWarps - 1) mine.picked[f][i] += at;
        if (w > 0) at = mine.picked[f][i];
      }
    }
    __syncthreads();
  }
}

template <typename A>
__device__ void StoreRows(const WarpRows<A>& rows, typename A::Output::Type* out, i64 first_row) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const i64 row = first_row + lane / 4 + 8 * r;
    if (row >= A::kQueries) continue;
    const f32 factor = 1 / rows.sum[r];
#pragma unroll
    for (int f = 0; f < (A::kFeatures + 7) / 8; ++f) {
      const int column = 8 * f + 2 * (lane % 4);
      const f32 low = rows.picked[f][2 * r] * factor, high = rows.picked[f][2 * r + 1] * factor;
      typename A::Output::Type* const at =
          out + row * A::Output::kRow + column * A::Output::kColumn;
      if constexpr (A::Output::kAligned && A::kFeatures % 2 == 0) {
        if (column < A::kFeatures) StoreLanes(at, A::OutputPair(low, high));
      } else {
        const Lanes<typename A::Output::Type, 2> pair = A::OutputPair(low, high);
        if (column < A::kFeatures) at[0] = pair.at[0];
        if (column + 1 < A::kFeatures) at[A::Output::kColumn] = pair.at[1];
      }
    }
  }
}

// The work of one thread block: kRows queries of one batch index. The pointers are to the first
// elements for that batch index; `space` is shared memory of TensorSizes<A>::kChunks.
template <typename A>
__device__ void TensorAttention(const u16* query, const u16* key, const u16* value,
                                const typename A::Bias::Type* bias, const bool* mask0,
                                const bool* mask1, typename A::Output::Type* out,
                                const volatile int* cancelled, i64 row_block, Chunk* space) {
  using S = TensorSizes<A>;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row_warp = warp % A::kRowWarps, key_warp = warp / A::kRowWarps;
  const i64 first_row = row_block * S::kRows;
  Chunk* const queries = space;
  Chunk* const keys = S::kKeepsQueries ? space : space + S::kQueryChunks;
  Chunk* const values = keys + S::kKeyChunks;

  LoadTile<typename A::Query, S::kRows, A::kDepth, S::kDepth>(queries, query, first_row,
                                                              A::kQueries);
  CommitCopies();
  WaitForCopies<0>();
  __syncthreads();
  constexpr int kSteps = S::kDepth / 16;
  u32 a[S::kKeepsQueries ? kSteps : 1][4];
  const auto load_query = [&](u32(&to)[4], int step) {
    LoadMatrices(to,
                 &queries[Tile<S::kDepth>::At(16 * row_warp + lane % 16, 2 * step + lane / 16)]);
  };
  if constexpr (S::kKeepsQueries) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) load_query(a[step], step);
    __syncthreads();
  }

  const i64 row = first_row + 16 * row_warp + lane / 4;
  const ScoreRow<A> of_rows[2] = {ScoreRow<A>(row, bias, mask0, mask1),
                                  ScoreRow<A>(row + 8, bias, mask0, mask1)};
  const bool exists[2] = {row < A::kQueries, row + 8 < A::kQueries};
  WarpRows<A> rows;
  const auto visit = [&](i64 begin, i64 end) {
    const auto load_keys = [&](i64 block) {
      if (block < end) {
        LoadTile<typename A::Key, S::kKeys, A::kDepth, S::kDepth>(keys, key, block * S::kKeys,
                                                                  A::kKeys);
      }
      CommitCopies();
    };
    load_keys(begin);
    for (i64 block = begin; block < end; ++block) {
      if (Stops<A>(block - begin, cancelled)) break;
      LoadTile<typename A::Value, S::kKeys, A::kFeatures, S::kFeatures>(values, value,
                                                                        block * S::kKeys, A::kKeys);
      CommitCopies();
      WaitForCopies<1>();
      __syncthreads();
      f32 scores[S::kWarpKeys / 8][4] = {};
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        if constexpr (!S::kKeepsQueries) load_query(a[0], step);
        const u32(&query_part)[4] = a[S::kKeepsQueries ? step : 0];
#pragma unroll
        for (int n = 0; n < S::kWarpKeys / 16; ++n) {
          u32 b[4];
          LoadMatrices(
              b,
              &keys[Tile<S::kDepth>::At(key_warp * S::kWarpKeys + 16 * n + lane % 8 + lane / 16 * 8,
                                        2 * step + lane / 8 % 2)]);
          TensorProduct<A>(scores[2 * n], query_part, b[0], b[1]);
          TensorProduct<A>(scores[2 * n + 1], query_part, b[2], b[3]);
        }
      }
      __syncthreads();
      load_keys(block + 1);

      const i64 first_key = block * S::kKeys + key_warp * S::kWarpKeys + 2 * (lane % 4);
#pragma unroll
      for (int n = 0; n < S::kWarpKeys / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          scores[n][i] = of_rows[i / 2].Finish(first_key + 8 * n + i % 2, scores[n][i]);
        }
      }
      rows.Take(scores);

      WaitForCopies<1>();
      __syncthreads();
#pragma unroll
      for (int k = 0; k < S::kWarpKeys / 16; ++k) {
        const u32 p[4] = {PackPair<A>(scores[2 * k][0], scores[2 * k][1]),
                          PackPair<A>(scores[2 * k][2], scores[2 * k][3]),
                          PackPair<A>(scores[2 * k + 1][0], scores[2 * k + 1][1]),
                          PackPair<A>(scores[2 * k + 1][2], scores[2 * k + 1][3])};
#pragma unroll
        for (int f = 0; f < S::kFeatures / 16; ++f) {
          u32 b[4];
          LoadMatricesTransposed(
              b, &values[Tile<S::kFeatures>::At(key_warp * S::kWarpKeys + 16 * k + lane % 16,
                                                2 * f + lane / 16)]);
          TensorProduct<A>(rows.picked[2 * f], p, b[0], b[1]);
          TensorProduct<A>(rows.picked[2 * f + 1], p, b[2], b[3]);
        }
      }
      __syncthreads();
    }
    WaitForCopies<0>();
  };
  VisitKeys(KeyBlocks<A, S::kKeys>(first_row, first_row + S::kRows), rows.largest, exists, 2,
            visit);
  if constexpr (A::kKeyWarps > 1) {
    __syncthreads();
    MergeWarps(rows, space, row_warp, key_warp);
  } else {
    rows.sum[0] = RowSum(rows.sum[0]);
    rows.sum[1] = RowSum(rows.sum[1]);
  }
  if (key_warp == 0) StoreRows(rows, out, first_row + 16 * row_warp);
}

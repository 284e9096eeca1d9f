// Attention of f32 in full precision. The 16 threads of a half warp share some queries: each thread
// has every 16th key of a block of keys, and every 16th group of features.

// The distance in shared memory of rows of `columns` floats: an odd number of chunks of 16 bytes,
// so that adjacent rows begin in different banks.
__device__ constexpr int OddStride(int columns) { return (columns / 4 | 1) * 4; }

template <typename A>
struct FullSizes {
  static constexpr int kGroups = 8;  // half warps
  static constexpr int kThreads = 16 * kGroups;
  static constexpr int kRowsOfThread = A::kRowsOfThread;
  static constexpr int kRows = kGroups * kRowsOfThread;
  static constexpr int kKeys = A::kBlockKeys;
  static constexpr int kKeysOfThread = kKeys / 16;
  static constexpr int kDepth = (A::kDepth + 3) / 4 * 4;
  static constexpr int kFeatures = (A::kFeatures + 15) / 16 * 16;
  // The number of adjacent features in a group.
  static constexpr int kWidth = kFeatures % 64 == 0 ? 4 : kFeatures % 32 == 0 ? 2 : 1;
  static constexpr int kParts = kFeatures / 16 / kWidth;
  static constexpr int kDepthStride = OddStride(kDepth), kFeatureStride = OddStride(kFeatures);
  static constexpr int kScoreStride = OddStride(kKeys);
  static constexpr int kQueryFloats = kRows * kDepthStride;
  // The same shared memory has a block's keys first and its values afterwards.
  static constexpr int kKeyFloats =
      kKeys * (kDepthStride > kFeatureStride ? kDepthStride : kFeatureStride);
  static constexpr int kChunks = (kQueryFloats + kKeyFloats + kRows * kScoreStride) / 4;
};

// Loads rows [first, first + kRows) of an operand, which has `rows` rows of kWidth elements, to
// shared memory with kColumns columns and kStride floats between rows; the rest is filled with
// zeros.
template <typename Operand, int kRows, int kWidth, int kColumns, int kStride>
__device__ void LoadFloats(f32* to, const f32* from, i64 first, i64 rows) {
  if constexpr (Operand::kAligned && kWidth % 4 == 0) {
    constexpr int kChunks = kColumns / 4;
    for (int i = threadIdx.x; i < kRows * kChunks; i += blockDim.x) {
      const int row = i / kChunks, column = i % kChunks * 4;
      Lanes<f32, 4> lanes = {};
      if (first + row < rows && column < kWidth) {
        lanes = LoadLanes<4>(from + (first + row) * Operand::kRow + column);
      }
      StoreLanes(to + row * kStride + column, lanes);
    }
  } else {
    constexpr bool kAlongRows = Operand::kColumn != 1 && Operand::kRow == 1;
    for (int i = threadIdx.x; i < kRows * kColumns; i += blockDim.x) {
      const int row = kAlongRows ? i % kRows : i / kColumns;
      const int column = kAlongRows ? i / kRows : i % kColumns;
      f32 element = 0;
      if (first + row < rows && column < kWidth) {
        element = from[(first + row) * Operand::kRow + column * Operand::kColumn];
      }
      to[row * kStride + column] = element;
    }
  }
}

// Reductions over the 16 threads of a half warp; every thread gets the result.
__device__ inline f32 HalfWarpMax(f32 x) {
  for (int distance = 8; distance > 0; distance /= 2) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, distance));
  }
  return x;
}
__device__ inline f32 HalfWarpSum(f32 x) {
  for (int distance = 8; distance > 0; distance /= 2) {
    x += __shfl_xor_sync(0xffffffffu, x, distance);
  }
  return x;
}

// The work of one thread block: kRows queries of one batch index. The pointers are to the first
// elements for that batch index; `space` is shared memory of FullSizes<A>::kChunks.
template <typename A>
__device__ void FullAttention(const f32* query, const f32* key, const f32* value,
                              const typename A::Bias::Type* bias, const bool* mask0,
                              const bool* mask1, typename A::Output::Type* out,
                              const volatile int* cancelled, i64 row_block, Chunk* space) {
  using S = FullSizes<A>;
  const int group = threadIdx.x / 16, lane = threadIdx.x % 16;
  const i64 first_row = row_block * S::kRows;
  f32* const queries = reinterpret_cast<f32*>(space);
  f32* const keys = queries + S::kQueryFloats;
  f32* const probabilities = keys + S::kKeyFloats;
  LoadFloats<typename A::Query, S::kRows, A::kDepth, S::kDepth, S::kDepthStride>(
      queries, query, first_row, A::kQueries);

  f32 picked[S::kRowsOfThread][S::kParts * S::kWidth] = {};
  f32 largest[S::kRowsOfThread], sum[S::kRowsOfThread] = {};
  bool exists[S::kRowsOfThread];
#pragma unroll
  for (int i = 0; i < S::kRowsOfThread; ++i) {
    largest[i] = -Infinity();
    exists[i] = first_row + group + S::kGroups * i < A::kQueries;
  }
  const auto visit = [&](i64 begin, i64 end) {
    for (i64 block = begin; block < end; ++block) {
      if (Stops<A>(block - begin, cancelled)) break;
      const i64 first_key = block * S::kKeys;
      LoadFloats<typename A::Key, S::kKeys, A::kDepth, S::kDepth, S::kDepthStride>(
          keys, key, first_key, A::kKeys);
      __syncthreads();
      f32 scores[S::kRowsOfThread][S::kKeysOfThread] = {};
#pragma unroll 4
      for (int d = 0; d < S::kDepth; d += 4) {
        Lanes<f32, 4> k[S::kKeysOfThread];
#pragma unroll
        for (int j = 0; j < S::kKeysOfThread; ++j) {
          k[j] = LoadLanes<4>(keys + (lane + 16 * j) * S::kDepthStride + d);
        }
#pragma unroll
        for (int i = 0; i < S::kRowsOfThread; ++i) {
          const Lanes<f32, 4> q =
              LoadLanes<4>(queries + (group + S::kGroups * i) * S::kDepthStride + d);
#pragma unroll
          for (int j = 0; j < S::kKeysOfThread; ++j) {
#pragma unroll
            for (int e = 0; e < 4; ++e) scores[i][j] = Fma(q.at[e], k[j].at[e], scores[i][j]);
          }
        }
      }
#pragma unroll
      for (int i = 0; i < S::kRowsOfThread; ++i) {
        const int row = group + S::kGroups * i;
        const ScoreRow<A> of_row(first_row + row, bias, mask0, mask1);
        f32 more = largest[i];
#pragma unroll
        for (int j = 0; j < S::kKeysOfThread; ++j) {
          scores[i][j] = of_row.Finish(first_key + lane + 16 * j, scores[i][j]);
          more = fmaxf(more, scores[i][j]);
        }
        more = HalfWarpMax(more);
        const f32 subtrahend = Subtrahend(more);
        const f32 factor = expf(largest[i] - subtrahend);
        largest[i] = more;
        sum[i] *= factor;
#pragma unroll
        for (int c = 0; c < S::kParts * S::kWidth; ++c) picked[i][c] *= factor;
#pragma unroll
        for (int j = 0; j < S::kKeysOfThread; ++j) {
          const f32 p = expf(scores[i][j] - subtrahend);
          sum[i] += p;
          probabilities[row * S::kScoreStride + lane + 16 * j] = p;
        }
      }
      __syncthreads();
      LoadFloats<typename A::Value, S::kKeys, A::kFeatures, S::kFeatures, S::kFeatureStride>(
          keys, value, first_key, A::kKeys);
      __syncthreads();
#pragma unroll 2
      for (int k = 0; k < S::kKeys; k += 4) {
        Lanes<f32, 4> p[S::kRowsOfThread];
#pragma unroll
        for (int i = 0; i < S::kRowsOfThread; ++i) {
          p[i] = LoadLanes<4>(probabilities + (group + S::kGroups * i) * S::kScoreStride + k);
        }
#pragma unroll
        for (int e = 0; e < 4; ++e) {
#pragma unroll
          for (int part = 0; part < S::kParts; ++part) {
            const auto v = LoadLanes<S::kWidth>(keys + (k + e) * S::kFeatureStride +
                                                (16 * part + lane) * S::kWidth);
#pragma unroll
            for (int i = 0; i < S::kRowsOfThread; ++i) {
#pragma unroll
              for (int w = 0; w < S::kWidth; ++w) {
                f32& at = picked[i][part * S::kWidth + w];
                at = Fma(p[i].at[e], v.at[w], at);
              }
            }
          }
        }
      }
      __syncthreads();
    }
  };
  VisitKeys(KeyBlocks<A, S::kKeys>(first_row, first_row + S::kRows), largest, exists,
            S::kRowsOfThread, visit);
#pragma unroll
  for (int i = 0; i < S::kRowsOfThread; ++i) {
    const f32 factor = 1 / HalfWarpSum(sum[i]);
    const i64 row = first_row + group + S::kGroups * i;
    if (!exists[i]) continue;
#pragma unroll
    for (int c = 0; c < S::kParts * S::kWidth; ++c) {
      const int column = (16 * (c / S::kWidth) + lane) * S::kWidth + c % S::kWidth;
      if (column >= A::kFeatures) continue;
      out[row * A::Output::kRow + column * A::Output::kColumn] =
          A::OutputPair(picked[i][c] * factor, 0).at[0];
    }
  }
}

// What all kernels of attention share. `A` describes one attention (attention.cc writes it): its
// sizes, and for each operand a struct with Row and Column strides, whether it is aligned, and
// Offset, where an element of the batch begins. After the algorithm of FlashAttention-2 (Dao,
// arXiv:2307.08691): scores are made a block of keys at a time and leave only their maximum, the
// sum of their exponentials, and what values they have picked.

struct alignas(16) Chunk {
  u32 words[4];
};

__device__ inline f32 Infinity() { return Bitcast<f32>(0x7f800000u); }

// What is the same for all scores of a query. Rows past the last query are as the last one.
template <typename A>
struct ScoreRow {
  const typename A::Bias::Type* bias;
  const bool* masks[2];
  i64 first_key, last_key;

  __device__ ScoreRow(i64 row, const typename A::Bias::Type* batch_bias, const bool* batch_mask0,
                      const bool* batch_mask1) {
    row = row < A::kQueries ? row : A::kQueries - 1;
    bias = batch_bias + row * A::Bias::kRow;
    masks[0] = batch_mask0 + row * A::Mask0::kRow;
    masks[1] = batch_mask1 + row * A::Mask1::kRow;
    first_key = A::kFirstKeyStep * row + A::kFirstKey;
    last_key = A::kLastKeyStep * row + A::kLastKey;
  }

  // The score of a key; -infinity past the last one.
  __device__ f32 Finish(i64 key, f32 product) const {
    if (key >= A::kKeys) return -Infinity();
    f32 score = product * A::Scale();
    if constexpr (A::kHasBias) {
      score = A::RoundScore(score + A::BiasValue(bias[key * A::Bias::kColumn]));
    }
    bool keeps = true;
    if constexpr (A::kHasFirstKey) keeps = key >= first_key;
    if constexpr (A::kHasLastKey) keeps = keeps && key <= last_key;
    if constexpr (A::kMasks > 0) {
      keeps = keeps && masks[0][key * A::Mask0::kColumn] == A::Mask0::kKeepsWhen;
    }
    if constexpr (A::kMasks > 1) {
      keeps = keeps && masks[1][key * A::Mask1::kColumn] == A::Mask1::kKeepsWhen;
    }
    return keeps ? score : A::Fill();
  }
};

// Blocks of keys that have to be looked at for queries [first_row, end_row): the others have no
// key that keeps its score.
template <typename A, int kBlockKeys>
struct KeyBlocks {
  static constexpr i64 kAll = (A::kKeys + kBlockKeys - 1) / kBlockKeys;
  i64 begin = 0, end = kAll;

  __device__ KeyBlocks(i64 first_row, i64 end_row) {
    end_row = end_row < A::kQueries ? end_row : A::kQueries;
    if constexpr (A::kHasLastKey) {
      const i64 last = A::kLastKeyStep * (end_row - 1) + A::kLastKey;
      end = last < 0 ? 0 : last / kBlockKeys + 1;
      if (end > kAll) end = kAll;
    }
    if constexpr (A::kHasFirstKey) {
      const i64 first = A::kFirstKeyStep * first_row + A::kFirstKey;
      begin = first < 0 ? 0 : first / kBlockKeys;
      if (begin > end) begin = end;
    }
  }
};

// Whether a row with this maximum has something of keys that only have the fill: where exp(fill -
// largest) is 0 it has not.
template <typename A>
__device__ bool NeedsFilledKeys(f32 largest) {
  return !(A::Fill() - largest < -104.0f);
}

// Whether to stop before the step, which is asked now and then. All threads of the block.
template <typename A>
__device__ bool Stops(i64 step, const volatile int* cancelled) {
  if constexpr (A::kPolls) {
    return step % 1024 == 0 && __syncthreads_or(*cancelled != 0);
  } else {
    return false;
  }
}

// The maximum as what is subtracted: of a row without any score yet, 0.
__device__ inline f32 Subtrahend(f32 largest) { return largest == -Infinity() ? 0.0f : largest; }

// The same for queries that need the other blocks, too. All threads of the block.
template <typename A, int kBlockKeys, typename Visit>
__device__ void VisitKeys(const KeyBlocks<A, kBlockKeys>& blocks, const f32* largest,
                          const bool* exists, int rows, Visit visit) {
  visit(blocks.begin, blocks.end);
  if constexpr ((A::kHasFirstKey || A::kHasLastKey) && A::kFillIsFinite) {
    bool needs_more = false;
    for (int i = 0; i < rows; ++i) {
      needs_more = needs_more || (exists[i] && NeedsFilledKeys<A>(largest[i]));
    }
    if (__syncthreads_or(needs_more)) {
      visit(0, blocks.begin);
      visit(blocks.end, blocks.kAll);
    }
  }
}

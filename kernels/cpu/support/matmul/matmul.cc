#include "kernels/cpu/support/matmul/matmul.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/cpu_matmul.h"
#include "kernels/cpu/support/matmul/element_rows.h"
#include "kernels/cpu/support/matmul/matmul_blocks.h"
#include "kernels/cpu/support/matmul/matmul_primitives.h"
#include "kernels/cpu/support/matmul/tiled_matmul.h"
#include "kernels/cpu/support/parallel_for.h"
#include "kernels/cpu/support/poll.h"
#include "kernels/cpu/support/result.h"
#include "kernels/cpu/support/scratchpad.h"

namespace acceld::kernels::cpu {
namespace {

// Copies rows [first, first + rows) of a block of the output, whose columns begin at `column`, to
// the other side of the diagonal, where they are columns. Works in squares, so that both sides stay
// in the first-level cache.
template <typename T>
void Mirror(T* out, int64_t stride, int64_t first, int64_t rows, int64_t column, int64_t columns) {
  constexpr int64_t kSquare = 16;
  for (int64_t r = 0; r < rows; r += kSquare) {
    const int64_t height = std::min(kSquare, rows - r);
    for (int64_t c = 0; c < columns; c += kSquare) {
      const int64_t width = std::min(kSquare, columns - c);
      const T* from = out + (first + r) * stride + column + c;
      T* to = out + (column + c) * stride + first + r;
      for (int64_t j = 0; j < width; ++j) {
        for (int64_t i = 0; i < height; ++i) to[j * stride + i] = from[i * stride + j];
      }
    }
  }
}

struct Task {
  const LaunchContext* context;
  MatmulKey key;
  const MatmulBlocks* blocks;
  bool is_gram;
  const char* lhs;
  const char* rhs;
  char* out;
};

void MirrorBlock(const Task& task, const MatmulBlock& block) {
  const int64_t n = task.key[MatmulKey::kN];
  const int64_t first = block.row > block.column ? block.row : block.column + block.columns;
  const int64_t rows = block.row + block.rows - first;
  const int64_t begin = block.first_batch * n * n;
  if (ir::StorageBytesOf(task.key.output_dtype()) == 2) {
    Mirror(reinterpret_cast<uint16_t*>(task.out) + begin, n, first, rows, block.column,
           block.columns);
  } else {
    Mirror(reinterpret_cast<uint32_t*>(task.out) + begin, n, first, rows, block.column,
           block.columns);
  }
}

// The type of incomplete sums.
ir::DType SumType(ir::DType output) {
  return output == ir::DType::kI32 ? ir::DType::kI32 : ir::DType::kF32;
}

// Rounds sums to the elements of a block.
void StoreSums(const Task& task, const MatmulBlock& block, const float* sums, char* out) {
  const int64_t n = task.key[MatmulKey::kN];
  const ir::DType dtype = task.key.output_dtype();
  for (int64_t row = 0; row < block.rows; ++row) {
    RoundRow(dtype, sums + row * block.columns, block.columns,
             out + row * n * ir::StorageBytesOf(dtype));
  }
}

// Adds `part` to the unrounded sum `high` + `low` (Knuth, The Art of Computer Programming, volume
// 2, section 4.2.2, theorem B).
void AddCompensated(int64_t count, const float* part, float* high, float* low) {
  for (int64_t i = 0; i < count; ++i) {
    const float sum = high[i] + part[i], of_part = sum - high[i], of_high = sum - of_part;
    low[i] += (high[i] - of_high) + (part[i] - of_part);
    high[i] = sum;
  }
}

// Adds the rounding errors `low` to sums. For infinities and NaN, the rounding error is
// meaningless.
void Round(int64_t count, const float* low, float* high) {
  for (int64_t i = 0; i < count; ++i) high[i] = std::isfinite(high[i]) ? high[i] + low[i] : high[i];
}

// Memory for compensated sums of a block, which take several calls of the library.
class BlockSums {
 public:
  // Reserves memory for the results of one call, and for the rounding errors; `size` elements each.
  absl::Status Reserve(int64_t size) {
    part_ = static_cast<float*>(memory().Reserve(2 * size * sizeof(float)));
    if (part_ == nullptr) return absl::ResourceExhaustedError("matmul: no memory for its sums");
    low_ = part_ + size;
    std::fill_n(low_, size, 0.0F);
    return absl::OkStatus();
  }
  float* part() { return part_; }
  float* low() { return low_; }

 private:
  static Scratchpad& memory() {
    thread_local Scratchpad memory;
    return memory;
  }

  float* part_ = nullptr;
  float* low_ = nullptr;
};

absl::Status ComputeBlock(const Task& task, const MatmulBlock& block) {
  const MatmulKey& key = task.key;
  const int64_t m = key[MatmulKey::kM], n = key[MatmulKey::kN], k = key[MatmulKey::kK];
  const int64_t step = task.blocks->depth_step();
  const int64_t in_bytes = ir::StorageBytesOf(key.input_dtype());
  const int64_t out_bytes = ir::StorageBytesOf(key.output_dtype());
  const int64_t lhs = block.first_batch * key.lhs_stride(0) + block.row * key.lhs_stride(1);
  const int64_t rhs = block.first_batch * key.rhs_stride(0) + block.column * key.rhs_stride(2);
  char* const out =
      task.out + (block.first_batch * m * n + block.row * n + block.column) * out_bytes;
  if (IsTiledMatmul(key) && block.columns == n) {
    return RunTiledMatmul(*task.context, key, block, reinterpret_cast<const float*>(task.lhs) + lhs,
                          reinterpret_cast<const float*>(task.rhs) + rhs,
                          reinterpret_cast<float*>(out));
  }

  MatmulKey part = key;
  part.fields[MatmulKey::kBatch] = block.batches;
  part.fields[MatmulKey::kM] = block.rows;
  part.fields[MatmulKey::kN] = block.columns;
  const MatmulOutput whole{.batch_stride = m * n, .row_stride = n};
  const MatmulOutput separate{.batch_stride = block.rows * block.columns,
                              .row_stride = block.columns};
  MatmulOutput layout = whole;
  char* sums = out;
  thread_local Scratchpad sum_memory;
  const bool is_rounded = step < k && SumType(key.output_dtype()) != key.output_dtype();
  if (is_rounded) {
    part.fields[MatmulKey::kOutputDtype] = static_cast<int64_t>(SumType(key.output_dtype()));
    layout = separate;
    sums = static_cast<char*>(sum_memory.Reserve(block.rows * block.columns * sizeof(float)));
    if (sums == nullptr) return absl::ResourceExhaustedError("matmul: no memory for its sums");
  }
  // Sums of many short parts are compensated sums.
  const bool is_exact =
      task.blocks->adds_short_sums() && SumType(key.output_dtype()) == ir::DType::kF32;
  BlockSums exact;
  if (is_exact) {
    ACCELD_RETURN_IF_ERROR(exact.Reserve(block.batches * block.rows * block.columns));
  }
  const auto for_rows = [&](const auto& visit) {
    float* const to = reinterpret_cast<float*>(sums);
    for (int64_t row = 0; row < block.batches * block.rows; ++row) {
      visit(row * block.columns,
            to + row / block.rows * layout.batch_stride + row % block.rows * layout.row_stride);
    }
  };
  for (int64_t first = 0; first < k; first += step) {
    if (first > 0 && Poll(*task.context) != static_cast<int32_t>(CodeStatus::kOk)) {
      return absl::CancelledError("");
    }
    part.fields[MatmulKey::kK] = std::min(step, k - first);
    const bool is_separate = is_exact && first > 0;
    MatmulOutput target = is_separate ? separate : layout;
    target.accumulate = first > 0 && !is_exact;
    ACCELD_ASSIGN_OR_RETURN(const auto primitive, FindMatmulPrimitive(*task.context, part, target));
    ACCELD_RETURN_IF_ERROR(
        primitive->Run(task.lhs + (lhs + first * key.lhs_stride(2)) * in_bytes,
                       task.rhs + (rhs + first * key.rhs_stride(1)) * in_bytes,
                       is_separate ? reinterpret_cast<char*>(exact.part()) : sums));
    if (!is_separate) continue;
    for_rows([&](int64_t at, float* row) {
      AddCompensated(block.columns, exact.part() + at, row, exact.low() + at);
    });
  }
  if (is_exact) {
    for_rows([&](int64_t at, float* row) { Round(block.columns, exact.low() + at, row); });
  }
  if (is_rounded) StoreSums(task, block, reinterpret_cast<const float*>(sums), out);
  if (task.is_gram) MirrorBlock(task, block);
  return absl::OkStatus();
}

int32_t RunBlock(const void* frame, int64_t index) {
  const Task& task = *static_cast<const Task*>(frame);
  return ResultOf(task.context, ComputeBlock(task, (*task.blocks)[index]));
}

bool IsSupportedPair(ir::DType input, ir::DType output) {
  using ir::DType;
  if (input == DType::kF32) return output == DType::kF32;
  if (input == DType::kBF16) return output == DType::kF32 || output == DType::kBF16;
  if (input == DType::kF16) return output == DType::kF32 || output == DType::kF16;
  return input == DType::kI8 && output == DType::kI32;
}

}  // namespace

int32_t Matmul(const LaunchContext* context, const int64_t* descriptor, const void* lhs,
               const void* rhs, void* out) {
  Task task;
  task.context = context;
  std::copy_n(descriptor, MatmulKey::kNumFields, task.key.fields.begin());
  const MatmulKey& key = task.key;
  for (const MatmulKey::Field size : {MatmulKey::kBatch, MatmulKey::kM, MatmulKey::kN}) {
    if (key[size] == 0) return static_cast<int32_t>(CodeStatus::kOk);
  }
  if (key[MatmulKey::kK] == 0) {
    return ClearInPieces(context, out,
                         key[MatmulKey::kBatch] * key[MatmulKey::kM] * key[MatmulKey::kN] *
                             ir::StorageBytesOf(key.output_dtype()));
  }
  task.is_gram = IsGramMatrix(key, lhs == rhs);
  const MatmulBlocks blocks(key, task.is_gram);
  task.blocks = &blocks;
  task.lhs = static_cast<const char*>(lhs);
  task.rhs = static_cast<const char*>(rhs);
  task.out = static_cast<char*>(out);
  return ParallelFor(context, RunBlock, &task, blocks.count());
}

bool CanMatmul(const MatmulStep& matmul) {
  if (!IsSupportedPair(matmul.input_dtype, matmul.output_dtype)) return false;
  // An epilogue as loops costs little: its data are in the cache.
  if (!matmul.epilogue.IsNone()) return false;
  if (matmul.batch < 0 || matmul.m < 0 || matmul.n < 0 || matmul.k < 0) return false;
  for (int i = 0; i < 3; ++i) {
    if (matmul.lhs_strides[i] < 0 || matmul.rhs_strides[i] < 0) return false;
  }
  const auto HasUnitStride = [](int64_t outer, int64_t outer_stride, int64_t inner,
                                int64_t inner_stride) {
    return outer <= 1 || inner <= 1 || outer_stride == 1 || inner_stride == 1;
  };
  if (!HasUnitStride(matmul.m, matmul.lhs_strides[1], matmul.k, matmul.lhs_strides[2]) ||
      !HasUnitStride(matmul.k, matmul.rhs_strides[1], matmul.n, matmul.rhs_strides[2])) {
    return false;
  }
  if (!LibraryMultiplies(matmul.input_dtype, matmul.output_dtype, /*accumulate=*/false)) {
    return false;
  }
  // For long sums the library also has to add to an output.
  if (matmul.batch == 0 || matmul.m == 0 || matmul.n == 0 || matmul.k == 0) return true;
  if (MatmulBlocks(MatmulKeyOf(matmul), /*is_gram=*/false).depth_step() >= matmul.k) return true;
  return LibraryMultiplies(matmul.input_dtype, SumType(matmul.output_dtype), /*accumulate=*/true);
}

// A library call takes 2 us for the first product and 50 ns for each further one of a batch.
// Generated loops are vectorized where the rows of rhs and out are one or two vectors.
bool LoopsAreFaster(const MatmulStep& matmul) {
  // The library multiplies a vector of bf16 40 times slower than a matrix, and does not compute
  // sums of one term (odd_depth_matmul.h).
  if (matmul.input_dtype == ir::DType::kBF16 && (matmul.n == 1 || matmul.k == 1)) return true;
  if (matmul.input_dtype != ir::DType::kF32) return false;
  // The library adds up a single sum by one long chain of additions.
  if (matmul.m == 1 && matmul.n == 1) return true;
  if (matmul.rhs_strides[2] != 1 || (matmul.n != 8 && matmul.n != 16)) return false;
  const double work =
      static_cast<double>(matmul.m) * static_cast<double>(matmul.n) * static_cast<double>(matmul.k);
  return work <= 512 || work * static_cast<double>(matmul.batch) <= 8192;
}

}  // namespace acceld::kernels::cpu

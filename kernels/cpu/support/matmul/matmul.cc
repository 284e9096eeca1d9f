#include "kernels/cpu/support/matmul/matmul.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/cpu_matmul.h"
#include "kernels/cpu/support/matmul/amx_matmul.h"
#include "kernels/cpu/support/matmul/element_rows.h"
#include "kernels/cpu/support/matmul/matmul_blocks.h"
#include "kernels/cpu/support/matmul/matmul_primitives.h"
#include "kernels/cpu/support/matmul/thin_matmul.h"
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
  const int64_t begin = (block.group * task.key[MatmulKey::kBatch] + block.first_batch) * n * n;
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
  for (int64_t row = 0; row < block.batches * block.rows; ++row) {
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

// Copies a batch of matrices of bf16 to f32, row by row in the order in which they lie in memory.
// `strides` are those of the batch, the rows and the columns; they become those of the copy.
void WidenMatrices(const char* from, int64_t batch, int64_t rows, int64_t columns, int64_t* strides,
                   float* to) {
  const bool lies_by_rows = strides[2] == 1;
  const int64_t lines = lies_by_rows ? rows : columns, length = lies_by_rows ? columns : rows;
  const int64_t line_step = strides[lies_by_rows ? 1 : 2];
  const auto* const bits = reinterpret_cast<const uint16_t*>(from);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t line = 0; line < lines; ++line) {
      WidenBf16(bits + b * strides[0] + line * line_step, length, to + (b * lines + line) * length);
    }
  }
  strides[0] = rows * columns;
  strides[lies_by_rows ? 1 : 2] = length;
  strides[lies_by_rows ? 2 : 1] = 1;
}

// Replaces the operands of a part of a product of bf16 by copies of f32, which exist until the
// thread's next call.
absl::Status WidenOperands(const MatmulKey& key, MatmulKey& part, const char*& lhs,
                           const char*& rhs) {
  const int64_t batch = part[MatmulKey::kBatch], k = part[MatmulKey::kK];
  const int64_t m = part[MatmulKey::kM], n = part[MatmulKey::kN];
  thread_local Scratchpad memory;
  auto* const left = static_cast<float*>(memory.Reserve(batch * k * (m + n) * sizeof(float)));
  if (left == nullptr) return absl::ResourceExhaustedError("matmul: no memory for its operands");
  float* const right = left + batch * m * k;
  part.fields[MatmulKey::kInputDtype] = static_cast<int64_t>(ir::DType::kF32);
  std::copy_n(&key.fields[MatmulKey::kLhsStrides], 6, &part.fields[MatmulKey::kLhsStrides]);
  WidenMatrices(lhs, batch, m, k, &part.fields[MatmulKey::kLhsStrides], left);
  WidenMatrices(rhs, batch, k, n, &part.fields[MatmulKey::kRhsStrides], right);
  lhs = reinterpret_cast<const char*>(left);
  rhs = reinterpret_cast<const char*>(right);
  return absl::OkStatus();
}

absl::Status ComputeBlock(const Task& task, const MatmulBlock& block) {
  const MatmulKey& key = task.key;
  const int64_t m = key[MatmulKey::kM], n = key[MatmulKey::kN], k = key[MatmulKey::kK];
  const int64_t step = task.blocks->depth_step();
  const int64_t in_bytes = ir::StorageBytesOf(key.input_dtype());
  const int64_t out_bytes = ir::StorageBytesOf(key.output_dtype());
  const int64_t lhs = block.group * key[MatmulKey::kLhsGroupStride] +
                      block.first_batch * key.lhs_stride(0) + block.row * key.lhs_stride(1);
  const int64_t rhs = block.group * key[MatmulKey::kRhsGroupStride] +
                      block.first_batch * key.rhs_stride(0) + block.column * key.rhs_stride(2);
  const int64_t matrix = block.group * key[MatmulKey::kBatch] + block.first_batch;
  char* const out = task.out + (matrix * m * n + block.row * n + block.column) * out_bytes;
  if (IsThinMatmul(key)) {
    return RunThinMatmul(*task.context, key, block, task.lhs + lhs * in_bytes,
                         task.rhs + rhs * in_bytes, out);
  }
  if (IsTiledMatmul(key) && block.columns == n) {
    return RunTiledMatmul(*task.context, key, block, reinterpret_cast<const float*>(task.lhs) + lhs,
                          reinterpret_cast<const float*>(task.rhs) + rhs,
                          reinterpret_cast<float*>(out));
  }

  MatmulKey part = key;
  part.fields[MatmulKey::kGroups] = 1;
  part.fields[MatmulKey::kLhsGroupStride] = part.fields[MatmulKey::kRhsGroupStride] = 0;
  part.fields[MatmulKey::kBatch] = block.batches;
  part.fields[MatmulKey::kM] = block.rows;
  part.fields[MatmulKey::kN] = block.columns;
  const MatmulOutput whole{.batch_stride = m * n, .row_stride = n};
  const MatmulOutput separate{.batch_stride = block.rows * block.columns,
                              .row_stride = block.columns};
  MatmulOutput layout = whole;
  char* sums = out;
  thread_local Scratchpad sum_memory;
  const bool widens = IsWidened(key.input_dtype());
  const bool is_rounded = (step < k || widens) && SumType(key.output_dtype()) != key.output_dtype();
  if (is_rounded) {
    part.fields[MatmulKey::kOutputDtype] = static_cast<int64_t>(SumType(key.output_dtype()));
    layout = separate;
    sums = static_cast<char*>(
        sum_memory.Reserve(block.batches * block.rows * block.columns * sizeof(float)));
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
    const char* left = task.lhs + (lhs + first * key.lhs_stride(2)) * in_bytes;
    const char* right = task.rhs + (rhs + first * key.rhs_stride(1)) * in_bytes;
    if (widens) ACCELD_RETURN_IF_ERROR(WidenOperands(key, part, left, right));
    const bool is_separate = is_exact && first > 0;
    MatmulOutput target = is_separate ? separate : layout;
    target.accumulate = first > 0 && !is_exact;
    ACCELD_ASSIGN_OR_RETURN(const auto primitive, FindMatmulPrimitive(*task.context, part, target));
    ACCELD_RETURN_IF_ERROR(
        primitive->Run(left, right, is_separate ? reinterpret_cast<char*>(exact.part()) : sums));
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

// The multiplications of a group that are worth a task of their own. Groups of less are better
// transposed to one batch.
constexpr double kMinGroupWork = 5e4;

double WorkOf(const MatmulStep& matmul) {
  return static_cast<double>(matmul.m) * static_cast<double>(matmul.n) *
         static_cast<double>(matmul.k);
}

}  // namespace

int32_t Matmul(const LaunchContext* context, const int64_t* descriptor, const void* lhs,
               const void* rhs, void* out) {
  Task task;
  task.context = context;
  std::copy_n(descriptor, MatmulKey::kNumFields, task.key.fields.begin());
  const MatmulKey& key = task.key;
  for (const MatmulKey::Field size :
       {MatmulKey::kGroups, MatmulKey::kBatch, MatmulKey::kM, MatmulKey::kN}) {
    if (key[size] == 0) return static_cast<int32_t>(CodeStatus::kOk);
  }
  if (key[MatmulKey::kK] == 0) {
    return ClearInPieces(context, out,
                         key[MatmulKey::kGroups] * key[MatmulKey::kBatch] * key[MatmulKey::kM] *
                             key[MatmulKey::kN] * ir::StorageBytesOf(key.output_dtype()));
  }
  if (IsAmxMatmul(key)) return RunAmxMatmul(*context, key, lhs, rhs, out);
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
  if (matmul.groups < 1 || matmul.lhs_group_stride < 0 || matmul.rhs_group_stride < 0) return false;
  if (matmul.groups > 1 && WorkOf(matmul) * matmul.batch < kMinGroupWork) return false;
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
  const MatmulKey key = MatmulKeyOf(matmul);
  if (IsThinMatmul(key) || IsAmxMatmul(key) || IsWidened(matmul.input_dtype)) return true;
  if (!LibraryMultiplies(matmul.input_dtype, matmul.output_dtype, /*accumulate=*/false)) {
    return false;
  }
  // For long sums the library also has to add to an output.
  if (matmul.batch == 0 || matmul.m == 0 || matmul.n == 0 || matmul.k == 0) return true;
  if (MatmulBlocks(key, /*is_gram=*/false).depth_step() >= matmul.k) return true;
  return LibraryMultiplies(matmul.input_dtype, SumType(matmul.output_dtype), /*accumulate=*/true);
}

// Where products of bf16 are not faster than those of f32, operands of bf16 are widened on the way,
// except by loops.
bool IsMatmulFast(const MatmulStep& matmul) {
  if (matmul.input_dtype != ir::DType::kBF16) return false;
  return !IsWidened(matmul.input_dtype) || !LoopsAreFaster(matmul);
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
  const double work = WorkOf(matmul);
  return work <= 512 || work * static_cast<double>(matmul.groups * matmul.batch) <= 8192;
}

}  // namespace acceld::kernels::cpu

#include "kernels/cpu/support/matmul.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/cpu_matmul.h"
#include "kernels/cpu/support/matmul_primitives.h"
#include "kernels/cpu/support/parallel_for.h"
#include "kernels/cpu/support_state.h"

namespace acceld::kernels::cpu {
namespace {

// Blocks of the output: large enough that packing the operands again for each costs little, small
// enough that there are many.
constexpr int64_t kBlockRows = 256;
constexpr int64_t kBlockColumns = 512;
// Multiplications of one task, in a batch of small products.
constexpr double kMinBlockWork = 4e6;

// `extent` in equal pieces of at most about `target`, each a multiple of 16.
int64_t PieceOf(int64_t extent, int64_t target) {
  const int64_t pieces = (extent + target - 1) / target;
  return (extent + pieces * 16 - 1) / (pieces * 16) * 16;
}

struct Blocks {
  int64_t batch, rows, columns;  // of one block
  int64_t batch_blocks, row_blocks, column_blocks;
  int64_t count() const { return batch_blocks * row_blocks * column_blocks; }
};

Blocks CutOutput(const MatmulKey& key) {
  const int64_t batch = key[MatmulKey::kBatch], m = key[MatmulKey::kM], n = key[MatmulKey::kN];
  const double work =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(key[MatmulKey::kK]);
  Blocks blocks{1, m, n, batch, 1, 1};
  if (work < 2 * kMinBlockWork) {
    blocks.batch = std::min<int64_t>(batch, std::max<int64_t>(1, kMinBlockWork / work));
    blocks.batch_blocks = (batch + blocks.batch - 1) / blocks.batch;
    return blocks;
  }
  blocks.rows = std::min(m, PieceOf(m, kBlockRows));
  blocks.columns = std::min(n, PieceOf(n, kBlockColumns));
  blocks.row_blocks = (m + blocks.rows - 1) / blocks.rows;
  blocks.column_blocks = (n + blocks.columns - 1) / blocks.columns;
  return blocks;
}

struct Task {
  const LaunchContext* context;
  MatmulKey key;
  Blocks blocks;
  const char* lhs;
  const char* rhs;
  char* out;
};

int32_t RunBlock(const void* frame, int64_t index) {
  const Task& task = *static_cast<const Task*>(frame);
  const MatmulKey& key = task.key;
  const Blocks& blocks = task.blocks;
  const int64_t column = index % blocks.column_blocks * blocks.columns;
  const int64_t row = index / blocks.column_blocks % blocks.row_blocks * blocks.rows;
  const int64_t first = index / blocks.column_blocks / blocks.row_blocks * blocks.batch;
  const int64_t m = key[MatmulKey::kM], n = key[MatmulKey::kN];

  MatmulKey block = key;
  block.fields[MatmulKey::kBatch] = std::min(blocks.batch, key[MatmulKey::kBatch] - first);
  block.fields[MatmulKey::kM] = std::min(blocks.rows, m - row);
  block.fields[MatmulKey::kN] = std::min(blocks.columns, n - column);
  const auto primitive = FindMatmulPrimitive(block, {.batch_stride = m * n, .row_stride = n});
  absl::Status status = primitive.status();
  if (status.ok()) {
    const int64_t in_bytes = ir::StorageBytesOf(key.input_dtype());
    const int64_t out_bytes = ir::StorageBytesOf(key.output_dtype());
    status =
        (*primitive)
            ->Run(task.lhs + (first * key.lhs_stride(0) + row * key.lhs_stride(1)) * in_bytes,
                  task.rhs + (first * key.rhs_stride(0) + column * key.rhs_stride(2)) * in_bytes,
                  task.out + (first * m * n + row * n + column) * out_bytes);
  }
  if (status.ok()) return static_cast<int32_t>(CodeStatus::kOk);
  RunState::Of(task.context).Fail(std::move(status));
  return static_cast<int32_t>(CodeStatus::kFailed);
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
  const int64_t elements = key[MatmulKey::kBatch] * key[MatmulKey::kM] * key[MatmulKey::kN];
  if (elements == 0) return static_cast<int32_t>(CodeStatus::kOk);
  if (key[MatmulKey::kK] == 0) {
    std::memset(out, 0, elements * ir::StorageBytesOf(key.output_dtype()));
    return static_cast<int32_t>(CodeStatus::kOk);
  }
  task.blocks = CutOutput(key);
  task.lhs = static_cast<const char*>(lhs);
  task.rhs = static_cast<const char*>(rhs);
  task.out = static_cast<char*>(out);
  return ParallelFor(context, RunBlock, &task, task.blocks.count());
}

bool CanMatmul(const MatmulStep& matmul) {
  if (!IsSupportedPair(matmul.input_dtype, matmul.output_dtype)) return false;
  if (!matmul.epilogue.IsNone()) return false;  // Loops over what is in cache cost little.
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
  // Whether the library has these types on this machine, shown by a small product of them.
  MatmulStep sample = matmul;
  sample.batch = 1;
  sample.m = sample.n = sample.k = 16;
  const int64_t strides[3] = {256, 16, 1};
  std::copy_n(strides, 3, sample.lhs_strides);
  std::copy_n(strides, 3, sample.rhs_strides);
  return FindMatmulPrimitive(MatmulKeyOf(sample), {.batch_stride = 256, .row_stride = 16}).ok();
}

}  // namespace acceld::kernels::cpu

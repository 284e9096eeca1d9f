#include "kernels/cpu/support/convolution/convolution.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/ceil_divide.h"
#include "common/check.h"
#include "kernels/cpu/convolution_descriptor.h"
#include "kernels/cpu/cpu_convolution.h"
#include "kernels/cpu/cpu_matmul.h"
#include "kernels/cpu/support/convolution/direct_convolution.h"
#include "kernels/cpu/support/convolution/im2col.h"
#include "kernels/cpu/support/matmul/element_rows.h"
#include "kernels/cpu/support/matmul/matmul_blocks.h"
#include "kernels/cpu/support/matmul/matmul_primitives.h"
#include "kernels/cpu/support/parallel_for.h"
#include "kernels/cpu/support/poll.h"
#include "kernels/cpu/support/result.h"
#include "kernels/cpu/support/scratchpad.h"

namespace acceld::kernels::cpu {
namespace {

// The size of blocks of the output: enough rows that packing the kernel again for each block costs
// little.
constexpr int64_t kBlockRows = 256;
constexpr int64_t kMinBlockRows = 48;
constexpr int64_t kBlockOutputs = 512;
// The number of blocks to aim at, for several threads, if there are enough rows.
constexpr int64_t kMinBlocks = 16;
// The size of the gathered matrix of a block, so that it stays in the second-level cache.
constexpr int64_t kMatrixBytes = int64_t{384} << 10;
// The most f32 products that are added up one after the other. Convolutions have few products for
// each element, which other libraries add in several partial sums.
constexpr int64_t kLongestSum = 128;

// Divides `extent` into equal pieces of at most about `target`, each a multiple of 16. Returns the
// size of a piece.
int64_t PieceOf(int64_t extent, int64_t target) {
  const int64_t pieces = CeilDivide(extent, target);
  return std::min(extent, (extent + pieces * 16 - 1) / (pieces * 16) * 16);
}

// How a convolution is divided: blocks of rows and outputs, each a sum over chunks of the columns
// of the window's matrix. It follows from the shape alone.
struct Partition {
  int64_t rows, outputs, columns;  // of one block or chunk
  int64_t row_blocks, output_blocks, chunks;
  int64_t outer_positions;
  bool is_matrix;  // the input is the window's matrix
  int64_t lhs_row_stride;
  bool rows_are_outer;  // output positions are the rows of the product, features its columns

  int64_t num_blocks(const ConvolutionShape& shape) const {
    return shape.groups * outer_positions * row_blocks * output_blocks;
  }
};

Partition Divide(const ConvolutionShape& shape, ir::DType input) {
  Partition partition;
  const int64_t num_rows = shape.num_rows();
  const int64_t num_columns = shape.num_window_elements() * shape.features;
  partition.outer_positions = shape.num_output_positions() / num_rows;
  partition.outputs = PieceOf(shape.outputs, kBlockOutputs);
  partition.output_blocks = CeilDivide(shape.outputs, partition.outputs);
  const int64_t others = shape.groups * partition.outer_positions * partition.output_blocks;
  const int64_t wanted = std::max<int64_t>(1, kMinBlocks / others);
  partition.rows = PieceOf(num_rows, std::clamp(num_rows / wanted, kMinBlockRows, kBlockRows));
  partition.row_blocks = CeilDivide(num_rows, partition.rows);
  partition.is_matrix = IsIm2colMatrix(shape, &partition.lhs_row_stride);
  const int64_t step =
      partition.is_matrix
          ? DepthStep(input, partition.rows, partition.outputs, num_columns, kLongSum)
          : std::max<int64_t>(1, kMatrixBytes / (partition.rows * ir::StorageBytesOf(input)));
  partition.columns =
      PieceOf(num_columns, input == ir::DType::kF32 ? std::min(step, kLongestSum) : step);
  partition.chunks = CeilDivide(num_columns, partition.columns);
  partition.rows_are_outer = shape.out_feature_stride == 1 || shape.outputs == 1;
  return partition;
}

struct Task {
  const LaunchContext* context;
  ConvolutionDescriptor descriptor;
  Partition partition;
  const char* lhs;
  const char* rhs;
  char* out;
};

// Returns the matrix product of one chunk. The arguments give the strides of the window's matrix.
MatmulKey KeyOf(const Task& task, ir::DType sum_dtype, int64_t rows, int64_t outputs,
                int64_t columns, int64_t row_stride, int64_t column_stride) {
  const ConvolutionShape& shape = task.descriptor.shape;
  MatmulStep step{};
  step.input_dtype = task.descriptor.input_dtype();
  step.output_dtype = sum_dtype;
  step.batch = 1;
  step.k = columns;
  const int64_t window[2] = {row_stride, column_stride};
  const int64_t kernel[2] = {shape.rhs_row_stride, shape.rhs_output_stride};
  step.m = task.partition.rows_are_outer ? rows : outputs;
  step.n = task.partition.rows_are_outer ? outputs : rows;
  if (task.partition.rows_are_outer) {
    std::copy_n(window, 2, step.lhs_strides + 1);
    std::copy_n(kernel, 2, step.rhs_strides + 1);
  } else {
    step.lhs_strides[1] = kernel[1];
    step.lhs_strides[2] = kernel[0];
    step.rhs_strides[1] = window[1];
    step.rhs_strides[2] = window[0];
  }
  return MatmulKeyOf(step);
}

ir::DType SumType(ir::DType input) {
  return input == ir::DType::kI8 ? ir::DType::kI32 : ir::DType::kF32;
}

// Rounds a dense matrix of f32 sums into rows of the output.
void StoreSums(const float* sums, int64_t rows, int64_t columns, ir::DType dtype, char* out,
               int64_t out_row_stride) {
  for (int64_t row = 0; row < rows; ++row) {
    RoundRow(dtype, sums + row * columns, columns,
             out + row * out_row_stride * ir::StorageBytesOf(dtype));
  }
}

absl::Status ComputeBlock(const Task& task, int64_t index) {
  const ConvolutionShape& shape = task.descriptor.shape;
  const Partition& partition = task.partition;
  const int64_t in_bytes = ir::StorageBytesOf(task.descriptor.input_dtype());
  const ir::DType out_dtype = task.descriptor.output_dtype();
  const int64_t out_bytes = ir::StorageBytesOf(out_dtype);

  const int64_t first_output = index % partition.output_blocks * partition.outputs;
  index /= partition.output_blocks;
  Im2colBlock block{};
  block.first_row = index % partition.row_blocks * partition.rows;
  index /= partition.row_blocks;
  for (int64_t d = shape.first_row_dim; d-- > 0;) {
    block.outer[d] = index % shape.dims[d].extent;
    index /= shape.dims[d].extent;
  }
  const int64_t group = index;
  block.num_rows = std::min(partition.rows, shape.num_rows() - block.first_row);
  const int64_t outputs = std::min(partition.outputs, shape.outputs - first_output);
  const int64_t num_columns = shape.num_window_elements() * shape.features;

  const char* const lhs = task.lhs + group * shape.lhs_group_stride * in_bytes;
  const char* const rhs =
      task.rhs +
      (group * shape.rhs_group_stride + first_output * shape.rhs_output_stride) * in_bytes;
  char* const out =
      task.out + (group * shape.out_group_stride + first_output * shape.out_feature_stride +
                  OutOffset(shape, block.outer, block.first_row)) *
                     out_bytes;
  const int64_t out_row_stride =
      partition.rows_are_outer ? shape.row_stride() : shape.out_feature_stride;
  const int64_t out_rows = partition.rows_are_outer ? block.num_rows : outputs;
  const int64_t out_columns = partition.rows_are_outer ? outputs : block.num_rows;

  // Sums of several chunks are kept in their own type until they are complete.
  const ir::DType sum_dtype =
      partition.chunks == 1 ? out_dtype : SumType(task.descriptor.input_dtype());
  const bool separate = sum_dtype != out_dtype;
  thread_local Scratchpad matrix_memory, sum_memory;
  char* matrix = nullptr;
  char* sums = out;
  if (!partition.is_matrix) {
    matrix =
        static_cast<char*>(matrix_memory.Reserve(block.num_rows * partition.columns * in_bytes));
  }
  if (separate) {
    sums = static_cast<char*>(
        sum_memory.Reserve(out_rows * out_columns * ir::StorageBytesOf(sum_dtype)));
  }
  if ((!partition.is_matrix && matrix == nullptr) || sums == nullptr) {
    return absl::ResourceExhaustedError("convolution: no memory for its working space");
  }
  const int64_t sum_row_stride = separate ? out_columns : out_row_stride;
  for (int64_t chunk = 0; chunk < partition.chunks; ++chunk) {
    if (Poll(*task.context) != static_cast<int32_t>(CodeStatus::kOk)) {
      return absl::CancelledError("");
    }
    block.first_column = chunk * partition.columns;
    block.num_columns = std::min(partition.columns, num_columns - block.first_column);
    const bool by_rows = GathersRows(shape);
    int64_t row_stride = by_rows ? block.num_columns : 1;
    int64_t column_stride = by_rows ? 1 : block.num_rows;
    const char* window = matrix;
    if (partition.is_matrix) {
      row_stride = partition.lhs_row_stride;
      column_stride = shape.lhs_feature_stride;
      window = lhs + (LhsOffset(shape, block.outer, block.first_row) +
                      block.first_column * shape.lhs_feature_stride) *
                         in_bytes;
    } else {
      GatherIm2col(shape, block, in_bytes, lhs, matrix);
    }
    const MatmulKey key = KeyOf(task, sum_dtype, block.num_rows, outputs, block.num_columns,
                                row_stride, column_stride);
    ACCELD_ASSIGN_OR_RETURN(const auto primitive, FindMatmulPrimitive(*task.context, key,
                                                                      {.row_stride = sum_row_stride,
                                                                       .accumulate = chunk > 0}));
    const char* const kernel = rhs + block.first_column * shape.rhs_row_stride * in_bytes;
    ACCELD_RETURN_IF_ERROR(partition.rows_are_outer ? primitive->Run(window, kernel, sums)
                                                    : primitive->Run(kernel, window, sums));
  }
  if (separate) {
    StoreSums(reinterpret_cast<const float*>(sums), out_rows, out_columns, out_dtype, out,
              out_row_stride);
  }
  return absl::OkStatus();
}

int32_t RunBlock(const void* frame, int64_t index) {
  const Task& task = *static_cast<const Task*>(frame);
  return ResultOf(task.context, ComputeBlock(task, index));
}

}  // namespace

int32_t Convolution(const LaunchContext* context, const int64_t* descriptor, const void* lhs,
                    const void* rhs, void* out) {
  Task task;
  task.context = context;
  std::memcpy(static_cast<void*>(&task.descriptor), descriptor, sizeof(task.descriptor));
  const ConvolutionShape& shape = task.descriptor.shape;
  // There is at least one output element and at least one product; the compiler makes loops of
  // other convolutions.
  ACCELD_CHECK(shape.num_multiplications() > 0);
  if (task.descriptor.input_dtype() == ir::DType::kF32 &&
      task.descriptor.output_dtype() == ir::DType::kF32 && IsDirectConvolution(shape)) {
    return DirectConvolution(context, shape, static_cast<const float*>(lhs),
                             static_cast<const float*>(rhs), static_cast<float*>(out));
  }
  task.partition = Divide(shape, task.descriptor.input_dtype());
  task.lhs = static_cast<const char*>(lhs);
  task.rhs = static_cast<const char*>(rhs);
  task.out = static_cast<char*>(out);
  return ParallelFor(context, RunBlock, &task, task.partition.num_blocks(shape));
}

bool CanConvolve(const ConvolutionStep& convolution) {
  if (!convolution.shape.IsProduct()) return false;
  // Checks whether the library has products of these types, both with a single chunk and added up
  // over chunks.
  MatmulStep product{
      convolution.input_dtype, convolution.output_dtype, 1, 16, 16, 16, {256, 16, 1}, {256, 16, 1}};
  if (!CanMatmul(product)) return false;
  product.output_dtype = SumType(convolution.input_dtype);
  return CanMatmul(product) &&
         LibraryMultiplies(product.input_dtype, product.output_dtype, /*accumulate=*/true);
}

}  // namespace acceld::kernels::cpu

#include "kernels/cpu/support/matmul/amx_matmul.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/ceil_divide.h"
#include "kernels/cpu/support/matmul/amx_tiles.h"
#include "kernels/cpu/support/matmul/element_rows.h"
#include "kernels/cpu/support/matmul/thin_matmul.h"
#include "kernels/cpu/support/parallel_for.h"
#include "kernels/cpu/support/poll.h"
#include "kernels/cpu/support/result.h"
#include "kernels/cpu/support/scratchpad.h"

namespace acceld::kernels::cpu {
namespace {

// Smaller products are not worth the padding to whole tiles.
constexpr int64_t kMinRows = 16, kMinColumns = 16, kMinDepthBytes = 64;
// A step is the depth of a tile. So many steps of a panel of columns stay in the first-level cache
// while they are multiplied by all rows of a task, and so many steps of these rows stay in the
// second-level cache while they are multiplied by all columns of the task.
constexpr int64_t kNearSteps = 8, kFarSteps = 32;
constexpr int64_t kStepBytes = 2 * kAmxTileBytes;
// The steps whose products are added to a sum of f32 one after the other: 512 products.
constexpr int64_t kChain = 2 * kNearSteps;
// The most rows and columns of a task. Packing a tile takes as long as multiplying it by 3 to 8
// others.
constexpr int64_t kTaskRows = 512, kTaskColumns = 512;
// The least multiplications of a task (10 us), and the tasks that each thread is to have.
constexpr int64_t kMinTaskWork = 10'000'000, kTasksPerThread = 2;
// So many bytes of a line of the right operand are packed at a time: two cache lines, which the
// processor fetches together.
constexpr int64_t kLineBytes = 128;
constexpr int64_t kSumBytes = kAmxPanel * kAmxPanel * 4;

// One product of matrices.
struct Product {
  const LaunchContext* context;
  AmxType type;
  ir::DType output_dtype;
  AmxOperand lhs, rhs;
  char* out;

  int64_t rows() const { return lhs.width; }
  int64_t columns() const { return rhs.width; }
  int64_t steps() const { return AmxSteps(type, lhs.depth); }
  bool stores_sums() const { return ir::StorageBytesOf(output_dtype) == 4; }
  char* At(int64_t row, int64_t column) const {
    return out + (row * columns() + column) * ir::StorageBytesOf(output_dtype);
  }
};

struct Range {
  int64_t begin, end;
  int64_t panels() const { return CeilDivide(end - begin, kAmxPanel); }
};

// Computes the elements of a product in some rows and columns.
class Block {
 public:
  Block(const Product& product, Range rows, Range columns)
      : product_(product),
        rows_(rows),
        columns_(columns),
        panels_at_once_(kLineBytes / (kAmxPanel * BytesOf(product.type))) {}

  absl::Status Compute() {
    const int64_t steps = std::min(kFarSteps, product_.steps());
    ACCELD_RETURN_IF_ERROR(Reserve(steps));
    for (int64_t first = 0; first < product_.steps(); first += steps) {
      const int64_t count = std::min(steps, product_.steps() - first);
      for (int64_t i = 0; i < rows_.panels(); ++i) {
        PackAmxRows(product_.lhs, rows_.begin + i * kAmxPanel, first, count,
                    packed_rows_ + i * count * kStepBytes);
      }
      for (int64_t j = 0; j < columns_.panels(); j += panels_at_once_) {
        if (Poll(*product_.context) != static_cast<int32_t>(CodeStatus::kOk)) {
          return absl::CancelledError("");
        }
        const int64_t panels = std::min(panels_at_once_, columns_.panels() - j);
        PackColumns(j, panels, first, count);
        const AmxScope scope;
        for (int64_t p = 0; p < panels; ++p) {
          MultiplyColumns(j + p, first, count, packed_columns_ + p * count * kStepBytes);
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  // Whether the products of a sum are added in several chains. The first one is in sums_, the
  // others, one after the other, in chains_, from where they are added to sums_.
  bool HasChains() const { return product_.type != AmxType::kS8 && product_.steps() > kChain; }

  // Reserves memory for `steps` steps.
  absl::Status Reserve(int64_t steps) {
    const int64_t rows = rows_.panels(), row_bytes = rows * steps * kStepBytes;
    // The sums of all columns are kept if there are more steps.
    kept_columns_ = product_.steps() > steps ? columns_.panels() : 1;
    const int64_t column_bytes = panels_at_once_ * steps * kStepBytes;
    const int64_t bytes =
        row_bytes + column_bytes + (kept_columns_ + (HasChains() ? 1 : 0)) * rows * kSumBytes;
    thread_local Scratchpad memory;
    packed_rows_ = static_cast<char*>(memory.Reserve(static_cast<size_t>(bytes)));
    if (packed_rows_ == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("matmul: no memory for ", bytes, " bytes of packed operands"));
    }
    packed_columns_ = packed_rows_ + row_bytes;
    sums_ = packed_columns_ + column_bytes;
    chains_ = sums_ + kept_columns_ * rows * kSumBytes;
    return absl::OkStatus();
  }

  // Packs `count` steps of panels [j, j + panels), one panel after the other.
  void PackColumns(int64_t j, int64_t panels, int64_t first, int64_t count) const {
    for (int64_t step = 0; step < count; ++step) {
      for (int64_t p = 0; p < panels; ++p) {
        PackAmxColumns(product_.rhs, columns_.begin + (j + p) * kAmxPanel, first + step, 1,
                       packed_columns_ + (p * count + step) * kStepBytes);
      }
    }
  }

  // Multiplies the packed rows by the packed columns of panel j: `count` steps, from `first` on.
  void MultiplyColumns(int64_t j, int64_t first, int64_t count, const char* columns) const {
    for (int64_t at = 0; at < count; at += kNearSteps) {
      for (int64_t i = 0; i < rows_.panels(); ++i) {
        Multiply(i, j, first + at, std::min(kNearSteps, count - at),
                 packed_rows_ + (i * count + at) * kStepBytes, columns + at * kStepBytes);
      }
    }
  }

  // Adds the products of some steps, from `step` on, to the 32 x 32 sums of panels i and j. Writes
  // the sums to the output after the last step.
  void Multiply(int64_t i, int64_t j, int64_t step, int64_t count, const char* rows,
                const char* columns) const {
    const int64_t row = rows_.begin + i * kAmxPanel, column = columns_.begin + j * kAmxPanel;
    const bool is_last = step + count == product_.steps();
    const bool is_chain = HasChains() && step >= kChain;
    const bool begins = step == 0 || (is_chain && step % kChain == 0);
    const bool is_whole =
        row + kAmxPanel <= product_.rows() && column + kAmxPanel <= product_.columns();
    const int64_t kept = kept_columns_ > 1 ? j : 0;
    char* const sums = sums_ + (kept * rows_.panels() + i) * kSumBytes;
    const AmxSums own{is_chain ? chains_ + i * kSumBytes : sums, kAmxPanel * 4};
    const AmxSums before = begins ? AmxSums{} : own;
    if (is_last && is_whole && !is_chain && product_.stores_sums()) {
      return MultiplyAmxPanels(product_.type, rows, columns, count, before,
                               {product_.At(row, column), product_.columns() * 4});
    }
    MultiplyAmxPanels(product_.type, rows, columns, count, before, own);
    if (is_chain && (is_last || (step + count) % kChain == 0)) AddAmxSums(own.data, sums);
    if (is_last) Store(sums, row, column);
  }

  void Store(const char* sums, int64_t row, int64_t column) const {
    const int64_t rows = std::min(kAmxPanel, product_.rows() - row);
    const int64_t columns = std::min(kAmxPanel, product_.columns() - column);
    for (int64_t i = 0; i < rows; ++i, sums += kAmxPanel * 4) {
      char* const to = product_.At(row + i, column);
      if (product_.stores_sums()) {
        std::memcpy(to, sums, static_cast<size_t>(columns) * 4);
      } else {
        RoundRow(product_.output_dtype, reinterpret_cast<const float*>(sums), columns, to);
      }
    }
  }

  const Product& product_;
  const Range rows_, columns_;
  const int64_t panels_at_once_;  // of columns, which are packed
  int64_t kept_columns_ = 1;
  char* packed_rows_ = nullptr;
  char* packed_columns_ = nullptr;
  // For each panel of rows, the sums of the current panel of columns or of all panels.
  char* sums_ = nullptr;
  char* chains_ = nullptr;
};

// The tasks of a product: blocks of the matrices, or, if these are small, several matrices.
class Tasks {
 public:
  Tasks(const LaunchContext& context, const MatmulKey& key, const void* lhs, const void* rhs,
        void* out)
      : context_(context),
        key_(key),
        lhs_(static_cast<const char*>(lhs)),
        rhs_(static_cast<const char*>(rhs)),
        out_(static_cast<char*>(out)),
        matrices_(key[MatmulKey::kGroups] * key[MatmulKey::kBatch]),
        rows_(std::min(kTaskRows, m())),
        columns_(std::min(kTaskColumns, n())) {
    const int64_t wanted = kTasksPerThread * context.num_threads;
    while (matrices_ * PerMatrix() < wanted && WorkOfTask() > 2 * kMinTaskWork &&
           (rows_ > kAmxPanel || columns_ > kAmxPanel)) {
      int64_t& longer = rows_ > columns_ ? rows_ : columns_;
      longer = RoundUp(CeilDivide(longer, 2), kAmxPanel);
    }
    if (PerMatrix() == 1) {
      matrices_at_once_ = std::max<int64_t>(1, kMinTaskWork / std::max<int64_t>(1, WorkOfTask()));
    }
  }

  int64_t count() const { return CeilDivide(matrices_, matrices_at_once_) * PerMatrix(); }

  absl::Status Run(int64_t index) const {
    const int64_t first = index / PerMatrix() * matrices_at_once_;
    const int64_t within = index % PerMatrix(), across = CeilDivide(n(), columns_);
    const int64_t row = within / across * rows_, column = within % across * columns_;
    for (int64_t i = first; i < std::min(matrices_, first + matrices_at_once_); ++i) {
      const Product product = Matrix(i);
      ACCELD_RETURN_IF_ERROR(Block(product, {row, std::min(m(), row + rows_)},
                                   {column, std::min(n(), column + columns_)})
                                 .Compute());
    }
    return absl::OkStatus();
  }

  const LaunchContext* context() const { return &context_; }

 private:
  int64_t m() const { return key_[MatmulKey::kM]; }
  int64_t n() const { return key_[MatmulKey::kN]; }
  int64_t k() const { return key_[MatmulKey::kK]; }
  int64_t WorkOfTask() const { return rows_ * columns_ * k(); }
  int64_t PerMatrix() const { return CeilDivide(m(), rows_) * CeilDivide(n(), columns_); }

  Product Matrix(int64_t index) const {
    const int64_t group = index / key_[MatmulKey::kBatch], b = index % key_[MatmulKey::kBatch];
    const AmxType type = key_.input_dtype() == ir::DType::kBF16 ? AmxType::kBf16 : AmxType::kS8;
    const int64_t lhs = group * key_[MatmulKey::kLhsGroupStride] + b * key_.lhs_stride(0);
    const int64_t rhs = group * key_[MatmulKey::kRhsGroupStride] + b * key_.rhs_stride(0);
    return {
        .context = &context_,
        .type = type,
        .output_dtype = key_.output_dtype(),
        .lhs = {type, lhs_ + lhs * BytesOf(type), m(), k(), key_.lhs_stride(1), key_.lhs_stride(2)},
        .rhs = {type, rhs_ + rhs * BytesOf(type), n(), k(), key_.rhs_stride(2), key_.rhs_stride(1)},
        .out = out_ + index * m() * n() * ir::StorageBytesOf(key_.output_dtype())};
  }

  const LaunchContext& context_;
  const MatmulKey& key_;
  const char* const lhs_;
  const char* const rhs_;
  char* const out_;
  const int64_t matrices_;
  int64_t rows_, columns_;  // of a task
  int64_t matrices_at_once_ = 1;
};

}  // namespace

bool IsAmxMatmul(const MatmulKey& key) {
  const ir::DType input = key.input_dtype(), output = key.output_dtype();
  const bool is_bf16 =
      input == ir::DType::kBF16 && (output == ir::DType::kF32 || output == ir::DType::kBF16);
  const bool is_s8 = input == ir::DType::kI8 && output == ir::DType::kI32;
  return (is_bf16 || is_s8) && key[MatmulKey::kM] >= kMinRows &&
         key[MatmulKey::kN] >= kMinColumns &&
         key[MatmulKey::kK] * ir::StorageBytesOf(input) >= kMinDepthBytes && !IsThinMatmul(key) &&
         HasAmx();
}

int32_t RunAmxMatmul(const LaunchContext& context, const MatmulKey& key, const void* lhs,
                     const void* rhs, void* out) {
  const Tasks tasks(context, key, lhs, rhs, out);
  return ParallelFor(
      &context,
      [](const void* frame, int64_t index) {
        const Tasks& all = *static_cast<const Tasks*>(frame);
        return ResultOf(all.context(), all.Run(index));
      },
      &tasks, tasks.count());
}

}  // namespace acceld::kernels::cpu

#include "kernels/cpu/support/matmul/odd_depth_matmul.h"

#include <algorithm>
#include <utility>

#include "kernels/cpu/support/matmul/element_rows.h"
#include "kernels/cpu/support/scratchpad.h"

namespace acceld::kernels::cpu {
namespace {

class OddDepthMatmul : public MatmulPrimitive {
 public:
  // `even` computes all terms but the last, as f32 sums in the layout `sums`; nullptr if there is
  // one term only. Sums in another type than f32 are rounded to the layout `output` then.
  OddDepthMatmul(const MatmulKey& key, std::shared_ptr<const MatmulPrimitive> even,
                 const MatmulOutput& sums, const MatmulOutput& output)
      : key_(key), even_(std::move(even)), sums_(sums), output_(output) {}

  absl::Status Run(const void* lhs, const void* rhs, void* out) const override {
    const bool is_rounded = key_.output_dtype() != ir::DType::kF32;
    thread_local Scratchpad memory;
    const int64_t batch = key_[MatmulKey::kBatch];
    const int64_t rows = key_[MatmulKey::kM], columns = key_[MatmulKey::kN];
    const int64_t num_sums = is_rounded ? batch * rows * columns : 0;
    auto* const term = static_cast<float*>(
        memory.Reserve((columns + rows + num_sums) * static_cast<int64_t>(sizeof(float))));
    if (term == nullptr) return absl::ResourceExhaustedError("matmul: no memory for its sums");
    float* const sums = is_rounded ? term + columns + rows : static_cast<float*>(out);
    absl::Status status = absl::OkStatus();
    if (even_ != nullptr) status = even_->Run(lhs, rhs, sums);
    if (status.ok()) {
      AddLastTerm(lhs, rhs, term, sums);
      if (is_rounded) Round(sums, static_cast<char*>(out));
    }
    memory.Trim();
    return status;
  }

 private:
  // Adds the last term to the sums, which it begins if there is no other. `term` has room for a
  // row and a column.
  void AddLastTerm(const void* lhs, const void* rhs, float* term, float* sums) const {
    const ir::DType dtype = key_.input_dtype();
    const int64_t last = key_[MatmulKey::kK] - 1, bytes = ir::StorageBytesOf(dtype);
    const int64_t rows = key_[MatmulKey::kM], columns = key_[MatmulKey::kN];
    const bool begins = even_ == nullptr && !sums_.accumulate;
    float* const of_rhs = term;
    float* const of_lhs = term + columns;
    for (int64_t b = 0; b < key_[MatmulKey::kBatch]; ++b) {
      const int64_t from_lhs = b * key_.lhs_stride(0) + last * key_.lhs_stride(2);
      const int64_t from_rhs = b * key_.rhs_stride(0) + last * key_.rhs_stride(1);
      WidenRow(dtype, static_cast<const char*>(lhs) + from_lhs * bytes, key_.lhs_stride(1), rows,
               of_lhs);
      WidenRow(dtype, static_cast<const char*>(rhs) + from_rhs * bytes, key_.rhs_stride(2), columns,
               of_rhs);
      for (int64_t row = 0; row < rows; ++row) {
        float* const to = sums + b * sums_.batch_stride + row * sums_.row_stride;
        if (begins) std::fill_n(to, columns, 0.0F);
        AddMultiple(of_lhs[row], of_rhs, columns, to);
      }
    }
  }

  // Rounds the sums to the elements of the output.
  void Round(const float* sums, char* out) const {
    const ir::DType dtype = key_.output_dtype();
    for (int64_t b = 0; b < key_[MatmulKey::kBatch]; ++b) {
      for (int64_t row = 0; row < key_[MatmulKey::kM]; ++row) {
        const int64_t to = b * output_.batch_stride + row * output_.row_stride;
        RoundRow(dtype, sums + b * sums_.batch_stride + row * sums_.row_stride, key_[MatmulKey::kN],
                 out + to * ir::StorageBytesOf(dtype));
      }
    }
  }

  MatmulKey key_;
  std::shared_ptr<const MatmulPrimitive> even_;
  MatmulOutput sums_, output_;
};

}  // namespace

bool IsOddDepthMatmul(const MatmulKey& key) {
  return ir::IsFloat(key.input_dtype()) && ir::BitsOf(key.input_dtype()) < 32 &&
         key[MatmulKey::kK] % 2 != 0;
}

absl::StatusOr<std::shared_ptr<const MatmulPrimitive>> MakeOddDepthMatmul(
    const MatmulKey& key, const MatmulOutput& output) {
  MatmulOutput sums = output;
  if (key.output_dtype() != ir::DType::kF32) {
    if (output.accumulate) {
      return absl::UnimplementedError(
          "matmul: sums of an odd number of terms are added to f32 only");
    }
    const int64_t columns = key[MatmulKey::kN];
    sums = {.batch_stride = key[MatmulKey::kM] * columns, .row_stride = columns};
  }
  std::shared_ptr<const MatmulPrimitive> even;
  if (key[MatmulKey::kK] > 1) {
    MatmulKey less = key;
    less.fields[MatmulKey::kK] -= 1;
    less.fields[MatmulKey::kOutputDtype] = static_cast<int64_t>(ir::DType::kF32);
    ACCELD_ASSIGN_OR_RETURN(even, MakeMatmulPrimitive(less, sums));
  }
  return std::make_shared<const OddDepthMatmul>(key, std::move(even), sums, output);
}

}  // namespace acceld::kernels::cpu

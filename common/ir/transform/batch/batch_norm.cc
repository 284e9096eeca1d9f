// The features of all examples are the features of one batch: statistics are of a feature, so those
// of two examples do not meet. Operands and results have the examples before the features then, as
// one dimension.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "common/ir/transform/batching.h"

namespace acceld::ir {
namespace {

class BatchNormBatching {
 public:
  explicit BatchNormBatching(Batching& b)
      : b_(b),
        rank_(b.operand_type(0).rank()),
        feature_index_(b.As<BatchNormAttributes>().feature_index) {}

  absl::Status Run() {
    // Other dimensions are bounded only by the number of elements.
    if (b_.operand_type(0).num_elements() == 0 || b_.size() == 0) return b_.OneByOne();
    std::vector<ValueId> operands;
    for (size_t i = 0; i < b_.num_operands(); ++i) {
      operands.push_back(Merge(b_.BatchedOperand(i), b_.operand_type(i)));
    }
    const size_t num_results = b_.op().results.size();
    const std::vector<ValueId> results = b_.emit.OpWithRegions(b_.op().kind, std::move(operands),
                                                               b_.op().attributes, {}, num_results);
    for (size_t i = 0; i < num_results && b_.emit.ok(); ++i) {
      b_.SetResult(Split(results[i], b_.result_type(i)), i);
    }
    return b_.emit.status();
  }

 private:
  // Where the features are in a value of this type, which has all dimensions or only that of the
  // features.
  int64_t FeatureIndexOf(const TensorType& type) const {
    return type.rank() == rank_ ? feature_index_ : 0;
  }

  // From a value with the examples first.
  ValueId Merge(ValueId value, const TensorType& type) {
    const int64_t at = FeatureIndexOf(type);
    std::vector<int64_t> order(static_cast<size_t>(type.rank()) + 1);
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + 1, order.begin() + 1 + at);
    Dims dims = type.dims;
    dims[at] *= b_.size();
    const ValueId moved =
        b_.emit.Op(OpKind::kTranspose, {value}, TransposeAttributes{std::move(order)});
    return b_.emit.Reshape(moved, std::move(dims));
  }

  // The opposite.
  ValueId Split(ValueId value, const TensorType& type) {
    const int64_t at = FeatureIndexOf(type);
    Dims dims = type.dims;
    dims.insert(dims.begin() + at, b_.size());
    std::vector<int64_t> order(static_cast<size_t>(type.rank()) + 1);
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + at, order.begin() + at + 1);
    return b_.emit.Op(OpKind::kTranspose, {b_.emit.Reshape(value, std::move(dims))},
                      TransposeAttributes{std::move(order)});
  }

  Batching& b_;
  const int64_t rank_, feature_index_;
};

}  // namespace

absl::Status BatchBatchNormGrad(Batching& b) { return BatchNormBatching(b).Run(); }
absl::Status BatchBatchNormInference(Batching& b) { return BatchNormBatching(b).Run(); }
absl::Status BatchBatchNormTraining(Batching& b) { return BatchNormBatching(b).Run(); }

}  // namespace acceld::ir

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/ir/module.h"
#include "kernels/lowering/elements/element_emitter.h"
#include "kernels/lowering/lower.h"

namespace acceld::kernels {

// What is lowered: an op, or the inside of a fusion op. `inputs[i]` is the inner name of the op's
// operand i, `outputs[i]` of its result i, `ops` what computes outputs from inputs.
struct Computation {
  const ir::Function& function;
  const ir::Op& op;
  std::string name;
  std::vector<ir::ValueId> inputs;
  std::vector<ir::ValueId> outputs;
  std::vector<const ir::Op*> ops;

  const ir::TensorType& OutputType(size_t i = 0) const { return function.TensorOf(outputs[i]); }
};

// The op itself as the only one of the computation.
Computation ComputationOf(const ir::Function& function, const ir::Op& op, std::string name);

// One kernel being built for a computation: a buffer for each operand, then one for each result;
// inputs are bound to their buffers and the ops are defined.
class OpKernel {
 public:
  // Results have access `result_access`. `name` must be a C identifier.
  OpKernel(const Computation& computation, std::string name,
           BufferParameter::Access result_access = BufferParameter::Access::kWrite);

  KernelBuilder& builder() { return builder_; }
  ElementEmitter& emitter() { return emitter_; }
  uint32_t operand_buffer(size_t i) const { return static_cast<uint32_t>(i); }
  uint32_t result_buffer(size_t i) const { return static_cast<uint32_t>(num_operands_ + i); }

  // Computes output `i` at `index` and stores it there.
  absl::Status StoreOutput(size_t i, const ElementIndex& index);
  void Store(size_t result, const ElementIndex& index, const Element& element);
  Element LoadResult(size_t result, const ElementIndex& index);

  Kernel Finish() { return builder_.Finish(); }

 private:
  const Computation& computation_;
  size_t num_operands_;
  KernelBuilder builder_;
  ElementEmitter emitter_;
};

// A kernel that copies operands[k] to results[k] for each pair (operand, result) given.
Kernel CopyKernel(const Computation& computation, std::string name,
                  const std::vector<std::pair<size_t, size_t>>& pairs);

// Collects the first error of bodies that are built by callbacks.
class StatusSink {
 public:
  void Note(const absl::Status& status) { status_.Update(status); }
  const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

// Lowerings by family (loop_fusion.cc, reduce.cc, ...).
absl::StatusOr<LoweredOp> LowerLoops(const Computation& computation);
absl::StatusOr<LoweredOp> LowerReductions(const Computation& computation);
// Whether reductions follow each other, or results are not what one reduction gives.
bool IsRowFusion(const Computation& computation);
// Reductions over the trailing dimensions of one shape. What comes of them must be read in the row
// that it belongs to; results have that shape, or one element for each row.
absl::StatusOr<LoweredOp> LowerRows(const Computation& computation);

#define ACCELD_NEST_OP(Kind, ...) \
  absl::StatusOr<LoweredOp> Lower##Kind(const Computation& computation);
#define ACCELD_CONTRACTION_OP(Kind, ...) \
  absl::StatusOr<LoweredOp> Lower##Kind(const Computation& computation);
#include "common/ir/ops.def"

}  // namespace acceld::kernels

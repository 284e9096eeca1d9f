#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/ir/module.h"
#include "kernels/lowering/elements/element_emitter.h"
#include "kernels/lowering/lower.h"

namespace acceld::kernels {

// The input of a lowering: a single op, or a fusion op with the ops inside it. Function and op must
// outlive it.
struct Computation {
  const ir::Function& function;
  const ir::Op& op;
  std::string name;                  // the prefix of the kernels' names
  std::vector<ir::ValueId> inputs;   // the values inside that stand for the operands of `op`
  std::vector<ir::ValueId> outputs;  // the values inside that are the results of `op`
  std::vector<const ir::Op*> ops;    // the ops inside, which compute the outputs from the inputs

  const ir::TensorType& OutputType(size_t i = 0) const { return function.TensorOf(outputs[i]); }
};

// The computation of a single op.
Computation ComputationOf(const ir::Function& function, const ir::Op& op, std::string name);

// A kernel that is being built for a computation, with one buffer for each operand, then one for
// each result. Its emitter knows the buffers of the inputs and the definitions of all ops. The
// computation must outlive it.
class OpKernel {
 public:
  // `name` must be a C identifier; `result_access` is the access of the result buffers.
  OpKernel(const Computation& computation, std::string name,
           BufferParameter::Access result_access = BufferParameter::Access::kWrite);

  KernelBuilder& builder() { return builder_; }
  ElementEmitter& emitter() { return emitter_; }
  uint32_t operand_buffer(size_t i) const { return static_cast<uint32_t>(i); }
  uint32_t result_buffer(size_t i) const { return static_cast<uint32_t>(num_operands_ + i); }

  // Emits the element of output `i` at `index` and its store to result buffer i.
  absl::Status StoreOutput(size_t i, const ElementIndex& index);
  // Access to the result buffers.
  void Store(size_t result, const ElementIndex& index, const Element& element);
  Element LoadResult(size_t result, const ElementIndex& index);

  Kernel Finish() { return builder_.Finish(); }

 private:
  const Computation& computation_;
  size_t num_operands_;
  KernelBuilder builder_;
  ElementEmitter emitter_;
};

// Returns a kernel that copies, for each pair (operand, result), that operand to that result.
Kernel CopyKernel(const Computation& computation, std::string name,
                  const std::vector<std::pair<size_t, size_t>>& pairs);

// Keeps the first error that is noted. For loop bodies built by callbacks, which cannot return a
// status.
class StatusSink {
 public:
  void Note(const absl::Status& status) { status_.Update(status); }
  const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

// Lowers elementwise and indexing ops and loop fusions: one loop nest that computes every element
// of every output.
absl::StatusOr<LoweredOp> LowerLoops(const Computation& computation);
// Lowers reductions over the same dimensions of one shape, with their producers. All outputs have
// the shape of the reductions' results.
absl::StatusOr<LoweredOp> LowerReductions(const Computation& computation);
// Whether a reduction fusion needs LowerRows rather than LowerReductions: a reduction depends on
// another one, or an output does not have the shape of the first reduction's results.
bool IsRowFusion(const Computation& computation);
// Lowers fusions of reductions over the trailing dimensions of one shape (a row is one index of the
// leading dimensions) and of ops that use their results, such as a softmax. A reduction's result
// may be used only for elements of its own row. Outputs have that shape, one element for each row,
// or are results of reductions for which ReducesBlocks (reducer.h) holds.
absl::StatusOr<LoweredOp> LowerRows(const Computation& computation);

// Lower<Kind> for each op of the families Nest and Contraction.
#define ACCELD_NEST_OP(Kind, ...) \
  absl::StatusOr<LoweredOp> Lower##Kind(const Computation& computation);
#define ACCELD_CONTRACTION_OP(Kind, ...) \
  absl::StatusOr<LoweredOp> Lower##Kind(const Computation& computation);
#include "common/ir/ops.def"

}  // namespace acceld::kernels

#pragma once

#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/lowering/elements/element.h"
#include "kernels/lowering/elements/element_index.h"

namespace acceld::kernels {

// Emits the statements that compute single elements of a function's values: loads for values that
// are bound to buffers, and for results of ops the op applied to elements of its operands. An
// element that has been computed is reused as long as the block that computed it is open, so common
// subexpressions are computed once.
//
// Chains of elementwise ops need no recursion. Each op on a path that changes the index (a
// transpose, for example) costs one level of recursion, limited by kMaxDepth. Not thread-safe.
class ElementEmitter {
 public:
  static constexpr int kMaxDepth = 512;
  // The limit on the number of values in one kernel. Values that several branches use are computed
  // in each branch, so the number can grow exponentially with the size of the program.
  static constexpr size_t kMaxVars = 500'000;

  // The builder, the function and `outer` must outlive the emitter. For the emitter of an op's
  // region, `outer` computes scalars that the region uses from outside; nullptr if there is none.
  ElementEmitter(KernelBuilder& builder, const ir::Function& function,
                 ElementEmitter* outer = nullptr)
      : b_(builder), function_(function), outer_(outer) {}

  // Elements of `value` are loaded from the buffer.
  void BindBuffer(ir::ValueId value, uint32_t buffer) { buffers_[value] = buffer; }
  // Every element of `value`, which is usually a scalar, is `element`.
  void BindElement(ir::ValueId value, const Element& element) { elements_[value] = element; }
  // The element of `value` at `index` is `element`, a result of a reduction for example, as long as
  // the current block is open.
  void SetElement(ir::ValueId value, const ElementIndex& index, const Element& element);
  // Elements of the results of `op`, or of all ops of the region, are computed by these ops, which
  // must outlive the emitter.
  void Define(const ir::Op& op);
  void Define(const ir::Region& region);
  // Turns off the rounding of narrow floats after each op, for accumulations in f32 that are
  // rounded once at the end.
  void KeepPrecision() { round_narrow_ = false; }

  // Emits the element of `value` at `index`. Returns RESOURCE_EXHAUSTED beyond kMaxDepth or
  // kMaxVars, UNIMPLEMENTED for ops that cannot be computed element by element.
  absl::StatusOr<Element> Evaluate(ir::ValueId value, const ElementIndex& index);
  absl::StatusOr<Element> EvaluateOperand(const ir::Op& op, int operand,
                                          const ElementIndex& index) {
    return Evaluate(op.operands[operand], index);
  }
  // Evaluates an element of an integer type, converts it to i64 and clamps it to [0, limit].
  absl::StatusOr<Var> EvaluateClampedIndex(ir::ValueId value, const ElementIndex& index,
                                           int64_t limit);

  // Emits a branch: the element, of type `dtype`, is that of `then` if the condition is true, else
  // that of `otherwise`. Only the taken alternative is computed at run time.
  absl::StatusOr<Element> If(Var condition, DType dtype,
                             const std::function<absl::StatusOr<Element>()>& then,
                             const std::function<absl::StatusOr<Element>()>& otherwise);

  // ElementIndex::Dims. needed_division() tells whether any of these calls, or NoteDivision, has
  // needed integer divisions; lowerings then choose loops over single dimensions instead.
  std::vector<Var> DimsOf(const ElementIndex& index);
  bool needed_division() const { return needed_division_; }
  void NoteDivision() { needed_division_ = true; }

  KernelBuilder& builder() { return b_; }
  const ir::Function& function() const { return function_; }
  const ir::TensorType& TypeOf(ir::ValueId value) const { return function_.TensorOf(value); }

 private:
  // The key and the value of an element that has been computed, and the scope in which it is valid.
  struct MemoKey {
    ir::ValueId value;
    std::vector<Var> vars;
    friend bool operator==(const MemoKey&, const MemoKey&) = default;
    template <typename H>
    friend H AbslHashValue(H state, const MemoKey& key) {
      return H::combine(std::move(state), key.value, key.vars);
    }
  };
  struct MemoEntry {
    uint64_t scope;
    Element element;
  };

  static MemoKey KeyOf(ir::ValueId value, const ElementIndex& index);
  // The element, if it is bound or has been computed and is still valid; else nullptr.
  const Element* Find(ir::ValueId value, const ElementIndex& index) const;
  // The elementwise op that defines `value`; nullptr if there is none or a buffer holds the value.
  const ir::Op* ElementwiseDefinition(ir::ValueId value) const;
  // The index at which an elementwise op reads `operand`: the op's index, or the scalar index if
  // the operand is a scalar that is broadcast.
  ElementIndex OperandIndex(const ir::Op& op, ir::ValueId operand, const ElementIndex& index) const;
  absl::Status EmitChain(ir::ValueId value, const ElementIndex& index);
  absl::StatusOr<Element> EmitElementwise(const ir::Op& op, const ElementIndex& index);
  absl::StatusOr<Element> EmitLeaf(ir::ValueId value, const ElementIndex& index);
  // Emits an if, case or while op on scalars and remembers all its results, so that each region is
  // emitted once.
  absl::Status EmitControlFlow(const ir::Op& op);
  // Emits the scalars from outside that the region uses, so that they are computed once, before the
  // region, rather than in each branch.
  absl::Status EvaluateCaptured(const ir::Region& region);
  absl::StatusOr<std::vector<Var>> EmitBranches(const ir::Op& op);
  // Emits regions [first, end) of a case op, of which `number` selects one, as a binary tree of
  // branches. Returns the parts of the results.
  std::vector<Var> EmitCases(const ir::Op& op, size_t first, size_t end, Var number,
                             absl::Status& status);
  absl::StatusOr<std::vector<Var>> EmitWhile(const ir::Op& op);
  // Emits a region that computes the op's results and returns their parts. After an error, which
  // `status` then has, the parts are zeros, so that the caller can complete the blocks it has open.
  std::vector<Var> EmitRegion(const ir::Op& op, size_t region, absl::Span<const Element> arguments,
                              absl::Status& status);
  // Elements of the op's results as a list of real and imaginary parts, and back.
  std::vector<Var> PartsOf(const ir::Op& op, absl::Span<const Element> elements) const;
  std::vector<Element> ElementsOf(const ir::Op& op, absl::Span<const Var> parts) const;

  KernelBuilder& b_;
  const ir::Function& function_;
  ElementEmitter* outer_;
  absl::flat_hash_map<ir::ValueId, uint32_t> buffers_;
  absl::flat_hash_map<ir::ValueId, Element> elements_;
  absl::flat_hash_map<ir::ValueId, const ir::Op*> definitions_;
  absl::flat_hash_map<MemoKey, MemoEntry> memo_;
  bool round_narrow_ = true;
  bool needed_division_ = false;
  int depth_ = 0;
};

// Emits a region of scalar ops (a reducer or a comparator, for example) applied to `arguments` and
// returns its results. With `keep_precision`, narrow floats are not rounded after each op. Returns
// UNIMPLEMENTED, naming the op, if the region contains an op that ElementEmitter cannot compute.
absl::StatusOr<std::vector<Element>> EmitScalarRegion(ElementEmitter& outer,
                                                      const ir::Region& region,
                                                      absl::Span<const Element> arguments,
                                                      bool keep_precision);

}  // namespace acceld::kernels

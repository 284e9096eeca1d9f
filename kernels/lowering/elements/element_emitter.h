#pragma once

#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/lowering/elements/element.h"
#include "kernels/lowering/elements/element_index.h"

namespace acceld::kernels {

// Computes single elements of values: loads those that stand in buffers, computes those that ops
// define from the elements of their operands. Elements are remembered by value and index as long as
// the block that computed them is open, so shared subexpressions compute once.
//
// Chains of elementwise ops are walked without recursion; each op that changes the index on a path
// costs one level, bounded by kMaxDepth (RESOURCE_EXHAUSTED past it). One thread.
class ElementEmitter {
 public:
  static constexpr int kMaxDepth = 512;
  // Of one kernel. What is used in several branches is computed in each, so little text can ask for
  // much; RESOURCE_EXHAUSTED past it.
  static constexpr size_t kMaxVars = 500'000;

  // `outer` computes scalars that a region captures from around it; may be null.
  ElementEmitter(KernelBuilder& builder, const ir::Function& function,
                 ElementEmitter* outer = nullptr)
      : b_(builder), function_(function), outer_(outer) {}

  void BindBuffer(ir::ValueId value, uint32_t buffer) { buffers_[value] = buffer; }
  // The element of a scalar, or of every index.
  void BindElement(ir::ValueId value, const Element& element) { elements_[value] = element; }
  // The element at one index, known from elsewhere (the result of a reduction).
  void SetElement(ir::ValueId value, const ElementIndex& index, const Element& element);
  // The ops whose results may be asked for. They must outlive the emitter.
  void Define(const ir::Op& op);
  void Define(const ir::Region& region);
  // Narrow floats keep f32's precision between ops: for accumulations that round once at the end.
  void KeepPrecision() { round_narrow_ = false; }

  absl::StatusOr<Element> Evaluate(ir::ValueId value, const ElementIndex& index);
  absl::StatusOr<Element> EvaluateOperand(const ir::Op& op, int operand,
                                          const ElementIndex& index) {
    return Evaluate(op.operands[operand], index);
  }
  // An integer scalar as i64, clamped to [0, limit]; unsigned types are read as unsigned.
  absl::StatusOr<Var> EvaluateClampedIndex(ir::ValueId value, const ElementIndex& index,
                                           int64_t limit);

  // `then` or `otherwise`, each computed only where it is needed.
  absl::StatusOr<Element> If(Var condition, DType dtype,
                             const std::function<absl::StatusOr<Element>()>& then,
                             const std::function<absl::StatusOr<Element>()>& otherwise);

  // The index of each dimension. Remembers when that took divisions.
  std::vector<Var> DimsOf(const ElementIndex& index);
  bool needed_division() const { return needed_division_; }
  void NoteDivision() { needed_division_ = true; }

  KernelBuilder& builder() { return b_; }
  const ir::Function& function() const { return function_; }
  const ir::TensorType& TypeOf(ir::ValueId value) const { return function_.TensorOf(value); }

 private:
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
  const Element* Find(ir::ValueId value, const ElementIndex& index) const;
  const ir::Op* ElementwiseDefinition(ir::ValueId value) const;
  // The index at which an elementwise op reads `operand`: scalars stand for all elements.
  ElementIndex OperandIndex(const ir::Op& op, ir::ValueId operand, const ElementIndex& index) const;
  absl::Status EmitChain(ir::ValueId value, const ElementIndex& index);
  absl::StatusOr<Element> EmitElementwise(const ir::Op& op, const ElementIndex& index);
  absl::StatusOr<Element> EmitLeaf(ir::ValueId value, const ElementIndex& index);
  // All results of an if, a case or a while over scalars, remembered: each region is written once.
  absl::Status EmitControlFlow(const ir::Op& op);
  // Scalars of this level that a region uses stand before it: once, not in each branch.
  absl::Status EvaluateCaptured(const ir::Region& region);
  absl::StatusOr<std::vector<Var>> EmitBranches(const ir::Op& op);
  // The results of the regions [first, end) of a case, for a number among theirs. Halves them: a
  // case may have many.
  std::vector<Var> EmitCases(const ir::Op& op, size_t first, size_t end, Var number,
                             absl::Status& status);
  absl::StatusOr<std::vector<Var>> EmitWhile(const ir::Op& op);
  // The parts of the op's results that a region computes; stand-ins after an error.
  std::vector<Var> EmitRegion(const ir::Op& op, size_t region, absl::Span<const Element> arguments,
                              absl::Status& status);
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

// The results of a region of scalar ops (a reducer, a comparator) applied to `arguments`. Regions
// may hold elementwise ops, constants, branches, loops and the like; UNIMPLEMENTED names what else
// they hold.
absl::StatusOr<std::vector<Element>> EmitScalarRegion(ElementEmitter& outer,
                                                      const ir::Region& region,
                                                      absl::Span<const Element> arguments,
                                                      bool keep_precision);

}  // namespace acceld::kernels

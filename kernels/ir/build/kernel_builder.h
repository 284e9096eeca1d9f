#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "kernels/ir/analysis/index_range.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Builds one kernel statement by statement. Folds integer arithmetic on constants and reuses equal
// pure values that are visible, so lowerings need not simplify indices themselves. Methods that
// return values return existing ones where possible. Not thread-safe; misuse (operands of different
// types, for example) fails a CHECK.
class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name);
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  // Adds a buffer parameter or a scratch array; returns its number for Load and Store. All buffers
  // must be added before the first scratch array.
  uint32_t AddBuffer(BufferParameter parameter);
  uint32_t AddScratch(BufferParameter parameter);

  Var Constant(DType dtype, uint64_t bits);
  Var ConstantInt(DType dtype, int64_t value);   // integers and i1
  Var ConstantFloat(DType dtype, double value);  // floats; the value is rounded
  Var Index(int64_t value) { return ConstantInt(DType::kI64, value); }

  // The value of `op` on the operands, for all operations but kConvert and kBitcast.
  Var Apply(ScalarOp op, absl::Span<const Var> operands);
  Var Apply(ScalarOp op, std::initializer_list<Var> operands) {
    return Apply(op, absl::MakeConstSpan(operands.begin(), operands.size()));
  }
  // a * b; for floats with ScalarStatement::may_contract.
  Var Product(Var a, Var b);
  // Both return `value` itself if it has the type `to`.
  Var Convert(DType to, Var value);
  Var Bitcast(DType to, Var value);
  Var Select(Var condition, Var a, Var b) { return Apply(ScalarOp::kSelect, {condition, a, b}); }

  Var Load(uint32_t buffer, Var index);
  void Store(uint32_t buffer, Var index, Var value);

  // Appends a loop; body(induction) appends the statements of its body. Like the other loop
  // functions, except Once and While, it appends no loop if there is only one iteration, but the
  // statements of the body, and nothing if there is none.
  void For(ForStatement::Kind kind, int64_t extent, const std::function<void(Var)>& body);
  // Appends a loop that carries values; body(induction, current) returns the values for the next
  // iteration. Returns the values after the last iteration.
  std::vector<Var> For(ForStatement::Kind kind, int64_t extent, absl::Span<const Var> initial,
                       const std::function<std::vector<Var>(Var, absl::Span<const Var>)>& body);
  // Appends a nest of loops of one kind, one for each of `extents`, the first outermost; `body`
  // gets the induction variable of each.
  void ForEach(ForStatement::Kind kind, absl::Span<const int64_t> extents,
               const std::function<void(absl::Span<const Var>)>& body);
  // Appends a parallel loop of one iteration. The loops in its body share one copy of the scratch
  // arrays.
  void Once(const std::function<void()>& body);
  // Appends a while loop. condition(current) returns an i1, and body(current) the values for the
  // next iteration. Returns the values after the last iteration.
  std::vector<Var> While(absl::Span<const Var> initial,
                         const std::function<Var(absl::Span<const Var>)>& condition,
                         const std::function<std::vector<Var>(absl::Span<const Var>)>& body);
  // Appends a branch. Returns the results of the IfStatement, which are as many as each of the two
  // functions returns.
  void If(Var condition, const std::function<void()>& then_body);
  std::vector<Var> If(Var condition, const std::function<std::vector<Var>()>& then_body,
                      const std::function<std::vector<Var>()>& else_body);
  // As If, with IfStatement::is_rare.
  std::vector<Var> RareIf(Var condition, const std::function<std::vector<Var>()>& then_body,
                          const std::function<std::vector<Var>()>& else_body);

  // The sum of indices[d] * strides[d] over all d, plus offset.
  Var Linearize(absl::Span<const Var> indices, absl::Span<const int64_t> strides,
                int64_t offset = 0);
  // The index in each dimension of the element at row-major index `linear` of a tensor with `dims`.
  std::vector<Var> Delinearize(Var linear, absl::Span<const int64_t> dims);

  // The number of values that the kernel has so far.
  size_t num_vars() const { return kernel_.var_types.size(); }
  DType TypeOf(Var var) const { return kernel_.var_types[var]; }
  // The bits of the value if it is known to be constant, else nullopt.
  absl::optional<uint64_t> ConstantBits(Var var) const;
  // Identifies the block to which statements are being appended. A value that was made in a scope
  // may be used as long as the scope is open. Identifiers are never reused.
  uint64_t scope() const { return scopes_.back().id; }
  bool IsOpen(uint64_t scope) const;

  // Returns the kernel. The builder must not be used afterwards.
  Kernel Finish();

 private:
  // Facts about a value, other than its type.
  struct Definition {
    ScalarOp op = ScalarOp::kAbs;
    bool is_scalar = false;  // whether the value is `op` applied to `operands`
    Var operands[3] = {0, 0, 0};
    absl::optional<uint64_t> constant;  // the bits, if the value is constant
    IndexRange range;                   // for i64 only
  };
  // Pure values with equal keys are equal. `code` says how the value is made (a ScalarOp, a
  // constant or a load); a, b and c are its operands.
  struct Key {
    uint32_t code;
    DType type;
    uint64_t a = 0, b = 0, c = 0;
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H state, const Key& key) {
      return H::combine(std::move(state), key.code, key.type, key.a, key.b, key.c);
    }
  };
  // A block that is being built, and the pure values that it has defined.
  struct Scope {
    uint64_t id;
    Block* block;
    absl::flat_hash_map<Key, Var> values;
  };

  std::vector<Var> If(IfStatement statement, const std::function<std::vector<Var>()>& then_body,
                      const std::function<std::vector<Var>()>& else_body);
  Var NewVar(DType dtype);
  void Append(Statement statement);
  // A visible value with this key, or nullopt.
  absl::optional<Var> FindValue(const Key& key) const;
  Var ApplyTyped(ScalarOp op, absl::Span<const Var> operands, DType result_type,
                 bool may_contract = false);
  // The next six functions are in simplify.cc. Those that get an operation return a value that is
  // equal to its result and needs no such operation, or nullopt.
  absl::optional<Var> Simplify(ScalarOp op, absl::Span<const Var> operands, DType result_type);
  absl::optional<Var> SimplifyIndex(ScalarOp op, Var a, Var b);
  absl::optional<Var> SimplifyCompare(ScalarOp op, Var a, Var b);
  absl::optional<Var> DivideSum(ScalarOp op, Var sum, int64_t divisor);
  // Adds factor * var to `form`, expanding sums up to `depth` deep.
  void AddTerms(Var var, int64_t factor, int depth, LinearForm& form) const;
  // Whether `var` is known to be the integer constant `value`.
  bool IsIndexConstant(Var var, int64_t value) const;
  // New values with the types of `initial`.
  std::vector<Var> NewVarsLike(absl::Span<const Var> initial);
  // Fills the `carried` of a loop; returns the values after the loop.
  std::vector<Var> Carry(absl::Span<const Var> initial, absl::Span<const Var> current,
                         absl::Span<const Var> next, std::vector<CarriedValue>& carried);
  void OpenScope(Block* block);
  void CloseScope() { scopes_.pop_back(); }

  Kernel kernel_;
  std::vector<Definition> definitions_;  // by Var
  std::vector<Scope> scopes_;            // the open scopes; [0] is the kernel's body
  uint64_t next_scope_ = 0;
};

}  // namespace acceld::kernels

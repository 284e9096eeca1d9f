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

// Builds one kernel statement by statement. Folds constant index arithmetic and reuses equal pure
// values within a block, so lowerings may write indices naively. One thread; CHECKs its own use.
class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name);
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  // Declare all buffers first, then scratch.
  uint32_t AddBuffer(BufferParameter parameter);
  uint32_t AddScratch(BufferParameter parameter);

  Var Constant(DType dtype, uint64_t bits);
  Var ConstantInt(DType dtype, int64_t value);   // integers and i1
  Var ConstantFloat(DType dtype, double value);  // floats, rounded
  Var Index(int64_t value) { return ConstantInt(DType::kI64, value); }

  // `result_type` is needed for kConvert and kBitcast only.
  Var Apply(ScalarOp op, absl::Span<const Var> operands);
  Var Apply(ScalarOp op, std::initializer_list<Var> operands) {
    return Apply(op, absl::MakeConstSpan(operands.begin(), operands.size()));
  }
  // a * b, of floats one that may be rounded with the sum that takes it (ScalarStatement).
  Var Product(Var a, Var b);
  Var Convert(DType to, Var value);  // the value itself when it has that type
  Var Bitcast(DType to, Var value);
  Var Select(Var condition, Var a, Var b) { return Apply(ScalarOp::kSelect, {condition, a, b}); }

  Var Load(uint32_t buffer, Var index);
  void Store(uint32_t buffer, Var index, Var value);

  // A loop whose body is built by `body(induction)`.
  void For(ForStatement::Kind kind, int64_t extent, const std::function<void(Var)>& body);
  // A loop with carried values: `body(induction, current)` returns the next values.
  std::vector<Var> For(ForStatement::Kind kind, int64_t extent, absl::Span<const Var> initial,
                       const std::function<std::vector<Var>(Var, absl::Span<const Var>)>& body);
  // Nested loops of one kind over all of `extents`; `body` gets one induction variable for each.
  void ForEach(ForStatement::Kind kind, absl::Span<const int64_t> extents,
               const std::function<void(absl::Span<const Var>)>& body);
  // A parallel loop of one iteration, which stays: loops inside share the scratch that is its own.
  void Once(const std::function<void()>& body);
  // Both functions get the current values; `body` returns the next ones.
  std::vector<Var> While(absl::Span<const Var> initial,
                         const std::function<Var(absl::Span<const Var>)>& condition,
                         const std::function<std::vector<Var>(absl::Span<const Var>)>& body);
  void If(Var condition, const std::function<void()>& then_body);
  std::vector<Var> If(Var condition, const std::function<std::vector<Var>()>& then_body,
                      const std::function<std::vector<Var>()>& else_body);
  // One whose condition is seldom true.
  std::vector<Var> RareIf(Var condition, const std::function<std::vector<Var>()>& then_body,
                          const std::function<std::vector<Var>()>& else_body);

  // sum of indices[d] * strides[d] (+ offset).
  Var Linearize(absl::Span<const Var> indices, absl::Span<const int64_t> strides,
                int64_t offset = 0);
  // The inverse for row-major `dims`: the index of each dimension.
  std::vector<Var> Delinearize(Var linear, absl::Span<const int64_t> dims);

  // Values made so far.
  size_t num_vars() const { return kernel_.var_types.size(); }
  DType TypeOf(Var var) const { return kernel_.var_types[var]; }
  // The bits of a value known to be constant.
  absl::optional<uint64_t> ConstantBits(Var var) const;
  // The block that statements go to now. A value made while a scope was current may be used as long
  // as that scope is open; scopes are never reused.
  uint64_t scope() const { return scopes_.back().id; }
  bool IsOpen(uint64_t scope) const;

  Kernel Finish();

 private:
  // What is known of a value beyond its type.
  struct Definition {
    ScalarOp op = ScalarOp::kAbs;
    bool is_scalar = false;  // made by `op` on `operands`
    Var operands[3] = {0, 0, 0};
    absl::optional<uint64_t> constant;
    IndexRange range;  // i64 only
  };
  // Pure values are equal when their keys are: what made them, their type, and its operands.
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
  struct Scope {
    uint64_t id;
    Block* block;
    absl::flat_hash_map<Key, Var> values;
  };

  std::vector<Var> If(IfStatement statement, const std::function<std::vector<Var>()>& then_body,
                      const std::function<std::vector<Var>()>& else_body);
  Var NewVar(DType dtype);
  void Append(Statement statement);
  absl::optional<Var> FindValue(const Key& key) const;
  Var ApplyTyped(ScalarOp op, absl::Span<const Var> operands, DType result_type,
                 bool may_contract = false);
  absl::optional<Var> Simplify(ScalarOp op, absl::Span<const Var> operands, DType result_type);
  absl::optional<Var> SimplifyIndex(ScalarOp op, Var a, Var b);
  absl::optional<Var> SimplifyCompare(ScalarOp op, Var a, Var b);
  absl::optional<Var> DivideSum(ScalarOp op, Var sum, int64_t divisor);
  void AddTerms(Var var, int64_t factor, int depth, LinearForm& form) const;
  bool IsIndexConstant(Var var, int64_t value) const;
  // Values for a loop body to see, one for each of `initial`.
  std::vector<Var> NewVarsLike(absl::Span<const Var> initial);
  // Fills `carried`; returns the results.
  std::vector<Var> Carry(absl::Span<const Var> initial, absl::Span<const Var> current,
                         absl::Span<const Var> next, std::vector<CarriedValue>& carried);
  void OpenScope(Block* block);
  void CloseScope() { scopes_.pop_back(); }

  Kernel kernel_;
  std::vector<Definition> definitions_;  // by Var
  std::vector<Scope> scopes_;            // [0] is the kernel's body
  uint64_t next_scope_ = 0;
};

}  // namespace acceld::kernels

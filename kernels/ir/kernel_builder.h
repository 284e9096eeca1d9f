#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Builds one kernel statement by statement. Folds constant index arithmetic and reuses equal pure
// values within a block, so lowerings may write indices naively. One thread; CHECKs its own use.
class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name);

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
  void If(Var condition, const std::function<void()>& then_body);
  std::vector<Var> If(Var condition, const std::function<std::vector<Var>()>& then_body,
                      const std::function<std::vector<Var>()>& else_body);

  // sum of indices[d] * strides[d] (+ offset).
  Var Linearize(absl::Span<const Var> indices, absl::Span<const int64_t> strides,
                int64_t offset = 0);
  // The inverse for row-major `dims`: the index of each dimension.
  std::vector<Var> Delinearize(Var linear, absl::Span<const int64_t> dims);

  DType TypeOf(Var var) const { return kernel_.var_types[var]; }
  Kernel Finish();

 private:
  // Implementation members are the implementer's.
  Kernel kernel_;
  std::vector<Block*> open_blocks_;
};

}  // namespace acceld::kernels

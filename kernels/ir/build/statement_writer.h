#pragma once

#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Appends statements to a block of a kernel that exists already, for passes that rewrite it.
// (KernelBuilder makes new kernels, and simplifies what it is given.)
class StatementWriter {
 public:
  explicit StatementWriter(Kernel& kernel) : kernel_(kernel) {}

  Kernel& kernel() { return kernel_; }
  DType TypeOf(Var var) const { return kernel_.TypeOf(var); }

  // From Open to Take, statements go to a new block.
  void Open() { blocks_.emplace_back(); }
  Block Take();

  void Append(Statement statement) { blocks_.back().push_back(std::move(statement)); }
  void Append(Block block);

  Var NewVar(DType dtype);
  Var Constant(DType dtype, uint64_t bits);
  Var Index(int64_t value) { return Constant(DType::kI64, static_cast<uint64_t>(value)); }
  // Of one type, which is the result's: no comparisons or conversions.
  Var Apply(ScalarOp op, Var a, Var b);
  // result = value.
  void Define(Var result, Var value);
  Var Load(uint32_t buffer, Var index);
  void Store(uint32_t buffer, Var index, Var value);
  // Scratch of the type and size of another one; the number of the buffer.
  uint32_t AddScratchLike(uint32_t buffer, const char* suffix);

  // A loop whose statements `body(induction)` appends.
  void For(ForStatement::Kind kind, int64_t extent, absl::FunctionRef<void(Var)> body);
  // A loop that carries values: `body(induction, current)` gives the next ones. The results.
  std::vector<Var> For(ForStatement::Kind kind, int64_t extent, const std::vector<Var>& initial,
                       absl::FunctionRef<std::vector<Var>(Var, const std::vector<Var>&)> body);

 private:
  Kernel& kernel_;
  std::vector<Block> blocks_;
};

}  // namespace acceld::kernels

#pragma once

#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Builds blocks of statements for an existing kernel, for passes that rewrite the kernel. (Unlike
// KernelBuilder it neither simplifies statements nor checks them.) The kernel must outlive the
// writer.
class StatementWriter {
 public:
  explicit StatementWriter(Kernel& kernel) : kernel_(kernel) {}

  Kernel& kernel() { return kernel_; }
  DType TypeOf(Var var) const { return kernel_.TypeOf(var); }

  // Open begins a new block, to which statements are appended until Take ends the block and returns
  // it. Pairs of calls nest; appending needs an open block.
  void Open() { blocks_.emplace_back(); }
  Block Take();

  void Append(Statement statement) { blocks_.back().push_back(std::move(statement)); }
  void Append(Block block);

  // Adds a value to the kernel that no statement defines yet.
  Var NewVar(DType dtype);
  Var Constant(DType dtype, uint64_t bits);
  Var Index(int64_t value) { return Constant(DType::kI64, static_cast<uint64_t>(value)); }
  // Appends an operation whose two operands and result have the same type; so no comparisons and no
  // conversions.
  Var Apply(ScalarOp op, Var a, Var b);
  // Appends the definition result = value, for a `result` that no statement defines yet.
  void Define(Var result, Var value);
  Var Load(uint32_t buffer, Var index);
  void Store(uint32_t buffer, Var index, Var value);
  // Adds a scratch array with the type and size of buffer (or scratch array) `buffer`, whose name
  // is that buffer's name with the suffix. Returns the number of the array.
  uint32_t AddScratchLike(uint32_t buffer, const char* suffix);

  // Appends a loop; body(induction) appends the statements of its body.
  void For(ForStatement::Kind kind, int64_t extent, absl::FunctionRef<void(Var)> body);
  // Appends a loop that carries values; body(induction, current) returns the values for the next
  // iteration. Returns the values after the last iteration.
  std::vector<Var> For(ForStatement::Kind kind, int64_t extent, const std::vector<Var>& initial,
                       absl::FunctionRef<std::vector<Var>(Var, const std::vector<Var>&)> body);

 private:
  Kernel& kernel_;
  std::vector<Block> blocks_;  // the open blocks, innermost last
};

}  // namespace acceld::kernels

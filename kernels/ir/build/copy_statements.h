#pragma once

#include "absl/container/flat_hash_map.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Copies statements within one kernel. Each copy defines new values, as a kernel defines each value
// once; what the statements use from outside stays, or is replaced. Takes time like what it copies.
class StatementCopier {
 public:
  explicit StatementCopier(Kernel& kernel) : kernel_(kernel) {}

  // Copies use `replacement` in place of `var`, or the copy's own value where one defines `var`.
  void Replace(Var var, Var replacement) { values_[var] = replacement; }
  // Copies use buffer (or scratch) `replacement` in place of `buffer`.
  void ReplaceBuffer(uint32_t buffer, uint32_t replacement) { buffers_[buffer] = replacement; }

  Block Copy(const Block& block);
  Statement Copy(const Statement& statement);
  // What copies have in place of `var`.
  Var Now(Var var) const;

 private:
  ConstantStatement Of(const ConstantStatement& constant);
  ScalarStatement Of(const ScalarStatement& scalar);
  LoadStatement Of(const LoadStatement& load);
  StoreStatement Of(const StoreStatement& store);
  ForStatement Of(const ForStatement& loop);
  WhileStatement Of(const WhileStatement& loop);
  IfStatement Of(const IfStatement& branch);

  Var Define(Var var);
  uint32_t BufferNow(uint32_t buffer) const;
  // Before the body of a loop is copied, and behind it.
  std::vector<CarriedValue> Begin(const std::vector<CarriedValue>& carried);
  void End(const std::vector<CarriedValue>& carried, std::vector<CarriedValue>& copies);

  Kernel& kernel_;
  absl::flat_hash_map<Var, Var> values_;
  absl::flat_hash_map<uint32_t, uint32_t> buffers_;
};

}  // namespace acceld::kernels

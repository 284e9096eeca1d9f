#pragma once

#include "absl/container/flat_hash_map.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Copies statements within one kernel. A kernel defines each value once, so each copy defines new
// values and uses them instead of the originals. Values and buffers from outside the copied
// statements stay the same unless they are replaced. The time is linear in the number of statements
// copied. The kernel must outlive the copier.
class StatementCopier {
 public:
  explicit StatementCopier(Kernel& kernel) : kernel_(kernel) {}

  // Makes later copies use `replacement` instead of `var`. A copied statement that defines `var`
  // overrides the replacement.
  void Replace(Var var, Var replacement) { values_[var] = replacement; }
  // Makes later copies use buffer (or scratch array) `replacement` instead of `buffer`.
  void ReplaceBuffer(uint32_t buffer, uint32_t replacement) { buffers_[buffer] = replacement; }

  // Returns a copy and adds the values that it defines to the kernel's var_types. The copy is not
  // inserted anywhere.
  Block Copy(const Block& block);
  Statement Copy(const Statement& statement);
  // The value that stands for `var` in copies: its replacement, the value that the last copy
  // defined for it, or `var` itself.
  Var Now(Var var) const;

 private:
  ConstantStatement Of(const ConstantStatement& constant);
  ScalarStatement Of(const ScalarStatement& scalar);
  LoadStatement Of(const LoadStatement& load);
  StoreStatement Of(const StoreStatement& store);
  ForStatement Of(const ForStatement& loop);
  WhileStatement Of(const WhileStatement& loop);
  IfStatement Of(const IfStatement& branch);

  // Makes a new value of the type of `var`, which replaces `var` from here on.
  Var Define(Var var);
  uint32_t BufferNow(uint32_t buffer) const;
  // Begin copies the carried values of a loop before its body is copied; End completes the copies
  // afterwards.
  std::vector<CarriedValue> Begin(const std::vector<CarriedValue>& carried);
  void End(const std::vector<CarriedValue>& carried, std::vector<CarriedValue>& copies);

  Kernel& kernel_;
  absl::flat_hash_map<Var, Var> values_;
  absl::flat_hash_map<uint32_t, uint32_t> buffers_;
};

}  // namespace acceld::kernels

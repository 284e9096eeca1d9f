#pragma once

#include <cstdint>
#include <vector>

#include "common/ir/module.h"

// Factor rules: which dimensions of an op's operands and results belong together. They serve
// propagation, resharding and partitioning alike. Source: Shardy, "Sharding propagation", where an
// op's rule is called op_sharding_rule.
namespace acceld::compiler::spmd {

// A size that some dimensions of an op have in common. If it is divided, each partition computes
// its part with the same op on smaller operands.
struct Factor {
  int64_t size = 1;
  // Whether the op combines the elements along the factor, so that results of the partitions must
  // be combined by an all_reduce. No result has the factor then.
  bool is_reduction = false;
  // Whether the op, a gather or a scatter, finds elements of its first operand along the factor by
  // indices, which must be made relative to the shard (IndexedOp).
  bool is_indexed = false;
};

// The factors of each dimension, the major one first. A dimension without factors cannot be
// divided.
using DimensionFactors = std::vector<std::vector<int>>;

struct FactorRule {
  std::vector<Factor> factors;
  std::vector<DimensionFactors> operands, results;

  // Returns the rule of an op none of whose dimensions can be divided.
  static FactorRule Replicated(const ir::Function& function, const ir::Op& op);
  // Adds a factor and returns its number.
  int Add(int64_t size, bool is_reduction = false, bool is_indexed = false) {
    factors.push_back({size, is_reduction, is_indexed});
    return static_cast<int>(factors.size()) - 1;
  }
};

// Which operands of an op may be in parts (Layout::unreduced), so that the op on parts gives parts
// of its result.
struct PartsRule {
  std::vector<size_t> operands;
  // Whether all of these must be in parts along the same axes; otherwise exactly one of them. The
  // other operands of the op are whole.
  bool is_joint = false;
};

// The rules of the ops of one function, which must not change and must outlive this. Immutable and
// therefore thread-safe.
class FactorRules {
 public:
  explicit FactorRules(const ir::Function& function);

  // Returns the rule of an op that has one: not of constants, control flow and ops that concern
  // processes, which the partitioner treats separately.
  FactorRule Of(const ir::Op& op) const;
  // Returns the rule of an op with one result for parts that `combiner` combines, one of add,
  // maximum and minimum; a rule without operands for ops that only compute on whole values.
  PartsRule PartsOf(const ir::Op& op, ir::OpKind combiner) const;

 private:
  const ir::Function& function_;
  // By ValueId: constants, and the scalars of which broadcasts consist; nullptr for other values.
  std::vector<const ir::Literal*> constants_;
};

}  // namespace acceld::compiler::spmd

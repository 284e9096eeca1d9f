#include "kernels/cpu/emit/nests/split_at_conditions.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/build/copy_statements.h"
#include "kernels/ir/build/loop_nests.h"
#include "kernels/ir/build/loop_rewriter.h"
#include "kernels/ir/build/scalar_fold.h"

namespace acceld::kernels::cpu {
namespace {

using Kind = ForStatement::Kind;

// The shortest loop that is worth several copies of its body.
constexpr int64_t kShortestLoop = 256;
// The most places at which a loop is divided, and the most statements that all parts may have.
constexpr size_t kMostCuts = 4;
constexpr size_t kMostStatements = 1024;
// The iterations of outer parallel loops from which on the threads share these loops alone, so that
// the innermost loop need not be the only one inside them.
constexpr int64_t kEnoughOuterIterations = 64;

// The integer scale * induction + offset.
struct Linear {
  int64_t scale = 0, offset = 0;

  // Returns the value in iteration `i`, or nullopt if it does not fit into an int64_t.
  absl::optional<int64_t> At(int64_t i) const {
    int64_t product, sum;
    if (__builtin_mul_overflow(scale, i, &product)) return absl::nullopt;
    if (__builtin_add_overflow(product, offset, &sum)) return absl::nullopt;
    return sum;
  }
};

absl::optional<Linear> Combine(ScalarOp op, const Linear& a, const Linear& b) {
  Linear result;
  switch (op) {
    case ScalarOp::kAdd:
      if (__builtin_add_overflow(a.scale, b.scale, &result.scale)) return absl::nullopt;
      if (__builtin_add_overflow(a.offset, b.offset, &result.offset)) return absl::nullopt;
      return result;
    case ScalarOp::kSubtract:
      if (__builtin_sub_overflow(a.scale, b.scale, &result.scale)) return absl::nullopt;
      if (__builtin_sub_overflow(a.offset, b.offset, &result.offset)) return absl::nullopt;
      return result;
    case ScalarOp::kMultiply: {
      if (a.scale != 0 && b.scale != 0) return absl::nullopt;
      const int64_t factor = a.scale == 0 ? a.offset : b.offset;
      const Linear& other = a.scale == 0 ? b : a;
      if (__builtin_mul_overflow(other.scale, factor, &result.scale)) return absl::nullopt;
      if (__builtin_mul_overflow(other.offset, factor, &result.offset)) return absl::nullopt;
      return result;
    }
    default:
      return absl::nullopt;
  }
}

bool IsComparison(ScalarOp op) {
  switch (op) {
    case ScalarOp::kEq:
    case ScalarOp::kNe:
    case ScalarOp::kLt:
    case ScalarOp::kLe:
    case ScalarOp::kGt:
    case ScalarOp::kGe:
      return true;
    default:
      return false;
  }
}

bool Compare(ScalarOp op, int64_t a, int64_t b) {
  switch (op) {
    case ScalarOp::kEq:
      return a == b;
    case ScalarOp::kNe:
      return a != b;
    case ScalarOp::kLt:
      return a < b;
    case ScalarOp::kLe:
      return a <= b;
    case ScalarOp::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

// The comparisons in the body of a loop that depend on the induction variable and constants alone.
class Comparisons {
 public:
  Comparisons(const Kernel& kernel, const absl::flat_hash_map<Var, int64_t>& constants,
              const ForStatement& loop)
      : kernel_(kernel), constants_(constants), loop_(loop) {
    linear_[loop.induction] = {.scale = 1, .offset = 0};
    Visit(loop.body);
    std::sort(cuts_.begin(), cuts_.end());
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
  }

  // The iterations in which the outcome of a comparison is not that of the iteration before, in
  // ascending order.
  const std::vector<int64_t>& cuts() const { return cuts_; }

  // Returns the outcome of the comparison that defines `var` in iteration `i`, or nullopt if no
  // such comparison does.
  absl::optional<bool> Outcome(Var var, int64_t i) const {
    const auto found = comparisons_.find(var);
    if (found == comparisons_.end()) return absl::nullopt;
    const Comparison& one = found->second;
    return Compare(one.op, *one.a.At(i), *one.b.At(i));
  }

 private:
  struct Comparison {
    ScalarOp op;
    Linear a, b;
  };

  void Visit(const Block& block) {
    for (const Statement& statement : block) {
      if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
        Visit(*scalar);
      } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
        Visit(branch->then_body);
        Visit(branch->else_body);
      }
    }
  }

  void Visit(const ScalarStatement& scalar) {
    if (scalar.op == ScalarOp::kConvert) {
      // Until now the value has been exact; it still is if it fits into the new type.
      const auto value = Of(scalar.operands[0]);
      if (value.has_value()) Add(scalar.result, *value);
      return;
    }
    if (scalar.operands.size() != 2) return;
    const auto a = Of(scalar.operands[0]), b = Of(scalar.operands[1]);
    if (!a.has_value() || !b.has_value()) return;
    if (IsComparison(scalar.op)) return AddComparison(scalar.result, {scalar.op, *a, *b});
    const auto value = Combine(scalar.op, *a, *b);
    if (value.has_value()) Add(scalar.result, *value);
  }

  absl::optional<Linear> Of(Var var) const {
    if (const auto found = linear_.find(var); found != linear_.end()) return found->second;
    const auto found = constants_.find(var);
    if (found == constants_.end()) return absl::nullopt;
    return Linear{.scale = 0, .offset = found->second};
  }

  // Notes that `var` has this value, unless its type cannot represent it in every iteration.
  void Add(Var var, const Linear& value) {
    const DType dtype = kernel_.TypeOf(var);
    if (!ir::IsInteger(dtype)) return;
    for (const int64_t i : {int64_t{0}, loop_.extent - 1}) {
      const auto at = value.At(i);
      if (!at.has_value()) return;
      if (ExtendFromWidth(dtype, static_cast<uint64_t>(*at)) != *at) return;
      // The comparisons of u64 differ from those of int64_t there.
      if (!ir::IsSigned(dtype) && *at < 0) return;
    }
    linear_[var] = value;
  }

  void AddComparison(Var var, const Comparison& comparison) {
    const auto difference = Combine(ScalarOp::kSubtract, comparison.a, comparison.b);
    if (!difference.has_value() || !difference->At(0).has_value() ||
        !difference->At(loop_.extent - 1).has_value()) {
      return;
    }
    comparisons_[var] = comparison;
    // The difference is monotonic. So its sign changes once to, and once from, zero.
    for (const ScalarOp op : {ScalarOp::kLt, ScalarOp::kGt}) {
      const auto Holds = [&](int64_t i) { return Compare(op, *difference->At(i), 0); };
      const bool at_first = Holds(0);
      if (Holds(loop_.extent - 1) == at_first) continue;
      int64_t same = 0, other = loop_.extent - 1;
      while (other - same > 1) {
        const int64_t middle = same + (other - same) / 2;
        (Holds(middle) == at_first ? same : other) = middle;
      }
      if (Outcome(var, other - 1) != Outcome(var, other)) cuts_.push_back(other);
    }
  }

  const Kernel& kernel_;
  const absl::flat_hash_map<Var, int64_t>& constants_;
  const ForStatement& loop_;
  absl::flat_hash_map<Var, Linear> linear_;
  absl::flat_hash_map<Var, Comparison> comparisons_;
  std::vector<int64_t> cuts_;
};

// Writes one part of a loop: the iterations from `begin` on, up to the next cut.
class PartWriter {
 public:
  PartWriter(StatementWriter& w, const ForStatement& loop, const Comparisons& comparisons,
             int64_t begin)
      : w_(w), loop_(loop), comparisons_(comparisons), begin_(begin), copier_(w.kernel()) {}

  void Write(int64_t extent) {
    const Var first = w_.Index(begin_);
    w_.For(Kind::kParallel, extent, [&](Var i) {
      copier_.Replace(loop_.induction, w_.Apply(ScalarOp::kAdd, first, i));
      Write(loop_.body);
    });
  }

 private:
  void Write(const Block& block) {
    for (const Statement& statement : block) {
      if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
        Write(*scalar);
      } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
        Write(*branch);
      } else {
        w_.Append(copier_.Copy(statement));
      }
    }
  }

  void Write(const ScalarStatement& scalar) {
    if (const auto outcome = comparisons_.Outcome(scalar.result, begin_)) {
      return SetKnown(scalar.result, *outcome);
    }
    const absl::optional<bool> a = Known(scalar.operands[0]);
    if (a.has_value() && scalar.op == ScalarOp::kSelect) {
      return copier_.Replace(scalar.result, copier_.Now(scalar.operands[*a ? 1 : 2]));
    }
    if (a.has_value() && scalar.op == ScalarOp::kNot) return SetKnown(scalar.result, !*a);
    if (scalar.op == ScalarOp::kAnd || scalar.op == ScalarOp::kOr) {
      // The value that, as one operand, is the result whatever the other operand is.
      const bool deciding = scalar.op == ScalarOp::kOr;
      const absl::optional<bool> b = Known(scalar.operands[1]);
      if (a == deciding || b == deciding) return SetKnown(scalar.result, deciding);
      if (a.has_value() && b.has_value()) return SetKnown(scalar.result, !deciding);
    }
    w_.Append(copier_.Copy(Statement{scalar}));
  }

  void Write(const IfStatement& branch) {
    if (const auto condition = Known(branch.condition)) {
      Write(*condition ? branch.then_body : branch.else_body);
      const std::vector<Var>& values = *condition ? branch.then_values : branch.else_values;
      for (size_t k = 0; k < values.size(); ++k) {
        copier_.Replace(branch.results[k], copier_.Now(values[k]));
      }
      return;
    }
    IfStatement copy{.condition = copier_.Now(branch.condition), .is_rare = branch.is_rare};
    const auto Branch = [&](const Block& body, const std::vector<Var>& values, Block& body_copy,
                            std::vector<Var>& value_copies) {
      w_.Open();
      Write(body);
      body_copy = w_.Take();
      for (Var value : values) value_copies.push_back(copier_.Now(value));
    };
    Branch(branch.then_body, branch.then_values, copy.then_body, copy.then_values);
    Branch(branch.else_body, branch.else_values, copy.else_body, copy.else_values);
    for (Var result : branch.results) {
      copy.results.push_back(w_.NewVar(w_.TypeOf(result)));
      copier_.Replace(result, copy.results.back());
    }
    w_.Append({std::move(copy)});
  }

  absl::optional<bool> Known(Var var) const {
    const auto found = known_.find(var);
    if (found == known_.end()) return absl::nullopt;
    return found->second;
  }

  void SetKnown(Var var, bool value) {
    known_[var] = value;
    copier_.Replace(var, w_.Constant(DType::kI1, value ? 1 : 0));
  }

  StatementWriter& w_;
  const ForStatement& loop_;
  const Comparisons& comparisons_;
  const int64_t begin_;
  StatementCopier copier_;
  absl::flat_hash_map<Var, bool> known_;  // the conditions whose outcome is known in this part
};

// Returns the integer constants of a block and of the blocks in it, by the value that they define.
void CollectConstants(const Kernel& kernel, const Block& block,
                      absl::flat_hash_map<Var, int64_t>& constants) {
  for (const Statement& statement : block) {
    if (const auto* constant = std::get_if<ConstantStatement>(&statement.value)) {
      const DType dtype = kernel.TypeOf(constant->result);
      const int64_t value = ExtendFromWidth(dtype, constant->bits);
      const bool fits = ir::IsSigned(dtype) || value >= 0;
      if (ir::IsInteger(dtype) && fits) constants[constant->result] = value;
    } else if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      CollectConstants(kernel, loop->body, constants);
    } else if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
      CollectConstants(kernel, loop->condition_body, constants);
      CollectConstants(kernel, loop->body, constants);
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      CollectConstants(kernel, branch->then_body, constants);
      CollectConstants(kernel, branch->else_body, constants);
    }
  }
}

bool HasLoop(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement& statement) {
    if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      return HasLoop(branch->then_body) || HasLoop(branch->else_body);
    }
    return std::holds_alternative<ForStatement>(statement.value) ||
           std::holds_alternative<WhileStatement>(statement.value);
  });
}

// Adds `block` and the blocks in it to the patterns; returns whether all their accesses are to
// neighbouring elements, or to the same one.
bool AddNearAccesses(const Block& block, Patterns& patterns) {
  patterns.Add(block);
  const auto IsNear = [&](Var index) {
    const Pattern pattern = patterns.Of(index);
    return pattern.is_near() || pattern.is_uniform();
  };
  return std::all_of(block.begin(), block.end(), [&](const Statement& statement) {
    if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
      return IsNear(load->index);
    }
    if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
      return IsNear(store->index);
    }
    const auto* branch = std::get_if<IfStatement>(&statement.value);
    return branch == nullptr || (AddNearAccesses(branch->then_body, patterns) &&
                                 AddNearAccesses(branch->else_body, patterns));
  });
}

class LoopSplitter : public LoopRewriter {
 public:
  explicit LoopSplitter(const Kernel& kernel) : LoopRewriter(kernel) {
    CollectConstants(kernel, kernel.body, constants_);
    index_constants_ = FindConstants(kernel);
  }

 private:
  void RewriteLoop(const ForStatement& loop) override {
    if (MaySplit(loop)) {
      const Comparisons comparisons(w_.kernel(), constants_, loop);
      const std::vector<int64_t>& cuts = comparisons.cuts();
      if (!cuts.empty() && cuts.size() <= kMostCuts &&
          (cuts.size() + 1) * CountStatements(loop.body) <= kMostStatements) {
        return Split(loop, comparisons);
      }
    }
    ForStatement copy = loop;
    const bool is_parallel = loop.kind == Kind::kParallel;
    if (is_parallel) outer_loops_.push_back(loop.extent);
    copy.body = Rewrite(loop.body);
    if (is_parallel) outer_loops_.pop_back();
    w_.Append({std::move(copy)});
  }

  bool MaySplit(const ForStatement& loop) const {
    if (loop.kind != Kind::kParallel || loop.extent < kShortestLoop) return false;
    int64_t outer = 1;
    for (const int64_t extent : outer_loops_)
      outer = std::min(outer * extent, kEnoughOuterIterations);
    if (!outer_loops_.empty() && outer < kEnoughOuterIterations) return false;
    if (HasLoop(loop.body)) return false;
    Patterns patterns(out_, index_constants_, loop.induction, 0);
    return AddNearAccesses(loop.body, patterns);
  }

  void Split(const ForStatement& loop, const Comparisons& comparisons) {
    int64_t begin = 0;
    for (size_t k = 0; k <= comparisons.cuts().size(); ++k) {
      const int64_t end = k == comparisons.cuts().size() ? loop.extent : comparisons.cuts()[k];
      PartWriter(w_, loop, comparisons, begin).Write(end - begin);
      begin = end;
    }
  }

  absl::flat_hash_map<Var, int64_t> constants_;  // of all integer types
  Constants index_constants_;                    // of i64
  std::vector<int64_t> outer_loops_;  // the extents of the parallel loops around the current one
};

}  // namespace

Kernel SplitAtConditions(const Kernel& kernel) { return LoopSplitter(kernel).Run(); }

}  // namespace acceld::kernels::cpu

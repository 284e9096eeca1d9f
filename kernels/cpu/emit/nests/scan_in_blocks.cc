#include "kernels/cpu/emit/nests/scan_in_blocks.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "kernels/cpu/emit/math/compensated_sums.h"
#include "kernels/cpu/emit/nests/accumulations.h"
#include "kernels/ir/build/copy_statements.h"
#include "kernels/ir/build/loop_nests.h"
#include "kernels/ir/build/loop_rewriter.h"

namespace acceld::kernels::cpu {
namespace {

using Kind = ForStatement::Kind;

// Iterations in a block, so that only few additions follow each other.
constexpr int64_t kBlock = 16;
// The most statements in a body that is repeated for each iteration of a block instead of being a
// loop.
constexpr size_t kMostRepeated = 24;

// Rewrites one scan loop.
class ScanRewriter {
 public:
  ScanRewriter(StatementWriter& w, const ForStatement& loop) : w_(w), loop_(loop) {}
  virtual ~ScanRewriter() = default;

 protected:
  // Calls `block(count, first, state)`, which returns the state after the block, for consecutive
  // blocks that cover all iterations. Returns the state after the last block.
  template <typename Block>
  std::vector<Var> ForEachBlock(std::vector<Var> state, Block block) {
    const int64_t blocks = loop_.extent / kBlock, rest = loop_.extent % kBlock;
    state =
        w_.For(Kind::kSequential, blocks, state, [&](Var number, const std::vector<Var>& current) {
          const Var first = w_.Apply(ScalarOp::kMultiply, number, w_.Index(kBlock));
          return block(kBlock, first, current);
        });
    return rest == 0 ? state : block(rest, w_.Index(blocks * kBlock), state);
  }

  StatementWriter& w_;
  const ForStatement& loop_;
};

// Rewrites a loop that carries running sums and stores them.
class CarriedScan : public ScanRewriter {
 public:
  using ScanRewriter::ScanRewriter;

  // Returns whether all carried values are such sums, and the loop is longer than a block.
  bool IsApplicable() const {
    if (loop_.carried.empty() || loop_.extent <= kBlock) return false;
    const auto found = FindAccumulations(w_.kernel(), loop_);
    return std::all_of(found.begin(), found.end(), [](const auto& one) {
      return one.has_value() && one->op == ScalarOp::kAdd && one->steps.size() == 1;
    });
  }

  void Rewrite() {
    const size_t count = loop_.carried.size();
    std::vector<Var> state;
    for (const CarriedValue& value : loop_.carried) state.push_back(value.initial);
    for (const CarriedValue& value : loop_.carried) {
      state.push_back(Zero(w_, w_.TypeOf(value.result)));
    }
    state = ForEachBlock(state, [&](int64_t iterations, Var first, const std::vector<Var>& before) {
      std::vector<Var> bases, parts;
      for (size_t i = 0; i < count; ++i) {
        bases.push_back(RoundSum(w_, {before[i], before[count + i]}));
        parts.push_back(NegativeZero(w_, w_.TypeOf(before[i])));
      }
      parts = Iterations(iterations, first, bases, parts);
      std::vector<Var> after(2 * count);
      for (size_t i = 0; i < count; ++i) {
        const CompensatedSum sum = TwoSum(w_, {before[i], before[count + i]}, parts[i]);
        after[i] = sum.high;
        after[count + i] = sum.low;
      }
      return after;
    });
    for (size_t i = 0; i < count; ++i) {
      w_.Define(loop_.carried[i].result, RoundSum(w_, {state[i], state[count + i]}));
    }
  }

 private:
  // Generates `count` iterations and returns the running sums after them. Short bodies are repeated
  // without a loop, so that the processor can begin with later iterations before the earlier ones
  // are complete.
  std::vector<Var> Iterations(int64_t count, Var first, const std::vector<Var>& bases,
                              std::vector<Var> parts) {
    if (CountStatements(loop_.body) > kMostRepeated) {
      return w_.For(Kind::kScan, count, parts, [&](Var i, const std::vector<Var>& current) {
        return Iteration(w_.Apply(ScalarOp::kAdd, first, i), bases, current);
      });
    }
    for (int64_t i = 0; i < count; ++i) {
      parts = Iteration(w_.Apply(ScalarOp::kAdd, first, w_.Index(i)), bases, parts);
    }
    return parts;
  }

  // Generates one iteration. Where it stores a running sum, `bases` is added to it.
  std::vector<Var> Iteration(Var induction, const std::vector<Var>& bases,
                             const std::vector<Var>& current) {
    StatementCopier copier(w_.kernel());
    copier.Replace(loop_.induction, induction);
    for (size_t i = 0; i < current.size(); ++i) {
      copier.Replace(loop_.carried[i].current, current[i]);
    }
    std::vector<Var> next(current.size());
    for (const Statement& statement : loop_.body) {
      w_.Append(copier.Copy(statement));
      const auto* scalar = std::get_if<ScalarStatement>(&statement.value);
      for (size_t i = 0; scalar != nullptr && i < current.size(); ++i) {
        const Var sum = loop_.carried[i].next;
        if (scalar->result != sum) continue;
        next[i] = copier.Now(sum);
        copier.Replace(sum, w_.Apply(ScalarOp::kAdd, bases[i], next[i]));
      }
    }
    return next;
  }
};

// Rewrites a loop that has running sums of columns in scratch: an inner loop over columns adds to
// each column's element and stores the result.
class ColumnScan : public ScanRewriter {
 public:
  ColumnScan(StatementWriter& w, const ForStatement& loop) : ScanRewriter(w, loop) {
    for (const Statement& statement : loop.body) {
      const auto* inner = std::get_if<ForStatement>(&statement.value);
      if (inner == nullptr) continue;
      if (columns_ != nullptr) is_known_ = false;
      columns_ = inner;
    }
    is_known_ &= columns_ != nullptr && columns_->carried.empty() && loop.extent > kBlock;
    if (is_known_) FindSums();
    std::vector<uint32_t> buffers;
    for (const auto& [buffer, sum] : sums_) buffers.push_back(buffer);
    std::sort(buffers.begin(), buffers.end());
    is_known_ &= std::adjacent_find(buffers.begin(), buffers.end()) == buffers.end();
  }

  bool IsApplicable() const { return is_known_ && !sums_.empty(); }

  void Rewrite() {
    std::vector<Scratch> scratch;
    for (const auto& [buffer, sum] : sums_) {
      scratch.push_back({buffer, sum, w_.AddScratchLike(buffer, "low"),
                         w_.AddScratchLike(buffer, "base"), w_.AddScratchLike(buffer, "part")});
    }
    const auto for_columns = [&](const auto& body) {
      w_.For(Kind::kSequential, columns_->extent, [&](Var c) {
        for (const Scratch& one : scratch) body(one, w_.kernel().Buffer(one.high).dtype, c);
      });
    };
    for_columns(
        [&](const Scratch& one, DType dtype, Var c) { w_.Store(one.low, c, Zero(w_, dtype)); });
    ForEachBlock({}, [&](int64_t iterations, Var first, const std::vector<Var>& none) {
      for_columns([&](const Scratch& one, DType dtype, Var c) {
        w_.Store(one.base, c, RoundSum(w_, {w_.Load(one.high, c), w_.Load(one.low, c)}));
        w_.Store(one.part, c, NegativeZero(w_, dtype));
      });
      w_.For(Kind::kScan, iterations,
             [&](Var i) { Iteration(w_.Apply(ScalarOp::kAdd, first, i), scratch); });
      for_columns([&](const Scratch& one, DType, Var c) {
        const Var high = w_.Load(one.high, c), low = w_.Load(one.low, c);
        const CompensatedSum sum = TwoSum(w_, {high, low}, w_.Load(one.part, c));
        w_.Store(one.high, c, sum.high);
        w_.Store(one.low, c, sum.low);
      });
      return none;
    });
  }

 private:
  // The scratch arrays of one running sum; `sum` is the value that the loop computes for it.
  struct Scratch {
    uint32_t high;
    Var sum;
    uint32_t low, base, part;
  };

  // Finds the scratch arrays that the inner loop adds to. Nothing else may be done with scratch
  // than loading the column's element.
  void FindSums() {
    for (const ColumnStep& step : FindColumnSteps(w_.kernel(), *columns_)) {
      const DType dtype = w_.TypeOf(step.result);
      is_known_ &= step.op == ScalarOp::kAdd && (dtype == DType::kF32 || dtype == DType::kF64);
      sums_.emplace_back(step.scratch, step.result);
    }
    const auto is_sum = [&](const StoreStatement& store) {
      return std::find(sums_.begin(), sums_.end(), std::pair(store.buffer, store.value)) !=
             sums_.end();
    };
    for (const Statement& statement : columns_->body) {
      if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
        is_known_ &= !IsScratch(load->buffer) || load->index == columns_->induction;
      } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
        is_known_ &= !IsScratch(store->buffer) || is_sum(*store);
      } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
        is_known_ &= IsWithoutScratch(branch->then_body) && IsWithoutScratch(branch->else_body);
      } else if (!std::holds_alternative<ConstantStatement>(statement.value) &&
                 !std::holds_alternative<ScalarStatement>(statement.value)) {
        is_known_ = false;
      }
    }
  }

  // Returns whether the block only loads elements of buffers and computes, for example to leave out
  // padding.
  bool IsWithoutScratch(const Block& block) const {
    return std::all_of(block.begin(), block.end(), [&](const Statement& statement) {
      const auto* load = std::get_if<LoadStatement>(&statement.value);
      if (load != nullptr) return !IsScratch(load->buffer);
      return std::holds_alternative<ScalarStatement>(statement.value) ||
             std::holds_alternative<ConstantStatement>(statement.value);
    });
  }

  bool IsScratch(uint32_t buffer) const { return cpu::IsScratch(w_.kernel(), buffer); }

  // Generates one iteration of the scan. Stores to scratch go to the part sums; for other stores
  // `base` is added.
  void Iteration(Var induction, const std::vector<Scratch>& scratch) {
    StatementCopier outer(w_.kernel());
    outer.Replace(loop_.induction, induction);
    for (const Scratch& one : scratch) outer.ReplaceBuffer(one.high, one.part);
    for (const Statement& statement : loop_.body) {
      if (!std::holds_alternative<ForStatement>(statement.value)) {
        w_.Append(outer.Copy(statement));
        continue;
      }
      w_.For(columns_->kind, columns_->extent, [&](Var c) {
        StatementCopier inner = outer;
        inner.Replace(columns_->induction, c);
        for (const Statement& own : columns_->body) {
          const auto* store = std::get_if<StoreStatement>(&own.value);
          if (store != nullptr && IsScratch(store->buffer)) continue;
          w_.Append(inner.Copy(own));
          const auto* scalar = std::get_if<ScalarStatement>(&own.value);
          for (const Scratch& one : scratch) {
            if (scalar == nullptr || scalar->result != one.sum) continue;
            const Var part = inner.Now(one.sum);
            w_.Store(one.part, c, part);
            inner.Replace(one.sum, w_.Apply(ScalarOp::kAdd, w_.Load(one.base, c), part));
          }
        }
      });
    }
  }

  const ForStatement* columns_ = nullptr;
  bool is_known_ = true;
  std::vector<std::pair<uint32_t, Var>> sums_;  // scratch array and result of each sum
};

class ScansToBlocks : public LoopRewriter {
 public:
  using LoopRewriter::LoopRewriter;

 private:
  void RewriteLoop(const ForStatement& loop) override {
    if (loop.kind == Kind::kScan) {
      if (CarriedScan scan(w_, loop); scan.IsApplicable()) return scan.Rewrite();
      if (ColumnScan scan(w_, loop); scan.IsApplicable()) return scan.Rewrite();
    }
    ForStatement copy = loop;
    copy.body = Rewrite(loop.body);
    w_.Append({std::move(copy)});
  }
};

}  // namespace

Kernel ScanInBlocks(const Kernel& kernel) { return ScansToBlocks(kernel).Run(); }

}  // namespace acceld::kernels::cpu

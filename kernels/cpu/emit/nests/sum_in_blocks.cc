#include "kernels/cpu/emit/nests/sum_in_blocks.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "kernels/cpu/emit/math/compensated_sums.h"
#include "kernels/cpu/emit/nests/accumulations.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/build/copy_statements.h"
#include "kernels/ir/build/loop_nests.h"
#include "kernels/ir/build/loop_rewriter.h"

namespace acceld::kernels::cpu {
namespace {

using Kind = ForStatement::Kind;

// The number of elements that are added to the same sum one after the other. It is smaller for
// short sums, so that the last block does not weigh much.
constexpr int64_t kShortestChain = 8, kLongestChain = 32;
// The elements of a block that is vectorized. It has several vectors of partial sums, which are
// added up at its end.
constexpr int64_t kBlock = 1024;
// The longest loop that is unrolled rather than vectorized.
constexpr int64_t kLongestUnrolled = 8;
constexpr int64_t kVectorBytes = 64;
constexpr int64_t kVectorsAtOnce = 4;
// The largest distance, in elements, of the loads of neighbouring iterations that are vectorized:
// vectors of whole memory are loaded and shuffled.
constexpr int64_t kMostShuffled = 4;
// A body with at least this many statements keeps the processor busy with one vector at a time, and
// is long enough that copies of it cost time to compile.
constexpr size_t kLargeBody = 64;
// How many rows are added to sums of columns at once, so that the sums are loaded and stored less
// often and the processor reads several rows ahead; and the most statements of a body for which
// that is the bottleneck.
constexpr int64_t kRowsAtOnce = 4;
constexpr size_t kShortBody = 12;
// The most statements in a loop that is rewritten to several loops. Larger loops stay as they are:
// where reductions contain each other, there would be many copies of copies.
constexpr size_t kMostCopied = 2048;

int64_t ChainFor(int64_t total) {
  int64_t chain = kShortestChain;
  while (chain < kLongestChain && chain * 8 <= total) chain *= 2;
  return chain;
}

bool IsSummable(DType dtype) { return dtype == DType::kF32 || dtype == DType::kF64; }

// Returns the inner reduction loop of `loop`, if that does all of its reduction: besides the inner
// loop, `loop` only computes values and passes on the carried values. Otherwise returns null.
const ForStatement* OnlyReductionIn(const ForStatement& loop) {
  const ForStatement* inner = nullptr;
  for (const Statement& statement : loop.body) {
    if (const auto* found = std::get_if<ForStatement>(&statement.value)) {
      if (inner != nullptr || found->kind != Kind::kReduction) return nullptr;
      inner = found;
    } else if (!std::holds_alternative<ConstantStatement>(statement.value) &&
               !std::holds_alternative<ScalarStatement>(statement.value) &&
               !std::holds_alternative<LoadStatement>(statement.value)) {
      return nullptr;
    }
  }
  if (inner == nullptr || inner->carried.size() != loop.carried.size()) return nullptr;
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    if (inner->carried[i].initial != loop.carried[i].current ||
        inner->carried[i].result != loop.carried[i].next) {
      return nullptr;
    }
  }
  return inner;
}

// Reduction loops that directly contain each other, outermost first.
std::vector<const ForStatement*> ReductionNest(const ForStatement& loop) {
  std::vector<const ForStatement*> loops;
  for (const ForStatement* at = &loop; at != nullptr; at = OnlyReductionIn(*at)) {
    loops.push_back(at);
  }
  return loops;
}

// A loop over columns that adds to each column's element of scratch.
struct ColumnSum {
  uint32_t scratch;
  int64_t columns;
};

// Finds the scratch arrays that `body` only adds to.
class ColumnSumFinder {
 public:
  ColumnSumFinder(const Kernel& kernel, const Block& body) : kernel_(kernel) {
    for (const Statement& statement : body) {
      if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
        FindIn(*loop);
      }
    }
    CountAccesses(body);
  }

  std::vector<ColumnSum> Find() const {
    std::vector<ColumnSum> sums;
    for (const ColumnSum& sum : candidates_) {
      if (access_counts_.at(sum.scratch) == 2) sums.push_back(sum);
    }
    return sums;
  }

 private:
  void FindIn(const ForStatement& loop) {
    if (loop.kind == Kind::kReduction || !loop.carried.empty()) return;
    for (const ColumnStep& step : FindColumnSteps(kernel_, loop)) {
      if (step.op == ScalarOp::kAdd && IsSummable(kernel_.Buffer(step.scratch).dtype)) {
        candidates_.push_back({step.scratch, loop.extent});
      }
    }
  }

  void CountAccesses(const Block& block) {
    for (const Statement& statement : block) {
      if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
        ++access_counts_[load->buffer];
      } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
        ++access_counts_[store->buffer];
      } else if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
        CountAccesses(loop->body);
      } else if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
        CountAccesses(loop->condition_body);
        CountAccesses(loop->body);
      } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
        CountAccesses(branch->then_body);
        CountAccesses(branch->else_body);
      }
    }
  }

  const Kernel& kernel_;
  std::vector<ColumnSum> candidates_;
  absl::flat_hash_map<uint32_t, int> access_counts_;
};

// Rewrites a loop nest of reductions.
class NestRewriter {
 public:
  NestRewriter(StatementWriter& w, std::vector<const ForStatement*> loops)
      : w_(w), loops_(std::move(loops)) {}

 protected:
  // Returns the number of iterations of all loops from number `level` on.
  int64_t IterationsFrom(size_t level) const {
    int64_t iterations = 1;
    for (; level < loops_.size(); ++level) iterations *= loops_[level]->extent;
    return iterations;
  }

  // Copies the statements of loop number `level`, except for the loop inside, for its iteration
  // `induction`.
  StatementCopier Enter(size_t level, StatementCopier copier, Var induction) {
    copier.Replace(loops_[level]->induction, induction);
    for (const Statement& statement : loops_[level]->body) {
      if (!std::holds_alternative<ForStatement>(statement.value)) {
        w_.Append(copier.Copy(statement));
      }
    }
    return copier;
  }

  // Calls `run(count, first, state)` for consecutive blocks of `length` iterations that cover
  // `extent`: in a generated loop, which carries `state`, and once more for the iterations that
  // remain. Returns the state after all of them.
  template <typename Run>
  std::vector<Var> InBlocks(int64_t extent, int64_t length, std::vector<Var> state, Run run) {
    const int64_t blocks = extent / length;
    if (blocks == 1) {
      state = run(length, w_.Index(0), state);
    } else if (blocks > 1) {
      state =
          w_.For(Kind::kSequential, blocks, state, [&](Var block, const std::vector<Var>& current) {
            const Var first = w_.Apply(ScalarOp::kMultiply, block, w_.Index(length));
            return run(length, first, current);
          });
    }
    if (extent % length != 0) state = run(extent % length, w_.Index(blocks * length), state);
    return state;
  }

  StatementWriter& w_;
  const std::vector<const ForStatement*> loops_;
};

// Rewrites sums that loops carry. A block consists of iterations of one loop, vectorized, if that
// loop is long. Otherwise it consists of some iterations of an outer loop, with all loops inside.
class CarriedSums : public NestRewriter {
 public:
  CarriedSums(StatementWriter& w, const Constants& constants, std::vector<const ForStatement*> nest)
      : NestRewriter(w, std::move(nest)), carried_(loops_.front()->carried) {
    for (const auto& accumulation : FindAccumulations(w.kernel(), *loops_.back())) {
      is_sum_.push_back(accumulation.has_value() && accumulation->op == ScalarOp::kAdd);
    }
    for (size_t i = 0; i < carried_.size(); ++i) {
      if (is_sum_[i]) lanes_ = kVectorBytes / ir::StorageBytesOf(TypeOf(i));
    }
    const int64_t chain = ChainFor(IterationsFrom(0));
    level_ = loops_.size() - 1;
    // Short loops are unrolled, and the surrounding loop is vectorized.
    while (level_ > 0 && loops_[level_]->extent <= kLongestUnrolled) --level_;
    by_vectors_ = loops_[level_]->extent > chain && ReadsVectors(constants, *loops_[level_]);
    if (by_vectors_) {
      const int64_t extent = loops_[level_]->extent;
      vectors_at_once_ =
          CountStatements(loops_[level_]->body) < kLargeBody ? kVectorsAtOnce : int64_t{1};
      block_ = BlockOf(extent);
    } else {
      level_ = loops_.size() - 1;
      while (level_ > 0 && IterationsFrom(level_) <= chain) --level_;
      block_ = std::clamp<int64_t>(chain / IterationsFrom(level_ + 1), 1, loops_[level_]->extent);
    }
    is_exact_ = level_ > 0 || block_ < loops_[level_]->extent;
  }

  // Returns whether there are sums that blocks make more accurate.
  bool IsApplicable() const {
    if (std::find(is_sum_.begin(), is_sum_.end(), true) == is_sum_.end()) return false;
    return is_exact_ || (by_vectors_ && PiecesOf(block_).size() > 1);
  }

  void Rewrite() {
    // The carried values, followed by the rounding error of each sum.
    std::vector<Var> state;
    for (const CarriedValue& value : carried_) state.push_back(value.initial);
    for (size_t i = 0; is_exact_ && i < carried_.size(); ++i) {
      if (is_sum_[i]) state.push_back(Zero(w_, TypeOf(i)));
    }
    state = Level(0, StatementCopier(w_.kernel()), state);
    size_t low = carried_.size();
    for (size_t i = 0; i < carried_.size(); ++i) {
      const bool rounds = is_exact_ && is_sum_[i];
      w_.Define(carried_[i].result, rounds ? RoundSum(w_, {state[i], state[low++]}) : state[i]);
    }
  }

 private:
  DType TypeOf(size_t i) const { return w_.kernel().TypeOf(carried_[i].result); }

  // Returns the length of the blocks of a loop that is vectorized. For large bodies it divides the
  // extent, if possible, so that there is no shorter block with another copy of the body.
  int64_t BlockOf(int64_t extent) const {
    const int64_t usual = kBlock * vectors_at_once_ / kVectorsAtOnce;
    if (extent < 2 * usual) return extent;
    if (vectors_at_once_ < kVectorsAtOnce) {
      for (int64_t block = usual; 2 * block > usual; block -= lanes_) {
        if (extent % block == 0) return block;
      }
    }
    return usual;
  }

  // Loads that are far from each other in memory are not vectorized.
  bool ReadsVectors(const Constants& constants, const ForStatement& loop) const {
    const Patterns patterns(w_.kernel(), constants, loop.body, loop.induction, 0);
    return std::none_of(loop.body.begin(), loop.body.end(), [&](const Statement& statement) {
      const auto* load = std::get_if<LoadStatement>(&statement.value);
      if (load == nullptr) return false;
      const Pattern pattern = patterns.Of(load->index);
      return pattern.is_known && std::abs(pattern.stride) > kMostShuffled;
    });
  }

  std::vector<Var> Level(size_t level, const StatementCopier& outer,
                         const std::vector<Var>& state) {
    const int64_t extent = loops_[level]->extent;
    if (level == level_) {
      return InBlocks(extent, block_, state,
                      [&](int64_t count, Var first, const std::vector<Var>& before) {
                        return AddBlock(outer, count, first, before);
                      });
    }
    return InBlocks(extent, 1, state, [&](int64_t, Var first, const std::vector<Var>& before) {
      return Level(level + 1, Enter(level, outer, first), before);
    });
  }

  // Generates `count` iterations from `first` on and returns the state after them.
  std::vector<Var> AddBlock(const StatementCopier& outer, int64_t count, Var first,
                            const std::vector<Var>& before) {
    std::vector<Var> values(before.begin(), before.begin() + static_cast<int64_t>(carried_.size()));
    if (is_exact_) values = WithoutSums(values);
    std::vector<std::vector<Var>> of_pieces;
    int64_t begin = 0;
    for (const int64_t piece : by_vectors_ ? PiecesOf(count) : std::vector<int64_t>{count}) {
      if (begin > 0) values = WithoutSums(values);
      const Var at = begin == 0 ? first : w_.Apply(ScalarOp::kAdd, first, w_.Index(begin));
      values = Run(outer, piece, at, values);
      of_pieces.push_back(values);
      begin += piece;
    }
    std::vector<Var> after = before;
    size_t low = carried_.size();
    for (size_t i = 0; i < carried_.size(); ++i) {
      after[i] = is_sum_[i] ? SumOf(of_pieces, i) : values[i];
      if (!is_sum_[i] || !is_exact_) continue;
      const CompensatedSum sum = TwoSum(w_, {before[i], before[low]}, after[i]);
      after[i] = sum.high;
      after[low++] = sum.low;
    }
    return after;
  }

  // Returns the lengths of the loops that a loop of `count` iterations is divided into: several
  // vectors at a time, one vector at a time, and the elements that remain.
  std::vector<int64_t> PiecesOf(int64_t count) const {
    std::vector<int64_t> pieces;
    for (const int64_t unit : {lanes_ * vectors_at_once_, lanes_, int64_t{1}}) {
      if (count >= unit) pieces.push_back(count / unit * unit);
      count %= unit;
    }
    return pieces;
  }

  // Adds up the sums of the pieces, the last ones first: these are small compared to the first one.
  Var SumOf(const std::vector<std::vector<Var>>& of_pieces, size_t i) {
    Var sum = of_pieces.back()[i];
    for (size_t p = of_pieces.size() - 1; p-- > 0;) {
      sum = w_.Apply(ScalarOp::kAdd, of_pieces[p][i], sum);
    }
    return sum;
  }

  // Returns `values` with each sum replaced by -0, which is neutral in additions.
  std::vector<Var> WithoutSums(std::vector<Var> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (is_sum_[i]) values[i] = NegativeZero(w_, TypeOf(i));
    }
    return values;
  }

  // Generates `count` iterations, from `first` on, of the loop that is divided into blocks, with
  // all loops inside.
  std::vector<Var> Run(StatementCopier copier, int64_t count, Var first,
                       const std::vector<Var>& initial) {
    const ForStatement& loop = *loops_[level_];
    return w_.For(Kind::kReduction, count, initial, [&](Var i, const std::vector<Var>& current) {
      for (size_t k = 0; k < current.size(); ++k) {
        copier.Replace(loop.carried[k].current, current[k]);
      }
      copier.Replace(loop.induction, w_.Apply(ScalarOp::kAdd, first, i));
      w_.Append(copier.Copy(loop.body));
      std::vector<Var> next;
      for (const CarriedValue& value : loop.carried) next.push_back(copier.Now(value.next));
      return next;
    });
  }

  const std::vector<CarriedValue>& carried_;
  std::vector<bool> is_sum_;  // for each carried value, whether it is a sum
  int64_t lanes_ = 1;         // the lanes of a vector
  int64_t vectors_at_once_ = kVectorsAtOnce;
  size_t level_ = 0;         // the number of the loop that is divided into blocks
  int64_t block_ = 1;        // iterations of that loop in a block
  bool by_vectors_ = false;  // whether that loop is vectorized
  bool is_exact_ = false;  // whether there are several blocks, so that compensated sums are needed
};

// Rewrites sums of columns, in scratch. A block consists of some iterations of one loop, with all
// loops inside.
class ColumnSums : public NestRewriter {
 public:
  ColumnSums(StatementWriter& w, std::vector<const ForStatement*> nest)
      : NestRewriter(w, std::move(nest)),
        sums_(ColumnSumFinder(w.kernel(), loops_.back()->body).Find()) {
    const int64_t chain = ChainFor(IterationsFrom(0));
    level_ = loops_.size() - 1;
    while (level_ > 0 && IterationsFrom(level_) <= chain) --level_;
    block_ = std::clamp<int64_t>(chain / IterationsFrom(level_ + 1), 1, loops_[level_]->extent);
  }

  bool IsApplicable() const {
    return !sums_.empty() && (level_ > 0 || block_ < loops_[level_]->extent);
  }

  void Rewrite() {
    for (const ColumnSum& sum : sums_) {
      parts_.push_back(w_.AddScratchLike(sum.scratch, "part"));
      lows_.push_back(w_.AddScratchLike(sum.scratch, "low"));
      Columns(sum, [&](Var c) { w_.Store(lows_.back(), c, Zero(w_, TypeOf(sum))); });
    }
    Level(0, StatementCopier(w_.kernel()));
    for (size_t s = 0; s < sums_.size(); ++s) {
      Columns(sums_[s], [&](Var c) {
        const Var high = w_.Load(sums_[s].scratch, c), low = w_.Load(lows_[s], c);
        w_.Store(sums_[s].scratch, c, RoundSum(w_, {high, low}));
      });
    }
  }

 private:
  DType TypeOf(const ColumnSum& sum) const { return w_.kernel().Buffer(sum.scratch).dtype; }

  template <typename Body>
  void Columns(const ColumnSum& sum, Body body) {
    w_.For(Kind::kSequential, sum.columns, body);
  }

  void Level(size_t level, const StatementCopier& outer) {
    const int64_t extent = loops_[level]->extent;
    const bool of_blocks = level == level_;
    InBlocks(extent, of_blocks ? block_ : 1, {},
             [&](int64_t count, Var first, const std::vector<Var>& none) {
               if (of_blocks) {
                 AddBlock(outer, count, first);
               } else {
                 Level(level + 1, Enter(level, outer, first));
               }
               return none;
             });
  }

  void AddBlock(StatementCopier copier, int64_t count, Var first) {
    for (size_t s = 0; s < sums_.size(); ++s) {
      copier.ReplaceBuffer(sums_[s].scratch, parts_[s]);
      Columns(sums_[s], [&](Var c) { w_.Store(parts_[s], c, NegativeZero(w_, TypeOf(sums_[s]))); });
    }
    const ForStatement* columns = ShortColumns();
    if (columns != nullptr && count % kRowsAtOnce == 0) {
      AddRowsAtOnce(copier, *columns, count, first);
    } else {
      const ForStatement& loop = *loops_[level_];
      w_.For(Kind::kReduction, count, [&](Var i) {
        copier.Replace(loop.induction, w_.Apply(ScalarOp::kAdd, first, i));
        w_.Append(copier.Copy(loop.body));
      });
    }
    for (size_t s = 0; s < sums_.size(); ++s) {
      Columns(sums_[s], [&](Var c) {
        const Var high = w_.Load(sums_[s].scratch, c), low = w_.Load(lows_[s], c);
        const CompensatedSum sum = TwoSum(w_, {high, low}, w_.Load(parts_[s], c));
        w_.Store(sums_[s].scratch, c, sum.high);
        w_.Store(lows_[s], c, sum.low);
      });
    }
  }

  // Returns the loop over columns if the loop that is divided into blocks consists of that loop,
  // whose short body stores nothing but the sums, and of statements without effects; else nullptr.
  const ForStatement* ShortColumns() const {
    if (level_ + 1 < loops_.size()) return nullptr;
    const ForStatement* columns = nullptr;
    for (const Statement& statement : loops_[level_]->body) {
      if (const auto* inner = std::get_if<ForStatement>(&statement.value)) {
        if (columns != nullptr || !inner->carried.empty()) return nullptr;
        columns = inner;
      } else if (!IsValue(statement)) {
        return nullptr;
      }
    }
    if (columns == nullptr || CountStatements(columns->body) > kShortBody) return nullptr;
    size_t stores = 0;
    for (const Statement& statement : columns->body) {
      if (std::holds_alternative<StoreStatement>(statement.value)) {
        ++stores;
      } else if (!IsValue(statement)) {
        return nullptr;
      }
    }
    return stores == sums_.size() ? columns : nullptr;
  }

  static bool IsValue(const Statement& statement) {
    return std::holds_alternative<ConstantStatement>(statement.value) ||
           std::holds_alternative<ScalarStatement>(statement.value) ||
           std::holds_alternative<LoadStatement>(statement.value);
  }

  // Adds `count` rows from `first` on, several in each iteration of the loop over columns: the sum
  // of a column depends on no other column. The order of the additions to a sum stays the same.
  void AddRowsAtOnce(const StatementCopier& copier, const ForStatement& columns, int64_t count,
                     Var first) {
    const ForStatement& loop = *loops_[level_];
    w_.For(Kind::kReduction, count / kRowsAtOnce, [&](Var i) {
      const Var begin = w_.Apply(ScalarOp::kMultiply, i, w_.Index(kRowsAtOnce));
      std::vector<StatementCopier> rows(kRowsAtOnce, copier);
      for (int64_t k = 0; k < kRowsAtOnce; ++k) {
        const Var row = w_.Apply(ScalarOp::kAdd, begin, w_.Index(k));
        rows[k].Replace(loop.induction, w_.Apply(ScalarOp::kAdd, first, row));
        for (const Statement& statement : loop.body) {
          if (IsValue(statement)) w_.Append(rows[k].Copy(statement));
        }
      }
      w_.For(columns.kind, columns.extent, [&](Var column) {
        for (StatementCopier& row : rows) {
          row.Replace(columns.induction, column);
          w_.Append(row.Copy(columns.body));
        }
      });
    });
  }

  const std::vector<ColumnSum> sums_;
  std::vector<uint32_t> parts_, lows_;  // the additional scratch arrays of each sum
  size_t level_ = 0;                    // the number of the loop that is divided into blocks
  int64_t block_ = 1;                   // iterations of that loop in a block
};

class SumsToBlocks : public LoopRewriter {
 public:
  explicit SumsToBlocks(const Kernel& kernel)
      : LoopRewriter(kernel), constants_(FindConstants(kernel)) {}

 private:
  void RewriteLoop(const ForStatement& loop) override {
    ForStatement copy = loop;
    if (loop.kind != Kind::kReduction) {
      copy.body = Rewrite(loop.body);
      return w_.Append({std::move(copy)});
    }
    // Rewrites the loops in the innermost loop of the loop nest first.
    ForStatement* innermost = &copy;
    for (size_t level = ReductionNest(loop).size() - 1; level > 0; --level) {
      for (Statement& statement : innermost->body) {
        if (auto* inner = std::get_if<ForStatement>(&statement.value)) {
          innermost = inner;
          break;
        }
      }
    }
    innermost->body = Rewrite(innermost->body);
    RewriteNest(copy);
  }

  void RewriteNest(ForStatement& loop) {
    const std::vector<const ForStatement*> nest = ReductionNest(loop);
    if (CountStatements(loop.body) > kMostCopied) return w_.Append({std::move(loop)});
    const bool runs = std::all_of(nest.begin(), nest.end(),
                                  [](const ForStatement* one) { return one->extent > 0; });
    if (runs && !loop.carried.empty()) {
      if (CarriedSums sums(w_, constants_, nest); sums.IsApplicable()) return sums.Rewrite();
    } else if (runs) {
      if (ColumnSums sums(w_, nest); sums.IsApplicable()) return sums.Rewrite();
    }
    w_.Append({std::move(loop)});
  }

  const Constants constants_;
};

}  // namespace

Kernel SumInBlocks(const Kernel& kernel) { return SumsToBlocks(kernel).Run(); }

}  // namespace acceld::kernels::cpu

#include "kernels/cpu/emit/nests/overlap_rows.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "kernels/cpu/emit/llvm_passes/stream_stores.h"
#include "kernels/cpu/emit/nests/tile_nest.h"
#include "kernels/cpu/emit/nests/work_estimate.h"
#include "kernels/ir/build/loop_nests.h"

namespace acceld::kernels::cpu {
namespace {

// The number of rows in a block. A block takes one more iteration than it has rows, which is
// overhead.
constexpr int64_t kMostRows = 64, kFewestRows = 16;
// The longest row: two rows are processed at a time, and have to fit into a cache.
constexpr int64_t kLongestRow = 8192;
// The least number of blocks, which many threads can share evenly.
constexpr int64_t kFewestBlocks = 64;
// The least work per element, without loads and stores, in the loop that is overlapped with
// writing: an exponential and a little more. With less, rows wait for memory anyway.
constexpr double kMinWork = 11;

// Returns whether the block contains no loops or branches.
bool IsFlat(absl::Span<const Statement> block) {
  return std::none_of(block.begin(), block.end(), [](const Statement& statement) {
    return std::holds_alternative<ForStatement>(statement.value) ||
           std::holds_alternative<WhileStatement>(statement.value) ||
           std::holds_alternative<IfStatement>(statement.value);
  });
}

template <typename T, typename Function>
void ForEachOf(const Block& block, Function function) {
  for (const Statement& statement : block) {
    if (const T* found = std::get_if<T>(&statement.value)) function(*found);
  }
}

// Finds the loop over the rows of a kernel, its last inner loop, which writes (the writer), and the
// loop that writing is to be merged with (the partner).
class Rows {
 public:
  Rows(const Kernel& kernel, const std::vector<BufferFacts>& facts, const ForStatement& rows)
      : kernel_(kernel), facts_(facts), rows_(rows) {}

  const ForStatement& loop() const { return rows_; }
  const ForStatement& writer() const { return *writer_; }
  const ForStatement& partner() const { return *partner_; }
  int64_t block_rows() const { return block_rows_; }

  // Returns whether there are such loops.
  bool Find() {
    for (int64_t size = kMostRows; size >= kFewestRows && block_rows_ == 0; --size) {
      if (rows_.extent % size == 0 && rows_.extent / size >= kFewestBlocks) block_rows_ = size;
    }
    if (block_rows_ == 0) return false;
    ForEachOf<ForStatement>(rows_.body, [&](const ForStatement& loop) { writer_ = &loop; });
    if (writer_ == nullptr || writer_->kind != ForStatement::Kind::kParallel ||
        writer_->extent > kLongestRow || !IsFlat(writer_->body) || !WritesDisjointBuffers() ||
        !IndicesAreKnown()) {
      return false;
    }
    FindPartner();
    return partner_ != nullptr;
  }

 private:
  bool IsScratch(uint32_t buffer) const { return buffer >= kernel_.buffers.size(); }

  // Returns whether the writer stores much, only to buffers that nothing else accesses, and whether
  // it loads only from read-only buffers and, at its own induction variable, from scratch.
  bool WritesDisjointBuffers() const {
    bool disjoint = true;
    int64_t bytes = 0;
    ForEachOf<StoreStatement>(writer_->body, [&](const StoreStatement& store) {
      const BufferParameter& buffer = kernel_.Buffer(store.buffer);
      disjoint &= !IsScratch(store.buffer) && buffer.access == BufferParameter::Access::kWrite;
      bytes += buffer.num_elements * ir::StorageBytesOf(buffer.dtype);
    });
    ForEachOf<LoadStatement>(writer_->body, [&](const LoadStatement& load) {
      disjoint &= IsScratch(load.buffer)
                      ? load.index == writer_->induction
                      : kernel_.Buffer(load.buffer).access == BufferParameter::Access::kRead;
    });
    for (const BufferFacts& facts : facts_) disjoint &= facts.no_alias;
    for (const BufferParameter& buffer : kernel_.buffers) {
      disjoint &= buffer.access != BufferParameter::Access::kReadWrite;
    }
    return disjoint && bytes >= kMinStreamedBytes;
  }

  // Returns whether the writer computes its indices from its loops' induction variables alone, so
  // that they are valid even where other values are meaningless.
  bool IndicesAreKnown() const {
    bool known = true;
    ForEachOf<LoadStatement>(writer_->body, [&](const LoadStatement& load) {
      known &= kernel_.TypeOf(load.result) != DType::kI64;
    });
    ForEachOf<ScalarStatement>(writer_->body, [&](const ScalarStatement& scalar) {
      if (kernel_.TypeOf(scalar.result) != DType::kI64) return;
      for (Var operand : scalar.operands) known &= kernel_.TypeOf(operand) == DType::kI64;
    });
    return known;
  }

  bool StoresWhatIsWritten(const ForStatement& loop) const {
    bool stores = false;
    ForEachOf<StoreStatement>(loop.body, [&](const StoreStatement& store) {
      ForEachOf<LoadStatement>(
          writer_->body, [&](const LoadStatement& load) { stores |= load.buffer == store.buffer; });
    });
    return stores;
  }

  bool StoresInOrder(const ForStatement& loop) const {
    bool in_order = true;
    ForEachOf<StoreStatement>(loop.body, [&](const StoreStatement& store) {
      in_order &= !IsScratch(store.buffer) || store.index == loop.induction;
    });
    return in_order;
  }

  // Returns the work of an iteration, without memory accesses and without what is the same in all
  // iterations and thus computed once.
  double Computing(const ForStatement& loop) const {
    absl::flat_hash_set<Var> varying = {loop.induction};
    for (const CarriedValue& carried : loop.carried) varying.insert(carried.current);
    ForEachOf<LoadStatement>(loop.body,
                             [&](const LoadStatement& load) { varying.insert(load.result); });
    Block computed;
    ForEachOf<ScalarStatement>(loop.body, [&](const ScalarStatement& scalar) {
      const bool varies = std::any_of(scalar.operands.begin(), scalar.operands.end(),
                                      [&](Var operand) { return varying.contains(operand); });
      if (!varies) return;
      varying.insert(scalar.result);
      if (kernel_.TypeOf(scalar.result) != DType::kI64) computed.push_back({scalar});
    });
    return EstimateWork(kernel_, computed);
  }

  // Finds the loop that computes most, among the loops up to the first one that overwrites what the
  // writer reads.
  void FindPartner() {
    double most = kMinWork;
    for (const Statement& statement : rows_.body) {
      const auto* loop = std::get_if<ForStatement>(&statement.value);
      if (loop == writer_) return;
      if (loop == nullptr) {
        // Scalar computations are fine, but a branch might contain stores.
        const auto* store = std::get_if<StoreStatement>(&statement.value);
        if (!IsFlat({&statement, 1}) || (store != nullptr && IsScratch(store->buffer))) return;
        continue;
      }
      if (!IsFlat(loop->body)) return;
      const double work = Computing(*loop);
      if (work >= most && loop->kind == ForStatement::Kind::kReduction &&
          loop->extent == writer_->extent && StoresInOrder(*loop)) {
        most = work;
        partner_ = loop;
      }
      if (StoresWhatIsWritten(*loop)) return;
    }
  }

  const Kernel& kernel_;
  const std::vector<BufferFacts>& facts_;
  const ForStatement& rows_;
  const ForStatement* writer_ = nullptr;
  const ForStatement* partner_ = nullptr;
  int64_t block_rows_ = 0;
};

class Overlapper {
 public:
  Overlapper(const Kernel& kernel, const Rows& rows) : rows_(rows), out_(kernel) {}

  // Returns nullopt if the writer needs other values of its row than floats and constants.
  absl::optional<Kernel> Overlap() {
    absl::flat_hash_map<Var, ConstantStatement> constants;
    ForEachOf<ConstantStatement>(rows_.loop().body, [&](const ConstantStatement& constant) {
      constants[constant.result] = constant;
    });
    std::vector<Var> needed;
    for (Var var : FreeVars(out_, rows_.writer())) {
      if (var == rows_.loop().induction) continue;
      if (!constants.contains(var)) {
        if (!ir::IsFloat(out_.TypeOf(var))) return absl::nullopt;
        needed.push_back(var);
      }
    }

    ForStatement blocks{.kind = ForStatement::Kind::kParallel,
                        .induction = NewVar(DType::kI64),
                        .extent = rows_.loop().extent / rows_.block_rows()};
    ForStatement inside{.kind = ForStatement::Kind::kSequential,
                        .induction = NewVar(DType::kI64),
                        .extent = rows_.block_rows() + 1};
    into_ = &blocks.body;
    // Constants are the same in all rows.
    for (const auto& statement : rows_.loop().body) {
      if (std::holds_alternative<ConstantStatement>(statement.value)) into_->push_back(statement);
    }
    const Var first = Apply(ScalarOp::kMultiply, blocks.induction, Index(rows_.block_rows()));
    const Var last = Index(rows_.block_rows() - 1), zero = Index(0), one = Index(1);
    for (Var var : needed) {
      inside.carried.push_back({.initial = Constant(out_.TypeOf(var), 0),
                                .current = NewVar(out_.TypeOf(var)),
                                .next = var,
                                .result = NewVar(out_.TypeOf(var))});
    }

    into_ = &inside.body;
    const Var iteration = inside.induction;
    const Var held = Apply(ScalarOp::kMin, iteration, last);
    Add(ScalarStatement{rows_.loop().induction, ScalarOp::kAdd, {first, held}});
    const Var held_before = Apply(ScalarOp::kMax, Apply(ScalarOp::kSubtract, iteration, one), zero);
    const Var before = Apply(ScalarOp::kAdd, first, held_before);
    for (const Statement& statement : rows_.loop().body) {
      const auto* loop = std::get_if<ForStatement>(&statement.value);
      if (loop == &rows_.writer() || std::holds_alternative<ConstantStatement>(statement.value)) {
        continue;
      }
      if (loop != &rows_.partner()) {
        into_->push_back(statement);
        continue;
      }
      ForStatement both = *loop;
      Block body = Written(before, both.induction, inside.carried);
      body.insert(body.end(), loop->body.begin(), loop->body.end());
      both.body = std::move(body);
      Add(std::move(both));
    }

    into_ = &blocks.body;
    Add(std::move(inside));
    out_.body.clear();
    into_ = &out_.body;
    Add(std::move(blocks));
    return std::move(out_);
  }

 private:
  Var NewVar(DType dtype) {
    out_.var_types.push_back(dtype);
    return static_cast<Var>(out_.var_types.size() - 1);
  }

  template <typename T>
  void Add(T statement) {
    into_->push_back({std::move(statement)});
  }

  Var Constant(DType dtype, uint64_t bits) {
    const Var var = NewVar(dtype);
    Add(ConstantStatement{var, bits});
    return var;
  }

  Var Index(int64_t value) { return Constant(DType::kI64, static_cast<uint64_t>(value)); }

  Var Apply(ScalarOp op, Var a, Var b) {
    const Var var = NewVar(DType::kI64);
    Add(ScalarStatement{var, op, {a, b}});
    return var;
  }

  // Returns the writer's body for row `row`; the values that it needs of that row are the current
  // values of `carried`.
  Block Written(Var row, Var induction, const std::vector<CarriedValue>& carried) {
    absl::flat_hash_map<Var, Var> renamed = {{rows_.loop().induction, row},
                                             {rows_.writer().induction, induction}};
    for (const CarriedValue& value : carried) renamed[value.next] = value.current;
    const auto use = [&](Var& var) {
      if (const auto it = renamed.find(var); it != renamed.end()) var = it->second;
    };
    const auto define = [&](Var& var) { var = renamed[var] = NewVar(out_.TypeOf(var)); };
    Block block = rows_.writer().body;
    for (Statement& statement : block) {
      if (auto* constant = std::get_if<ConstantStatement>(&statement.value)) {
        define(constant->result);
      } else if (auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
        for (Var& operand : scalar->operands) use(operand);
        define(scalar->result);
      } else if (auto* load = std::get_if<LoadStatement>(&statement.value)) {
        use(load->index);
        define(load->result);
      } else if (auto* store = std::get_if<StoreStatement>(&statement.value)) {
        use(store->index);
        use(store->value);
      }
    }
    return block;
  }

  const Rows& rows_;
  Kernel out_;
  Block* into_ = nullptr;
};

}  // namespace

absl::optional<Kernel> OverlapRows(const Kernel& kernel, const std::vector<BufferFacts>& facts) {
  const ForStatement* loop = OnlyLoop(kernel.body);
  if (loop == nullptr || loop->kind != ForStatement::Kind::kParallel) return absl::nullopt;
  Rows rows(kernel, facts, *loop);
  if (!rows.Find()) return absl::nullopt;
  return Overlapper(kernel, rows).Overlap();
}

}  // namespace acceld::kernels::cpu

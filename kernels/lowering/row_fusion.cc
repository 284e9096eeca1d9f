// Lowers fusions of rows: reductions over the trailing dimensions of one shape together with the
// ops that use their results, as in softmax and in normalizations. The kernel computes each row in
// stages while the row is in a cache: a stage reduces the row, and later stages may use the
// results. In the last stage of each row, its columns may also be accumulated into reductions over
// blocks of rows.
#include <algorithm>
#include <functional>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "kernels/lowering/op_kernel.h"
#include "kernels/lowering/reducer.h"

namespace acceld::kernels {
namespace {

// Whether to recompute an element of such an op in later stages of its row costs more than to store
// it in scratch.
bool IsCostly(ir::OpKind kind) {
  static constexpr ir::OpKind kCostly[] = {
      ir::OpKind::kAtan2,       ir::OpKind::kCbrt,
      ir::OpKind::kCosine,      ir::OpKind::kDivide,
      ir::OpKind::kExponential, ir::OpKind::kLog,
      ir::OpKind::kLogPlusOne,  ir::OpKind::kExponentialMinusOne,
      ir::OpKind::kLogistic,    ir::OpKind::kPower,
      ir::OpKind::kRemainder,   ir::OpKind::kRsqrt,
      ir::OpKind::kSine,        ir::OpKind::kSqrt,
      ir::OpKind::kTan,         ir::OpKind::kTanh,
  };
  return std::find(std::begin(kCostly), std::end(kCostly), kind) != std::end(kCostly);
}

class RowLowering {
 public:
  RowLowering(const Computation& computation, bool merge_dims)
      : computation_(computation), kernel_(computation, computation.name), b_(kernel_.builder()) {
    for (const ir::Op* op : computation.ops) {
      if (op->kind != ir::OpKind::kReduce) continue;
      (ReducesBlocks(computation.function, *op) ? block_reduces_ : reduces_).push_back(op);
    }
    shape_ = computation.function.TensorOf(reduces_[0]->operands[0]).dims;
    const size_t reduced = reduces_[0]->As<ir::DimensionsAttributes>().dimensions.size();
    const size_t kept = shape_.size() - reduced;
    for (size_t d = 0; d < shape_.size(); ++d) {
      std::vector<Dims>& loops = d < kept ? rows_ : columns_;
      if (!merge_dims || loops.empty()) loops.push_back({1, 0});
      loops.back().extent *= shape_[d];
      ++loops.back().num_dims;
    }
    FindStages();
    FindKept();
  }

  absl::StatusOr<Kernel> Build() {
    if (!block_reduces_.empty()) {
      BuildBlocks();
    } else {
      b_.ForEach(ForStatement::Kind::kParallel, Extents(rows_), [&](absl::Span<const Var> vars) {
        row_.clear();
        for (size_t i = 0; i < vars.size(); ++i) row_.push_back({vars[i], rows_[i].num_dims});
        BuildRow();
      });
    }
    ACCELD_RETURN_IF_ERROR(sink_.status());
    return kernel_.Finish();
  }

  bool needed_division() { return kernel_.emitter().needed_division(); }

 private:
  // Adjacent dimensions that one loop iterates over.
  struct Dims {
    int64_t extent;
    int num_dims;
  };
  // An element of the current row.
  struct Column {
    Var number;                               // the row-major index in the row
    std::vector<ElementIndex::Group> groups;  // the index in the dimensions of columns
    ElementIndex index;                       // the index in `shape_`
  };
  // The first and the last stage in which loops need a value's elements.
  struct Needed {
    int first = -1, last = -1;
    void Add(Needed other) {
      if (other.first < 0) return;
      first = first < 0 ? other.first : std::min(first, other.first);
      last = std::max(last, other.last);
    }
  };
  // A value whose elements of the current row are stored in scratch for later stages.
  struct Kept {
    ir::ValueId value;
    Needed needed;
    uint32_t scratch;
  };

  const ir::TensorType& TypeOf(ir::ValueId id) const { return computation_.function.TensorOf(id); }
  bool IsFull(ir::ValueId id) const { return TypeOf(id).dims == shape_; }

  bool IsOfBlock(ir::ValueId id) const {
    return std::any_of(block_reduces_.begin(), block_reduces_.end(), [&](const ir::Op* reduce) {
      return std::find(reduce->results.begin(), reduce->results.end(), id) != reduce->results.end();
    });
  }

  static std::vector<int64_t> Extents(const std::vector<Dims>& loops) {
    std::vector<int64_t> extents;
    for (const Dims& dims : loops) extents.push_back(dims.extent);
    return extents;
  }

  void BuildRow() {
    for (int stage = 0; stage < num_stages_; ++stage) BuildStage(stage);
    for (size_t i = 0; i < computation_.outputs.size(); ++i) {
      if (IsFull(computation_.outputs[i]) || IsOfBlock(computation_.outputs[i])) continue;
      const ir::Dims& dims = computation_.OutputType(i).dims;
      sink_.Note(kernel_.StoreOutput(i, ElementIndex::FromLinear(RowNumber(), dims)));
    }
  }

  // Builds loops over the blocks and the rows of each block. Scratch has the accumulators of the
  // block's columns.
  void BuildBlocks() {
    const ir::Dims& blocks = TypeOf(block_reduces_[0]->operands[0]).dims;
    std::vector<DType> dtypes;
    for (const ir::Op* reduce : block_reduces_) {
      for (ir::ValueId id : reduce->results) {
        dtypes.push_back(TypeOf(id).dtype);
        block_scratch_.push_back(b_.AddScratch({absl::StrCat("block", block_scratch_.size()),
                                                ComputeTypeOf(dtypes.back()), RowElements(),
                                                BufferParameter::Access::kReadWrite}));
      }
    }
    b_.ForEach(ForStatement::Kind::kParallel, {blocks[0]}, [&](absl::Span<const Var> block) {
      const std::vector<Element> initial = InitialOf(block_reduces_);
      ForEachColumn([&](const std::vector<ElementIndex::Group>& columns) {
        KeepBlock(Linear(columns, columns_), initial);
      });
      const bool any_order =
          std::all_of(block_reduces_.begin(), block_reduces_.end(), [this](const ir::Op* reduce) {
            return ir::IsSimpleReducer(computation_.function, reduce->regions[0]);
          });
      const auto kind =
          any_order ? ForStatement::Kind::kReduction : ForStatement::Kind::kSequential;
      b_.For(kind, blocks[1], [&](Var row) {
        row_in_block_ = {{block[0], 1}, {row, 1}};
        row_ = RowAt(b_.Linearize({block[0], row}, {blocks[1], 1}));
        BuildRow();
      });
      ForEachColumn([&](const std::vector<ElementIndex::Group>& columns) {
        StoreBlock(block[0], columns, dtypes);
      });
    });
  }

  std::vector<ElementIndex::Group> RowAt(Var number) {
    std::vector<ElementIndex::Group> groups(rows_.size());
    for (size_t i = rows_.size(); i-- > 1;) {
      const Var extent = b_.Index(rows_[i].extent);
      groups[i] = {b_.Apply(ScalarOp::kRemainder, {number, extent}), rows_[i].num_dims};
      number = b_.Apply(ScalarOp::kDivide, {number, extent});
    }
    groups[0] = {number, rows_[0].num_dims};
    return groups;
  }

  void ForEachColumn(const std::function<void(const std::vector<ElementIndex::Group>&)>& body) {
    b_.ForEach(ForStatement::Kind::kParallel, Extents(columns_), [&](absl::Span<const Var> vars) {
      std::vector<ElementIndex::Group> columns;
      for (size_t i = 0; i < vars.size(); ++i) columns.push_back({vars[i], columns_[i].num_dims});
      body(columns);
    });
  }

  std::vector<Element> LoadBlock(Var column) {
    std::vector<Element> elements;
    for (uint32_t buffer : block_scratch_) elements.push_back({b_.Load(buffer, column)});
    return elements;
  }

  void KeepBlock(Var column, const std::vector<Element>& elements) {
    for (size_t i = 0; i < block_scratch_.size(); ++i) {
      b_.Store(block_scratch_[i], column, elements[i].re);
    }
  }

  // Combines the current row's element of a column with the column's accumulators.
  void ReduceBlock(const Column& column) {
    std::vector<Element> accumulators = LoadBlock(column.number), next;
    for (const ir::Op* reduce : block_reduces_) {
      const size_t n = reduce->results.size();
      std::vector<Element> arguments(accumulators.begin() + next.size(),
                                     accumulators.begin() + next.size() + n);
      for (size_t i = 0; i < n; ++i) {
        const absl::StatusOr<Element> element = EvaluateInBlocks(reduce->operands[i], column);
        sink_.Note(element.status());
        arguments.push_back(element.ok() ? *element : arguments[i]);
      }
      const auto results = EmitScalarRegion(kernel_.emitter(), reduce->regions[0], arguments,
                                            /*keep_precision=*/true);
      sink_.Note(results.status());
      for (size_t i = 0; i < n; ++i) next.push_back(results.ok() ? (*results)[i] : arguments[i]);
    }
    KeepBlock(column.number, next);
  }

  // Evaluates an operand of a reduction of blocks. If it is a reshape of a value of shape `shape_`,
  // that value is evaluated instead, at the current row.
  absl::StatusOr<Element> EvaluateInBlocks(ir::ValueId id, const Column& column) {
    for (const ir::Op* op : computation_.ops) {
      if (op->results[0] == id && op->kind == ir::OpKind::kReshape && IsFull(op->operands[0])) {
        return kernel_.emitter().Evaluate(op->operands[0], column.index);
      }
    }
    std::vector<ElementIndex::Group> groups = row_in_block_;
    groups.insert(groups.end(), column.groups.begin(), column.groups.end());
    return kernel_.emitter().Evaluate(id, ElementIndex::FromGroups(groups, TypeOf(id).dims));
  }

  void StoreBlock(Var block, std::vector<ElementIndex::Group> groups,
                  const std::vector<DType>& dtypes) {
    const std::vector<Element> elements = LoadBlock(Linear(groups, columns_));
    groups.insert(groups.begin(), {block, 1});
    const ir::Dims& dims = TypeOf(block_reduces_[0]->results[0]).dims;
    const ElementIndex index = ElementIndex::FromGroups(groups, dims);
    size_t k = 0;
    for (const ir::Op* reduce : block_reduces_) {
      for (ir::ValueId id : reduce->results) {
        kernel_.emitter().SetElement(id, index, RoundElement(b_, dtypes[k], elements[k]));
        ++k;
      }
    }
    for (size_t i = 0; i < computation_.outputs.size(); ++i) {
      if (IsOfBlock(computation_.outputs[i])) sink_.Note(kernel_.StoreOutput(i, index));
    }
  }

  int StageOf(ir::ValueId id) const {
    const auto it = stages_.find(id);
    return it == stages_.end() ? 0 : it->second;
  }

  // Finds the stage of each value: the length of the longest chain of dependent reductions of rows
  // that ends in the value.
  void FindStages() {
    for (const ir::Op* op : computation_.ops) {
      int stage = 0;
      for (ir::ValueId id : op->operands) stage = std::max(stage, StageOf(id));
      if (op->kind == ir::OpKind::kReduce && !ReducesBlocks(computation_.function, *op)) ++stage;
      for (ir::ValueId id : op->results) stages_[id] = stage;
      num_stages_ = std::max(num_stages_, stage + 1);
    }
  }

  // Finds the values to keep in scratch: those that are costly to compute and needed in several
  // stages. The first of these stages stores them.
  void FindKept() {
    absl::flat_hash_map<ir::ValueId, Needed> needed;
    for (ir::ValueId id : computation_.outputs) {
      if (IsFull(id)) needed[id].Add({StageOf(id), StageOf(id)});
    }
    for (size_t i = computation_.ops.size(); i-- > 0;) {
      const ir::Op& op = *computation_.ops[i];
      Needed asked = needed[op.results[0]];
      if (op.kind == ir::OpKind::kReduce && ReducesBlocks(computation_.function, op)) {
        asked = {num_stages_ - 1, num_stages_ - 1};
      } else if (op.kind == ir::OpKind::kReduce) {
        const int stage = StageOf(op.results[0]) - 1;
        asked = {stage, stage};
      } else if (asked.first < asked.last && IsFull(op.results[0]) && IsCostly(op.kind) &&
                 !ir::IsComplex(TypeOf(op.results[0]).dtype)) {
        kept_.push_back({op.results[0], asked, 0});
        asked.last = asked.first;
      }
      for (ir::ValueId id : op.operands) needed[id].Add(asked);
    }
    for (Kept& kept : kept_) {
      kept.scratch =
          b_.AddScratch({absl::StrCat("row", kept.value), ComputeTypeOf(TypeOf(kept.value).dtype),
                         RowElements(), BufferParameter::Access::kReadWrite});
    }
  }

  int64_t RowElements() const {
    return std::accumulate(columns_.begin(), columns_.end(), int64_t{1},
                           [](int64_t product, const Dims& dims) { return product * dims.extent; });
  }

  Var RowNumber() { return Linear(row_, rows_); }

  Var Linear(const std::vector<ElementIndex::Group>& groups, const std::vector<Dims>& loops) {
    std::vector<Var> vars;
    std::vector<int64_t> strides(groups.size(), 1);
    for (const ElementIndex::Group& group : groups) vars.push_back(group.var);
    for (size_t i = groups.size(); i-- > 1;) strides[i - 1] = strides[i] * loops[i].extent;
    return vars.size() == 1 ? vars[0] : b_.Linearize(vars, strides);
  }

  void BuildStage(int stage) {
    std::vector<const ir::Op*> reduces;
    for (const ir::Op* reduce : reduces_) {
      if (StageOf(reduce->results[0]) == stage + 1) reduces.push_back(reduce);
    }
    if (!reduces.empty()) Reduce(stage, reduces);
    std::vector<size_t> outputs;
    for (size_t i = 0; i < computation_.outputs.size(); ++i) {
      const ir::ValueId id = computation_.outputs[i];
      if (IsFull(id) && StageOf(id) == stage) outputs.push_back(i);
    }
    const bool reduces_block = stage + 1 == num_stages_ && !block_reduces_.empty();
    if (outputs.empty() && !reduces_block) return;
    b_.ForEach(ForStatement::Kind::kParallel, Extents(columns_), [&](absl::Span<const Var> vars) {
      const Column column = ColumnAt(vars);
      LoadKept(stage, column, /*stored=*/!reduces.empty());
      for (size_t i : outputs) sink_.Note(kernel_.StoreOutput(i, column.index));
      if (reduces_block) ReduceBlock(column);
      if (reduces.empty()) StoreKept(stage, column);
    });
  }

  Column ColumnAt(absl::Span<const Var> vars) {
    std::vector<ElementIndex::Group> columns;
    for (size_t i = 0; i < vars.size(); ++i) columns.push_back({vars[i], columns_[i].num_dims});
    std::vector<ElementIndex::Group> groups = row_;
    groups.insert(groups.end(), columns.begin(), columns.end());
    return {Linear(columns, columns_), columns, ElementIndex::FromGroups(groups, shape_)};
  }

  // Loads the kept values of this column that earlier stages have stored; with `stored`, also those
  // that this stage has stored.
  void LoadKept(int stage, const Column& column, bool stored) {
    for (const Kept& kept : kept_) {
      const bool is_stored = stored ? kept.needed.first <= stage : kept.needed.first < stage;
      if (!is_stored || kept.needed.last < stage) continue;
      const Var value = b_.Load(kept.scratch, column.number);
      kernel_.emitter().BindElement(kept.value, {value, value});
    }
  }

  void StoreKept(int stage, const Column& column) {
    for (const Kept& kept : kept_) {
      if (kept.needed.first != stage) continue;
      const absl::StatusOr<Element> element = kernel_.emitter().Evaluate(kept.value, column.index);
      sink_.Note(element.status());
      if (element.ok()) b_.Store(kept.scratch, column.number, element->re);
    }
  }

  // Builds one loop nest for all reductions of a stage. Their results are bound for every index,
  // because they are used only in the current row.
  void Reduce(int stage, const std::vector<const ir::Op*>& reduces) {
    std::vector<DType> dtypes;
    for (const ir::Op* reduce : reduces) {
      for (ir::ValueId id : reduce->results) dtypes.push_back(TypeOf(id).dtype);
    }
    const std::vector<Var> sums = ReduceLoops(
        {}, Flatten(InitialOf(reduces), dtypes),
        [&](const Column& column, absl::Span<const Var> current) {
          LoadKept(stage, column, /*stored=*/false);
          const std::vector<Element> accumulators = Unflatten(current, dtypes);
          const auto next = ReduceElement(kernel_.emitter(), reduces, column.index, accumulators);
          sink_.Note(next.status());
          StoreKept(stage, column);
          return Flatten(next.ok() ? *next : accumulators, dtypes);
        });
    const std::vector<Element> results = Unflatten(sums, dtypes);
    size_t k = 0;
    for (const ir::Op* reduce : reduces) {
      for (ir::ValueId result : reduce->results) {
        kernel_.emitter().BindElement(result, RoundElement(b_, dtypes[k], results[k]));
        ++k;
      }
    }
  }

  std::vector<Element> InitialOf(const std::vector<const ir::Op*>& reduces) {
    std::vector<Element> initial;
    for (const ir::Op* reduce : reduces) {
      const size_t n = reduce->results.size();
      for (size_t i = 0; i < n; ++i) {
        const absl::StatusOr<Element> element =
            kernel_.emitter().Evaluate(reduce->operands[n + i], ElementIndex::Scalar());
        sink_.Note(element.status());
        const Var zero = b_.Constant(ComputeTypeOf(TypeOf(reduce->results[i]).dtype), 0);
        initial.push_back(element.ok() ? *element : Element{zero, zero});
      }
    }
    return initial;
  }

  using Step = std::function<std::vector<Var>(const Column&, absl::Span<const Var>)>;

  std::vector<Var> ReduceLoops(const std::vector<Var>& outer, absl::Span<const Var> current,
                               const Step& step) {
    if (outer.size() == columns_.size()) return step(ColumnAt(outer), current);
    const bool innermost = outer.size() + 1 == columns_.size();
    const auto kind = innermost ? ForStatement::Kind::kReduction : ForStatement::Kind::kSequential;
    return b_.For(kind, columns_[outer.size()].extent, current,
                  [&](Var induction, absl::Span<const Var> values) {
                    std::vector<Var> vars = outer;
                    vars.push_back(induction);
                    return ReduceLoops(vars, values, step);
                  });
  }

  const Computation& computation_;
  OpKernel kernel_;
  KernelBuilder& b_;
  std::vector<const ir::Op*> reduces_;        // reductions of rows
  std::vector<const ir::Op*> block_reduces_;  // reductions of the columns of each block of rows
  ir::Dims shape_;
  std::vector<Dims> rows_, columns_;
  absl::flat_hash_map<ir::ValueId, int> stages_;
  int num_stages_ = 1;
  std::vector<Kept> kept_;
  std::vector<ElementIndex::Group> row_, row_in_block_;
  std::vector<uint32_t> block_scratch_;  // for each result of `block_reduces_`
  StatusSink sink_;
};

}  // namespace

bool IsRowFusion(const Computation& computation) {
  absl::flat_hash_set<ir::ValueId> reduced;  // results of reductions and values that depend on them
  const ir::Op* first = nullptr;
  for (const ir::Op* op : computation.ops) {
    const bool depends = std::any_of(op->operands.begin(), op->operands.end(),
                                     [&](ir::ValueId id) { return reduced.contains(id); });
    const bool reduces = op->kind == ir::OpKind::kReduce;
    if (reduces && depends) return true;
    if (reduces && first == nullptr) first = op;
    if (reduces || depends) reduced.insert(op->results.begin(), op->results.end());
  }
  if (first == nullptr) return false;
  const ir::Dims& dims = computation.function.TensorOf(first->results[0]).dims;
  return std::any_of(computation.outputs.begin(), computation.outputs.end(), [&](ir::ValueId id) {
    return computation.function.TensorOf(id).dims != dims;
  });
}

absl::StatusOr<LoweredOp> LowerRows(const Computation& computation) {
  if (std::none_of(computation.ops.begin(), computation.ops.end(), [&](const ir::Op* op) {
        return op->kind == ir::OpKind::kReduce && !ReducesBlocks(computation.function, *op);
      })) {
    return absl::UnimplementedError(
        absl::StrCat(computation.name, ": a fusion of rows that reduces none"));
  }
  LoweredOp lowered;
  for (const bool merge : {true, false}) {
    RowLowering lowering(computation, merge);
    ACCELD_ASSIGN_OR_RETURN(Kernel kernel, lowering.Build());
    if (merge && lowering.needed_division()) continue;
    lowered.kernels.push_back(std::move(kernel));
    break;
  }
  return lowered;
}

}  // namespace acceld::kernels

// reduce, and fusions of elementwise and indexing producers into reductions over one shape.
// Source: StableHLO specification, "reduce". f16, bf16 and 8-bit sums accumulate in f32 and round
// once, as JAX does.
#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "kernels/lowering/op_kernel.h"
#include "kernels/lowering/reducer.h"
#include "kernels/lowering/selective_loop.h"

namespace acceld::kernels {
namespace {

// The smallest number of columns in a tile. The accumulators of a tile's columns are in scratch at
// the same time.
constexpr int64_t kMinTile = 16;
// The largest number of columns in a tile, and the number of tiles below which tiles are halved.
struct TileChoice {
  int64_t max_columns, wanted_tiles;
};
// For inputs that fit caches: tiles are small, so that their accumulators stay in registers.
constexpr TileChoice kNear = {128, 8};
// For inputs of at least kFarElements, which come from memory: long pieces of rows are read faster,
// and the accumulators stay in a cache.
constexpr int64_t kFarElements = int64_t{1} << 21;
constexpr TileChoice kFar = {8192, 8};
// The largest number of rows that are reduced together if the steps of a reduction depend on each
// other, so that independent steps can overlap.
constexpr int64_t kMaxRows = 8;

// Adjacent input dimensions that are all reduced or all kept, and that one loop iterates over.
struct DimGroup {
  bool reduced;
  int num_dims;
  int64_t extent;
};

class ReductionLowering {
 public:
  ReductionLowering(const Computation& computation, std::vector<const ir::Op*> reduces,
                    std::vector<DimGroup> groups)
      : computation_(computation),
        reduces_(std::move(reduces)),
        groups_(std::move(groups)),
        kernel_(computation, computation.name),
        b_(kernel_.builder()) {
    input_shape_ = Input(*reduces_[0]).dims;
    result_shape_ = computation.function.TensorOf(reduces_[0]->results[0]).dims;
    for (const ir::Op* reduce : reduces_) {
      simple_ &= ir::IsSimpleReducer(computation.function, reduce->regions[0]);
      picks_ &= IsSelectingReducer(reduce->regions[0]);
      for (ir::ValueId result : reduce->results) {
        dtypes_.push_back(computation.function.TensorOf(result).dtype);
      }
    }
  }

  absl::StatusOr<Kernel> Build() {
    size_t last = groups_.size();
    while (last > 0 && groups_[last - 1].extent == 1) --last;
    if (last > 0 && !groups_[last - 1].reduced && HasReducedLoop()) {
      BuildColumns(last - 1);
    } else {
      BuildRows();
    }
    ACCELD_RETURN_IF_ERROR(sink_.status());
    return kernel_.Finish();
  }

  bool needed_division() { return kernel_.emitter().needed_division(); }

 private:
  const ir::TensorType& Input(const ir::Op& reduce) const {
    return computation_.function.TensorOf(reduce.operands[0]);
  }

  bool HasReducedLoop() const {
    return std::any_of(groups_.begin(), groups_.end(),
                       [](const DimGroup& g) { return g.reduced && g.extent != 1; });
  }

  std::vector<size_t> GroupsWhere(bool reduced) const {
    std::vector<size_t> found;
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].reduced == reduced) found.push_back(g);
    }
    return found;
  }

  std::vector<Element> Initial() {
    std::vector<Element> initial;
    for (const ir::Op* reduce : reduces_) {
      const size_t n = reduce->results.size();
      for (size_t i = 0; i < n; ++i) {
        absl::StatusOr<Element> element =
            kernel_.emitter().Evaluate(reduce->operands[n + i], ElementIndex::Scalar());
        sink_.Note(element.status());
        initial.push_back(element.ok() ? *element : Zero(dtypes_[initial.size()]));
      }
    }
    return initial;
  }

  // A substitute after an error, so that open loops can be completed.
  Element Zero(DType dtype) {
    const Var zero = b_.Constant(ComputeTypeOf(dtype), 0);
    return {zero, zero};
  }

  // Combines the input elements at index `vars` (one value for each group) with the accumulators.
  std::vector<Element> Accumulate(const std::vector<Var>& vars,
                                  const std::vector<Element>& accumulators) {
    absl::StatusOr<std::vector<Element>> next = TryAccumulate(vars, accumulators);
    sink_.Note(next.status());
    return next.ok() ? *std::move(next) : accumulators;
  }

  absl::StatusOr<std::vector<Element>> TryAccumulate(const std::vector<Var>& vars,
                                                     const std::vector<Element>& accumulators) {
    std::vector<ElementIndex::Group> groups;
    for (size_t g = 0; g < groups_.size(); ++g) groups.push_back({vars[g], groups_[g].num_dims});
    const ElementIndex index = ElementIndex::FromGroups(groups, input_shape_);
    return ReduceElement(kernel_.emitter(), reduces_, index, accumulators);
  }

  // Makes the accumulators the results of the reductions at the kept index, and stores the outputs,
  // which may be elementwise functions of these results.
  void StoreOutputs(const std::vector<Var>& vars, const std::vector<Element>& accumulators) {
    std::vector<ElementIndex::Group> groups;
    for (size_t g : GroupsWhere(false)) groups.push_back({vars[g], groups_[g].num_dims});
    const ElementIndex index = ElementIndex::FromGroups(groups, result_shape_);
    size_t k = 0;
    for (const ir::Op* reduce : reduces_) {
      for (ir::ValueId result : reduce->results) {
        kernel_.emitter().SetElement(result, index, RoundElement(b_, dtypes_[k], accumulators[k]));
        ++k;
      }
    }
    for (size_t i = 0; i < computation_.outputs.size(); ++i) {
      sink_.Note(kernel_.StoreOutput(i, index));
    }
  }

  // Builds parallel loops over the kept dimensions, with loops over the reduced dimensions inside,
  // which carry the accumulators. If the reducer cannot be regrouped, each step depends on the step
  // before; then several adjacent rows go through the loops together.
  void BuildRows() {
    const std::vector<size_t> kept = GroupsWhere(false);
    const std::vector<size_t> reduced = GroupsWhere(true);
    std::vector<int64_t> extents;
    for (size_t g : kept) extents.push_back(groups_[g].extent);
    const bool one_by_one = simple_ || extents.empty() || !HasReducedLoop() || IsSelective();
    int64_t rows = one_by_one ? 1 : kMaxRows;
    while (rows > 1 && extents.back() % rows != 0) rows /= 2;
    if (rows > 1) extents.back() /= rows;
    b_.ForEach(ForStatement::Kind::kParallel, extents, [&](absl::Span<const Var> kept_vars) {
      std::vector<Var> vars(groups_.size());
      for (size_t i = 0; i < kept.size(); ++i) vars[kept[i]] = kept_vars[i];
      Rows together{kept.empty() ? 0 : kept.back(), {}};
      for (int64_t r = 0; !kept.empty() && r < rows; ++r) {
        const Var row = kept_vars.back();
        together.vars.push_back(
            rows == 1
                ? row
                : b_.Apply(ScalarOp::kAdd,
                           {b_.Apply(ScalarOp::kMultiply, {row, b_.Index(rows)}), b_.Index(r)}));
      }
      const std::vector<Var> initial = Flatten(Initial(), dtypes_);
      std::vector<Var> results;
      for (int64_t r = 0; r < rows; ++r) {
        results.insert(results.end(), initial.begin(), initial.end());
      }
      results = ReduceLoops(reduced, 0, vars, together, results);
      ForEachRow(together, vars, results,
                 [&](absl::Span<const Var> row) { StoreOutputs(vars, Unflatten(row, dtypes_)); });
    });
  }

  // Adjacent rows along one group of kept dimensions; `vars` has the index of each in the group,
  // and is empty if no dimension is kept.
  struct Rows {
    size_t group;
    std::vector<Var> vars;
  };

  // Calls `body` for each row with its part of `values`; meanwhile `vars` is the index of that row.
  void ForEachRow(const Rows& rows, std::vector<Var>& vars, absl::Span<const Var> values,
                  const std::function<void(absl::Span<const Var>)>& body) {
    const size_t count = std::max<size_t>(rows.vars.size(), 1);
    const size_t width = values.size() / count;
    for (size_t r = 0; r < count; ++r) {
      if (!rows.vars.empty()) vars[rows.group] = rows.vars[r];
      body(values.subspan(r * width, width));
    }
  }

  std::vector<Var> ReduceLoops(const std::vector<size_t>& reduced, size_t level,
                               std::vector<Var>& vars, const Rows& rows,
                               absl::Span<const Var> current) {
    if (level == reduced.size()) {
      std::vector<Var> next;
      ForEachRow(rows, vars, current, [&](absl::Span<const Var> row) {
        for (Var var : Flatten(Accumulate(vars, Unflatten(row, dtypes_)), dtypes_)) {
          next.push_back(var);
        }
      });
      return next;
    }
    const bool innermost = level + 1 == reduced.size();
    if (innermost && IsSelective()) return SelectiveReduce(reduced[level], vars, current);
    const auto kind = simple_ ? ForStatement::Kind::kReduction : ForStatement::Kind::kSequential;
    return b_.For(kind, groups_[reduced[level]].extent, current,
                  [&](Var induction, absl::Span<const Var> values) {
                    vars[reduced[level]] = induction;
                    return ReduceLoops(reduced, level + 1, vars, rows, values);
                  });
  }

  // Whether to skip blocks of elements that do not change the accumulators, as most do in an
  // argmax.
  bool IsSelective() const {
    return picks_ && !simple_ && groups_.back().reduced &&
           SelectiveLoop::Pays(groups_.back().extent);
  }

  std::vector<Var> SelectiveReduce(size_t group, std::vector<Var>& vars,
                                   absl::Span<const Var> current) {
    const auto step = [&](Var i, absl::Span<const Var> carried) {
      vars[group] = i;
      return Flatten(Accumulate(vars, Unflatten(carried, dtypes_)), dtypes_);
    };
    const auto changes = [&](Var i, absl::Span<const Var> carried) {
      return AnyDiffers(b_, step(i, carried), carried);
    };
    return SelectiveLoop{changes, step}.Build(b_, groups_[group].extent, current);
  }

  // Builds parallel loops over the outer kept dimensions and over tiles of the innermost kept one.
  // The accumulators of a tile's columns are in scratch, and the loops over reduced dimensions
  // enclose the loop over the columns, so that memory is read in order.
  void BuildColumns(size_t column_group) {
    std::vector<size_t> outer;
    std::vector<int64_t> extents;
    int64_t outer_extent = 1;
    for (size_t g : GroupsWhere(false)) {
      if (g == column_group) continue;
      outer.push_back(g);
      extents.push_back(groups_[g].extent);
      outer_extent *= groups_[g].extent;
    }
    const int64_t columns = groups_[column_group].extent;
    const TileChoice& choice = Input(*reduces_[0]).num_elements() < kFarElements ? kNear : kFar;
    int64_t tile = std::min(columns, choice.max_columns);
    while (tile > kMinTile && outer_extent * (columns / tile) < choice.wanted_tiles) tile /= 2;
    // A narrow remainder is added to the last full tile: a tile of one column would have no loop
    // over its columns, and a few columns touch as many cache lines as many columns do.
    int64_t full_tiles = columns / tile, last_tile = columns % tile;
    if (last_tile > 0 && last_tile < kMinTile) {
      --full_tiles;
      last_tile += tile;
    }
    std::vector<uint32_t> scratch;
    for (DType dtype : PartTypes()) {
      scratch.push_back(
          b_.AddScratch({absl::StrCat("accumulators", scratch.size()), dtype,
                         std::max(tile, last_tile), BufferParameter::Access::kReadWrite}));
    }
    const auto build = [&](int64_t first_column, int64_t num_tiles, int64_t tile_columns) {
      std::vector<int64_t> nest = extents;
      nest.push_back(num_tiles);
      b_.ForEach(ForStatement::Kind::kParallel, nest, [&](absl::Span<const Var> nest_vars) {
        std::vector<Var> vars(groups_.size());
        for (size_t g = 0; g < groups_.size(); ++g) vars[g] = b_.Index(0);
        for (size_t i = 0; i < outer.size(); ++i) vars[outer[i]] = nest_vars[i];
        const Var first = b_.Linearize({nest_vars.back()}, {tile}, first_column);
        BuildTile(column_group, first, tile_columns, scratch, vars);
      });
    };
    if (full_tiles > 0) build(0, full_tiles, tile);
    if (last_tile > 0) build(full_tiles * tile, 1, last_tile);
  }

  std::vector<DType> PartTypes() const {
    std::vector<DType> types;
    for (DType dtype : dtypes_) {
      types.insert(types.end(), ir::IsComplex(dtype) ? 2 : 1, ComputeTypeOf(dtype));
    }
    return types;
  }

  void BuildTile(size_t column_group, Var first, int64_t tile_columns,
                 const std::vector<uint32_t>& scratch, std::vector<Var> vars) {
    const auto for_columns = [&](const std::function<void(Var)>& body) {
      b_.For(ForStatement::Kind::kSequential, tile_columns, [&](Var c) {
        vars[column_group] = b_.Apply(ScalarOp::kAdd, {first, c});
        body(c);
      });
    };
    const auto load = [&](Var c) {
      std::vector<Var> values;
      for (uint32_t buffer : scratch) values.push_back(b_.Load(buffer, c));
      return Unflatten(values, dtypes_);
    };
    const auto store = [&](Var c, const std::vector<Element>& elements) {
      const std::vector<Var> values = Flatten(elements, dtypes_);
      for (size_t i = 0; i < scratch.size(); ++i) b_.Store(scratch[i], c, values[i]);
    };
    for_columns([&](Var c) { store(c, Initial()); });
    std::vector<size_t> reduced = GroupsWhere(true);
    std::vector<int64_t> extents;
    for (size_t g : reduced) extents.push_back(groups_[g].extent);
    const auto kind = simple_ ? ForStatement::Kind::kReduction : ForStatement::Kind::kSequential;
    b_.ForEach(kind, extents, [&](absl::Span<const Var> reduced_vars) {
      for (size_t i = 0; i < reduced.size(); ++i) vars[reduced[i]] = reduced_vars[i];
      for_columns([&](Var c) { store(c, Accumulate(vars, load(c))); });
    });
    for_columns([&](Var c) { StoreOutputs(vars, load(c)); });
  }

  const Computation& computation_;
  const std::vector<const ir::Op*> reduces_;
  const std::vector<DimGroup> groups_;
  OpKernel kernel_;
  KernelBuilder& b_;
  ir::Dims input_shape_, result_shape_;
  std::vector<DType> dtypes_;  // of all accumulators
  bool simple_ = true;
  bool picks_ = true;
  StatusSink sink_;
};

std::vector<DimGroup> GroupDims(const ir::Dims& shape, const std::vector<int64_t>& dimensions,
                                bool merge) {
  std::vector<DimGroup> groups;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool reduced = std::find(dimensions.begin(), dimensions.end(), static_cast<int64_t>(d)) !=
                         dimensions.end();
    if (merge && !groups.empty() && groups.back().reduced == reduced) {
      ++groups.back().num_dims;
      groups.back().extent *= shape[d];
    } else {
      groups.push_back({reduced, 1, shape[d]});
    }
  }
  return groups;
}

}  // namespace

absl::StatusOr<LoweredOp> LowerReductions(const Computation& computation) {
  std::vector<const ir::Op*> reduces;
  for (const ir::Op* op : computation.ops) {
    if (op->kind == ir::OpKind::kReduce) reduces.push_back(op);
  }
  if (reduces.empty()) {
    return absl::UnimplementedError(
        absl::StrCat(computation.name, ": a reduction fusion without a reduction"));
  }
  const ir::Function& function = computation.function;
  const ir::Dims& shape = function.TensorOf(reduces[0]->operands[0]).dims;
  const auto& dimensions = reduces[0]->As<ir::DimensionsAttributes>().dimensions;
  for (const ir::Op* reduce : reduces) {
    std::vector<int64_t> own = reduce->As<ir::DimensionsAttributes>().dimensions;
    std::vector<int64_t> first = dimensions;
    std::sort(own.begin(), own.end());
    std::sort(first.begin(), first.end());
    if (function.TensorOf(reduce->operands[0]).dims != shape || own != first) {
      return absl::UnimplementedError(absl::StrCat(
          computation.name, ": a fusion of reductions over different shapes or dimensions"));
    }
  }
  const ir::Dims& result_shape = function.TensorOf(reduces[0]->results[0]).dims;
  for (size_t i = 0; i < computation.outputs.size(); ++i) {
    if (computation.OutputType(i).dims != result_shape) {
      return absl::UnimplementedError(absl::StrCat(computation.name,
                                                   ": a reduction fusion with output ",
                                                   computation.OutputType(i).ToString()));
    }
  }
  LoweredOp lowered;
  for (const bool merge : {true, false}) {
    ReductionLowering lowering(computation, reduces, GroupDims(shape, dimensions, merge));
    ACCELD_ASSIGN_OR_RETURN(Kernel kernel, lowering.Build());
    if (merge && lowering.needed_division()) continue;
    lowered.kernels.push_back(std::move(kernel));
    break;
  }
  return lowered;
}

absl::StatusOr<LoweredOp> LowerReduce(const Computation& computation) {
  return LowerReductions(computation);
}

}  // namespace acceld::kernels

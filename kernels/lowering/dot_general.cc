// Lowers dot_general to a loop nest, for products that no library call covers: any batching and
// contracting dimensions and any element types. Source: StableHLO specification, "dot_general".
#include <algorithm>

#include "common/ir/types/product_type.h"
#include "kernels/lowering/op_kernel.h"
#include "kernels/lowering/products.h"
#include "kernels/lowering/reducer.h"
#include "kernels/lowering/tiled_sums.h"

namespace acceld::kernels {
namespace {

// The number of result columns from which TiledSums pays.
constexpr int64_t kMinTile = 8;

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

class DotLowering {
 public:
  explicit DotLowering(const Computation& computation)
      : op_(computation.op),
        numbers_(op_.As<ir::DotGeneralAttributes>().dot_dimension_numbers),
        lhs_(computation.function.TensorOf(op_.operands[0])),
        rhs_(computation.function.TensorOf(op_.operands[1])),
        result_(computation.OutputType()),
        accumulation_(ir::AccumulationTypeOf(lhs_.dtype, rhs_.dtype, result_.dtype)),
        kernel_(computation, computation.name),
        b_(kernel_.builder()) {
    for (int64_t d : numbers_.lhs_contracting_dimensions) {
      contracted_.push_back(lhs_.dims[d]);
      num_products_ *= lhs_.dims[d];
    }
  }

  absl::StatusOr<Kernel> Build() {
    const int64_t last = rhs_.rank() - 1;
    const bool rhs_rows_contiguous =
        last >= 0 && !Contains(numbers_.rhs_contracting_dimensions, last) &&
        !Contains(numbers_.rhs_batching_dimensions, last) && rhs_.dims[last] >= kMinTile;
    if (rhs_rows_contiguous && num_products_ > 1) {
      BuildTiles();
    } else {
      b_.ForEach(ForStatement::Kind::kParallel, result_.dims, [&](absl::Span<const Var> vars) {
        const std::vector<Var> index(vars.begin(), vars.end());
        std::vector<Var> products;
        Store(index, Unflatten(SumLoops(0, index, products, Zero()), {accumulation_})[0]);
      });
    }
    ACCELD_RETURN_IF_ERROR(sink_.status());
    return kernel_.Finish();
  }

 private:
  std::vector<Var> Zero() {
    const Var zero = b_.Constant(ir::RealPartOf(accumulation_), 0);
    return Flatten({{zero, zero}}, {accumulation_});
  }

  void Store(const std::vector<Var>& index, const Element& sum) {
    kernel_.Store(0, ElementIndex::FromDims(index, result_.dims),
                  FinishSum(b_, lhs_.dtype, rhs_.dtype, result_.dtype, sum));
  }

  // The index of an operand's element. Its batching dimensions have the first indices of the
  // result, its contracting dimensions those of `k`, the others the indices of the result from
  // `free` on.
  static ElementIndex OperandIndex(const ir::TensorType& type, const std::vector<int64_t>& batching,
                                   const std::vector<int64_t>& contracting,
                                   const std::vector<Var>& result, size_t free,
                                   const std::vector<Var>& k) {
    std::vector<Var> dims(type.dims.size());
    for (size_t i = 0; i < batching.size(); ++i) dims[batching[i]] = result[i];
    for (size_t i = 0; i < contracting.size(); ++i) dims[contracting[i]] = k[i];
    for (int64_t d = 0; d < type.rank(); ++d) {
      if (!Contains(batching, d) && !Contains(contracting, d)) dims[d] = result[free++];
    }
    return ElementIndex::FromDims(dims, type.dims);
  }

  // `current` plus the product at contracted index `k`.
  std::vector<Var> AddProduct(const std::vector<Var>& result, const std::vector<Var>& k,
                              const std::vector<Var>& current) {
    const size_t batch = numbers_.lhs_batching_dimensions.size();
    const size_t lhs_free = lhs_.dims.size() - batch - k.size();
    const absl::StatusOr<Element> x = kernel_.emitter().EvaluateOperand(
        op_, 0,
        OperandIndex(lhs_, numbers_.lhs_batching_dimensions, numbers_.lhs_contracting_dimensions,
                     result, batch, k));
    const absl::StatusOr<Element> y = kernel_.emitter().EvaluateOperand(
        op_, 1,
        OperandIndex(rhs_, numbers_.rhs_batching_dimensions, numbers_.rhs_contracting_dimensions,
                     result, batch + lhs_free, k));
    sink_.Note(x.status());
    sink_.Note(y.status());
    if (!sink_.status().ok()) return current;
    const Element sum = MultiplyAdd(
        b_, accumulation_, ConvertElement(b_, lhs_.dtype, accumulation_, *x),
        ConvertElement(b_, rhs_.dtype, accumulation_, *y), Unflatten(current, {accumulation_})[0]);
    return Flatten({sum}, {accumulation_});
  }

  std::vector<Var> SumLoops(size_t level, const std::vector<Var>& result, std::vector<Var>& k,
                            const std::vector<Var>& current) {
    if (level == contracted_.size()) return AddProduct(result, k, current);
    const bool reorder = MayReorderSum(accumulation_, num_products_);
    return b_.For(reorder ? ForStatement::Kind::kReduction : ForStatement::Kind::kSequential,
                  contracted_[level], current, [&](Var induction, absl::Span<const Var> values) {
                    k.push_back(induction);
                    std::vector<Var> next = SumLoops(
                        level + 1, result, k, std::vector<Var>(values.begin(), values.end()));
                    k.pop_back();
                    return next;
                  });
  }

  // For an rhs with contiguous rows.
  void BuildTiles() {
    const auto begin = [&](const std::vector<Var>&, absl::Span<const Var> product) {
      return [&, k = std::vector<Var>(product.begin(), product.end())](
                 const std::vector<Var>& index, const TiledSums::Sum& sum) {
        return AddProduct(index, k, sum);
      };
    };
    const auto store = [&](const std::vector<Var>& index, const TiledSums::Sum& sum) {
      Store(index, Unflatten(sum, {accumulation_})[0]);
    };
    TiledSums{
        result_, accumulation_, Zero(), contracted_, !MayReorderSum(accumulation_, num_products_),
        begin,   store}
        .Build(b_);
  }

  const ir::Op& op_;
  const ir::DotDimensionNumbers& numbers_;
  const ir::TensorType& lhs_;
  const ir::TensorType& rhs_;
  const ir::TensorType& result_;
  const DType accumulation_;
  OpKernel kernel_;
  KernelBuilder& b_;
  std::vector<int64_t> contracted_;
  int64_t num_products_ = 1;
  StatusSink sink_;
};

}  // namespace

absl::StatusOr<LoweredOp> LowerDotGeneral(const Computation& computation) {
  LoweredOp lowered;
  ACCELD_ASSIGN_OR_RETURN(Kernel kernel, DotLowering(computation).Build());
  lowered.kernels.push_back(std::move(kernel));
  return lowered;
}

}  // namespace acceld::kernels

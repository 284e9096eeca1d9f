// Lowers convolution to a loop nest, for convolutions that no library call covers: any dimension
// numbers, groups, dilations and element types. Window elements on padding or between dilated input
// elements are zeros, which are multiplied like other elements. Source: StableHLO specification,
// "convolution".
#include <algorithm>

#include "common/ir/types/product_type.h"
#include "kernels/lowering/op_kernel.h"
#include "kernels/lowering/products.h"
#include "kernels/lowering/reducer.h"
#include "kernels/lowering/tiled_sums.h"

namespace acceld::kernels {
namespace {

// The number of output features from which TiledSums pays.
constexpr int64_t kMinTile = 8;

int64_t AtOrOne(const std::vector<int64_t>& list, size_t i) { return list.empty() ? 1 : list[i]; }

class ConvolutionLowering {
 public:
  explicit ConvolutionLowering(const Computation& computation)
      : op_(computation.op),
        attributes_(op_.As<ir::ConvolutionAttributes>()),
        numbers_(attributes_.dimension_numbers),
        lhs_(computation.function.TensorOf(op_.operands[0])),
        rhs_(computation.function.TensorOf(op_.operands[1])),
        result_(computation.OutputType()),
        accumulation_(ir::AccumulationTypeOf(lhs_.dtype, rhs_.dtype, result_.dtype)),
        num_features_(rhs_.dims[numbers_.kernel_input_feature_dimension]),
        kernel_(computation, computation.name),
        b_(kernel_.builder()) {
    for (int64_t d : numbers_.kernel_spatial_dimensions) window_.push_back(rhs_.dims[d]);
    num_products_ = num_features_;
    for (int64_t extent : window_) num_products_ *= extent;
  }

  absl::StatusOr<Kernel> Build() {
    const int64_t last = result_.rank() - 1;
    const bool tiles = numbers_.output_feature_dimension == last &&
                       numbers_.kernel_output_feature_dimension == last &&
                       result_.dims[last] >= kMinTile && num_products_ > 1;
    if (tiles) {
      BuildTiles();
    } else {
      b_.ForEach(ForStatement::Kind::kParallel, result_.dims, [&](absl::Span<const Var> vars) {
        index_.assign(vars.begin(), vars.end());
        Store(Unflatten(WindowLoops(0, Cell::Origin(b_, window_.size()), Zero()),
                        {accumulation_})[0]);
      });
    }
    ACCELD_RETURN_IF_ERROR(sink_.status());
    return kernel_.Finish();
  }

 private:
  // An element of the window: its indices in the kernel and in the input along each spatial
  // dimension, and an i1 that tells whether there is an input element at it. If there is none, the
  // input indices are arbitrary but in bounds.
  struct Cell {
    std::vector<Var> kernel, input;
    Var inside;

    static Cell Origin(KernelBuilder& b, size_t rank) {
      return {std::vector<Var>(rank), std::vector<Var>(rank), b.ConstantInt(DType::kI1, 1)};
    }
  };

  Var Apply(ScalarOp op, Var x, int64_t y) { return b_.Apply(op, {x, b_.Index(y)}); }

  std::vector<Var> Zero() {
    const Var zero = b_.Constant(ir::RealPartOf(accumulation_), 0);
    return Flatten({{zero, zero}}, {accumulation_});
  }

  void Store(const Element& sum) {
    kernel_.Store(0, ElementIndex::FromDims(index_, result_.dims),
                  FinishSum(b_, lhs_.dtype, rhs_.dtype, result_.dtype, sum));
  }

  // Returns `cell` with its indices in spatial dimension `d` set for window index `k`.
  Cell Moved(Cell cell, size_t d, Var k) {
    const int64_t size = lhs_.dims[numbers_.input_spatial_dimensions[d]];
    const int64_t dilation = AtOrOne(attributes_.lhs_dilation, d);
    const int64_t low = attributes_.padding.pairs.empty() ? 0 : attributes_.padding.pairs[d].first;
    const Var position = index_[numbers_.output_spatial_dimensions[d]];
    const Var start = Apply(ScalarOp::kMultiply, position, AtOrOne(attributes_.window_strides, d));
    const Var step = Apply(ScalarOp::kMultiply, k, AtOrOne(attributes_.rhs_dilation, d));
    const Var at = Apply(ScalarOp::kSubtract, b_.Apply(ScalarOp::kAdd, {start, step}), low);
    const int64_t last = std::max<int64_t>(0, size - 1) * dilation;
    const auto require = [&](Var condition) {
      cell.inside = b_.Apply(ScalarOp::kAnd, {cell.inside, condition});
    };
    require(Apply(ScalarOp::kGe, at, 0));
    require(Apply(ScalarOp::kLe, at, last));
    const Var clamped = Apply(ScalarOp::kMax, Apply(ScalarOp::kMin, at, last), 0);
    if (dilation != 1) {
      require(Apply(ScalarOp::kEq, Apply(ScalarOp::kRemainder, clamped, dilation), 0));
    }
    cell.input[d] = Apply(ScalarOp::kDivide, clamped, dilation);
    const bool reversed = !attributes_.window_reversal.empty() && attributes_.window_reversal[d];
    cell.kernel[d] = reversed ? b_.Apply(ScalarOp::kSubtract, {b_.Index(window_[d] - 1), k}) : k;
    return cell;
  }

  Element Factor(int operand, const std::vector<Var>& dims) {
    const ir::TensorType& type = operand == 0 ? lhs_ : rhs_;
    const absl::StatusOr<Element> element =
        kernel_.emitter().EvaluateOperand(op_, operand, ElementIndex::FromDims(dims, type.dims));
    sink_.Note(element.status());
    if (!element.ok()) return Unflatten(Zero(), {accumulation_})[0];
    return ConvertElement(b_, type.dtype, accumulation_, *element);
  }

  // Emits the input element under `cell`, for input feature `feature` of the output feature's
  // group.
  Element Input(const Cell& cell, Var feature) {
    const Element zero = Unflatten(Zero(), {accumulation_})[0];
    if (lhs_.num_elements() == 0) return zero;
    const int64_t groups = attributes_.feature_group_count * attributes_.batch_group_count;
    const int64_t group_outputs = result_.dims[numbers_.output_feature_dimension] / groups;
    const Var group = Apply(ScalarOp::kDivide, index_[numbers_.output_feature_dimension],
                            std::max<int64_t>(1, group_outputs));
    std::vector<Var> dims(lhs_.dims.size());
    Var batch = index_[numbers_.output_batch_dimension];
    if (attributes_.batch_group_count > 1) {
      const int64_t batches = result_.dims[numbers_.output_batch_dimension];
      batch = b_.Apply(ScalarOp::kAdd, {batch, Apply(ScalarOp::kMultiply, group, batches)});
    } else {
      feature =
          b_.Apply(ScalarOp::kAdd, {feature, Apply(ScalarOp::kMultiply, group, num_features_)});
    }
    dims[numbers_.input_batch_dimension] = batch;
    dims[numbers_.input_feature_dimension] = feature;
    for (size_t d = 0; d < window_.size(); ++d) {
      dims[numbers_.input_spatial_dimensions[d]] = cell.input[d];
    }
    Element x = Factor(0, dims);
    x.re = b_.Select(cell.inside, x.re, zero.re);
    if (ir::IsComplex(accumulation_)) x.im = b_.Select(cell.inside, x.im, zero.im);
    return x;
  }

  std::vector<Var> AddProduct(const Cell& cell, Var feature, const std::vector<Var>& current) {
    std::vector<Var> dims(rhs_.dims.size());
    dims[numbers_.kernel_input_feature_dimension] = feature;
    dims[numbers_.kernel_output_feature_dimension] = index_[numbers_.output_feature_dimension];
    for (size_t d = 0; d < window_.size(); ++d) {
      dims[numbers_.kernel_spatial_dimensions[d]] = cell.kernel[d];
    }
    const Element x = Input(cell, feature);
    return Flatten({MultiplyAdd(b_, accumulation_, x, Factor(1, dims),
                                Unflatten(current, {accumulation_})[0])},
                   {accumulation_});
  }

  // The sum at `index_` over the window and, innermost, the input features.
  std::vector<Var> WindowLoops(size_t d, const Cell& cell, const std::vector<Var>& current) {
    const bool innermost = d == window_.size();
    const bool reorder = MayReorderSum(accumulation_, num_products_);
    return b_.For(
        reorder ? ForStatement::Kind::kReduction : ForStatement::Kind::kSequential,
        innermost ? num_features_ : window_[d], current, [&](Var k, absl::Span<const Var> values) {
          const std::vector<Var> sum(values.begin(), values.end());
          return innermost ? AddProduct(cell, k, sum) : WindowLoops(d + 1, Moved(cell, d, k), sum);
        });
  }

  // For convolutions whose output features are innermost in the result and in the kernel.
  void BuildTiles() {
    std::vector<int64_t> products = window_;
    products.push_back(num_features_);
    const auto begin = [&](const std::vector<Var>& index, absl::Span<const Var> product) {
      index_ = index;
      Cell cell = Cell::Origin(b_, window_.size());
      for (size_t d = 0; d < window_.size(); ++d) cell = Moved(std::move(cell), d, product[d]);
      return [&, cell, feature = product.back()](const std::vector<Var>& at,
                                                 const TiledSums::Sum& sum) {
        index_ = at;
        return AddProduct(cell, feature, sum);
      };
    };
    const auto store = [&](const std::vector<Var>& index, const TiledSums::Sum& sum) {
      index_ = index;
      Store(Unflatten(sum, {accumulation_})[0]);
    };
    TiledSums{result_,
              accumulation_,
              Zero(),
              std::move(products),
              !MayReorderSum(accumulation_, num_products_),
              begin,
              store}
        .Build(b_);
  }

  const ir::Op& op_;
  const ir::ConvolutionAttributes& attributes_;
  const ir::ConvolutionDimensionNumbers& numbers_;
  const ir::TensorType& lhs_;
  const ir::TensorType& rhs_;
  const ir::TensorType& result_;
  const DType accumulation_;
  const int64_t num_features_;  // input features of one group
  OpKernel kernel_;
  KernelBuilder& b_;
  std::vector<int64_t> window_;
  int64_t num_products_ = 1;
  std::vector<Var> index_;  // of the result element
  StatusSink sink_;
};

}  // namespace

absl::StatusOr<LoweredOp> LowerConvolution(const Computation& computation) {
  LoweredOp lowered;
  ACCELD_ASSIGN_OR_RETURN(Kernel kernel, ConvolutionLowering(computation).Build());
  lowered.kernels.push_back(std::move(kernel));
  return lowered;
}

}  // namespace acceld::kernels

#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "kernels/lowering/op_kernel.h"

namespace acceld::kernels {
namespace {

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Updates with large windows that may overlap are parallelized by target: the input is divided into
// kParts parts along a dimension, and each part goes through all updates in order and applies only
// its own. This is used for windows of at least kMinWindowElements and at least kMinUpdates
// updates, because then reading the indices of all updates costs little.
constexpr int64_t kParts = 32;
constexpr int64_t kMinWindowElements = 256;
constexpr int64_t kMinUpdates = 64;

// An index that is out of bounds for every dimension, and to which offsets can be added without
// overflow.
constexpr int64_t kFarIndex = int64_t{1} << 62;

class ScatterLowering {
 public:
  explicit ScatterLowering(const Computation& computation)
      : computation_(computation),
        op_(computation.op),
        attributes_(op_.As<ir::ScatterAttributes>()),
        numbers_(attributes_.scatter_dimension_numbers),
        num_inputs_(op_.results.size()),
        input_shape_(Type(0).dims),
        index_shape_(Type(num_inputs_).dims),
        update_shape_(Type(num_inputs_ + 1).dims),
        kernel_(computation, absl::StrCat(computation.name, "_update"),
                BufferParameter::Access::kReadWrite),
        b_(kernel_.builder()) {}

  // Builds loops over the updates, in row-major order of the scatter dimensions, with parallel
  // loops over the window elements inside, because these touch different elements of the input.
  absl::StatusOr<Kernel> BuildUpdate() {
    std::vector<int64_t> scatter_extents, window_extents;
    for (int64_t d = 0; d < static_cast<int64_t>(update_shape_.size()); ++d) {
      (Contains(numbers_.update_window_dims, d) ? window_extents : scatter_extents)
          .push_back(update_shape_[d]);
    }
    const auto outer = attributes_.unique_indices ? ForStatement::Kind::kParallel
                                                  : ForStatement::Kind::kSequential;
    StatusSink sink;
    // Applies the updates for whose start index `is_own` is true.
    const auto update_all = [&](const std::function<Var(const std::vector<Var>&)>& is_own) {
      b_.ForEach(outer, scatter_extents, [&](absl::Span<const Var> scatter_vars) {
        const std::vector<Var> scatter(scatter_vars.begin(), scatter_vars.end());
        const absl::StatusOr<std::vector<Var>> start = StartIndex(scatter);
        sink.Note(start.status());
        if (!start.ok()) return;
        b_.If(is_own(*start), [&] {
          b_.ForEach(ForStatement::Kind::kParallel, window_extents,
                     [&](absl::Span<const Var> window) {
                       sink.Note(UpdateElement(*start, scatter, {window.begin(), window.end()}));
                     });
        });
      });
    };
    const absl::optional<int64_t> dimension = DimensionToPart(scatter_extents, window_extents);
    if (dimension.has_value()) {
      const int64_t rows = (input_shape_[*dimension] + kParts - 1) / kParts;
      b_.For(ForStatement::Kind::kParallel, kParts, [&](Var part) {
        const Var first = b_.Apply(ScalarOp::kMultiply, {part, b_.Index(rows)});
        update_all([&](const std::vector<Var>& start) {
          const Var low = b_.Apply(ScalarOp::kGe, {start[*dimension], first});
          const Var high =
              b_.Apply(ScalarOp::kLt,
                       {start[*dimension], b_.Apply(ScalarOp::kAdd, {first, b_.Index(rows)})});
          return b_.Apply(ScalarOp::kAnd, {low, high});
        });
      });
    } else {
      update_all([&](const std::vector<Var>&) { return b_.ConstantInt(DType::kI1, 1); });
    }
    ACCELD_RETURN_IF_ERROR(sink.status());
    return kernel_.Finish();
  }

 private:
  // A dimension along which to divide the input into parts; nullopt if that does not pay. Each
  // update touches a single index of this dimension.
  absl::optional<int64_t> DimensionToPart(absl::Span<const int64_t> scatter_extents,
                                          absl::Span<const int64_t> window_extents) const {
    int64_t updates = 1, window = 1;
    for (int64_t extent : scatter_extents) updates *= extent;
    for (int64_t extent : window_extents) window *= extent;
    if (attributes_.unique_indices || updates < kMinUpdates || window < kMinWindowElements) {
      return absl::nullopt;
    }
    for (int64_t d : numbers_.scatter_dims_to_operand_dims) {
      if (Contains(numbers_.inserted_window_dims, d) && input_shape_[d] >= kParts) return d;
    }
    return absl::nullopt;
  }

  const ir::TensorType& Type(size_t operand) const {
    return computation_.function.TensorOf(op_.operands[operand]);
  }

  // Emits the start index, in each input dimension, of the window of the update at `scatter`. The
  // index is not clamped.
  absl::StatusOr<std::vector<Var>> StartIndex(const std::vector<Var>& scatter) {
    std::vector<Var> start(input_shape_.size(), b_.Index(0));
    for (size_t k = 0; k < numbers_.scatter_dims_to_operand_dims.size(); ++k) {
      std::vector<Var> dims = scatter;
      if (numbers_.index_vector_dim < static_cast<int64_t>(index_shape_.size())) {
        dims.insert(dims.begin() + numbers_.index_vector_dim, b_.Index(static_cast<int64_t>(k)));
      }
      ACCELD_ASSIGN_OR_RETURN(
          const Element element,
          kernel_.emitter().EvaluateOperand(op_, static_cast<int>(num_inputs_),
                                            ElementIndex::FromDims(dims, index_shape_)));
      start[numbers_.scatter_dims_to_operand_dims[k]] = ToIndex(element.re);
    }
    for (size_t k = 0; k < numbers_.input_batching_dims.size(); ++k) {
      int64_t position = numbers_.scatter_indices_batching_dims[k];
      if (position > numbers_.index_vector_dim) --position;
      start[numbers_.input_batching_dims[k]] = scatter[position];
    }
    return start;
  }

  // Converts an index to i64. An index that exceeds i64 becomes one that is out of bounds as well.
  Var ToIndex(Var value) {
    if (b_.TypeOf(value) == DType::kUI64) {
      value = b_.Apply(ScalarOp::kMin, {value, b_.ConstantInt(DType::kUI64, kFarIndex)});
    }
    return b_.Convert(DType::kI64, value);
  }

  absl::Status UpdateElement(const std::vector<Var>& start, const std::vector<Var>& scatter,
                             const std::vector<Var>& window) {
    std::vector<Var> target = start;
    size_t next_window = 0;
    for (int64_t d = 0; d < static_cast<int64_t>(target.size()); ++d) {
      if (Contains(numbers_.inserted_window_dims, d) || Contains(numbers_.input_batching_dims, d)) {
        continue;
      }
      target[d] = b_.Apply(ScalarOp::kAdd, {target[d], window[next_window++]});
    }
    Var inside = b_.ConstantInt(DType::kI1, 1);
    for (size_t d = 0; d < target.size(); ++d) {
      const Var low = b_.Apply(ScalarOp::kGe, {target[d], b_.Index(0)});
      const Var high = b_.Apply(ScalarOp::kLt, {target[d], b_.Index(input_shape_[d])});
      inside = b_.Apply(ScalarOp::kAnd, {inside, b_.Apply(ScalarOp::kAnd, {low, high})});
    }
    std::vector<Var> source;
    size_t from_scatter = 0, from_window = 0;
    for (int64_t d = 0; d < static_cast<int64_t>(update_shape_.size()); ++d) {
      source.push_back(Contains(numbers_.update_window_dims, d) ? window[from_window++]
                                                                : scatter[from_scatter++]);
    }
    absl::Status status;
    b_.If(inside, [&] {
      status = Combine(ElementIndex::FromDims(target, input_shape_),
                       ElementIndex::FromDims(source, update_shape_));
    });
    return status;
  }

  absl::Status Combine(const ElementIndex& target, const ElementIndex& source) {
    std::vector<Element> arguments;
    for (size_t i = 0; i < num_inputs_; ++i) arguments.push_back(kernel_.LoadResult(i, target));
    for (size_t i = 0; i < num_inputs_; ++i) {
      ACCELD_ASSIGN_OR_RETURN(
          const Element update,
          kernel_.emitter().EvaluateOperand(op_, static_cast<int>(num_inputs_ + 1 + i), source));
      arguments.push_back(update);
    }
    ACCELD_ASSIGN_OR_RETURN(const std::vector<Element> combined,
                            EmitScalarRegion(kernel_.emitter(), op_.regions[0], arguments,
                                             /*keep_precision=*/false));
    for (size_t i = 0; i < num_inputs_; ++i) kernel_.Store(i, target, combined[i]);
    return absl::OkStatus();
  }

  const Computation& computation_;
  const ir::Op& op_;
  const ir::ScatterAttributes& attributes_;
  const ir::ScatterDimensionNumbers& numbers_;
  const size_t num_inputs_;
  const ir::Dims& input_shape_;
  const ir::Dims& index_shape_;
  const ir::Dims& update_shape_;
  OpKernel kernel_;
  KernelBuilder& b_;
};

}  // namespace

// Source: StableHLO specification, "scatter". Updates are applied in order; elements outside the
// input are skipped.
absl::StatusOr<LoweredOp> LowerScatter(const Computation& computation) {
  LoweredOp lowered;
  lowered.kernels.push_back(
      CopyKernel(computation, absl::StrCat(computation.name, "_copy"), {{0, 0}}));
  std::vector<std::pair<size_t, size_t>> others;
  for (size_t i = 1; i < computation.op.results.size(); ++i) others.push_back({i, i});
  if (!others.empty()) {
    lowered.kernels.push_back(
        CopyKernel(computation, absl::StrCat(computation.name, "_copy_others"), others));
  }
  ACCELD_ASSIGN_OR_RETURN(Kernel update, ScatterLowering(computation).BuildUpdate());
  lowered.kernels.push_back(std::move(update));
  lowered.in_place_operand = 0;
  return lowered;
}

}  // namespace acceld::kernels

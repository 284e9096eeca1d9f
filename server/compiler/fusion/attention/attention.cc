#include "server/compiler/fusion/attention/attention.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "server/compiler/fusion/attention/scores.h"
#include "server/compiler/fusion/attention/softmax.h"
#include "server/compiler/fusion/splat.h"
#include "server/compiler/fusion/view.h"
#include "server/compiler/plan/steps/matmul.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

constexpr size_t kMaxChain = 12;
// The most dimensions of the scores after all splits of axes (Matcher::Build).
constexpr size_t kMaxAxes = 12;

// The dimensions of one operand of a dot_general.
struct DotSide {
  std::vector<int64_t> batching, contracting;
  // For each dimension of the operand the dimension of the result; -1 for a contracting dimension.
  std::vector<int64_t> result_dims;
};

// `operand` is 0 for lhs or 1 for rhs.
DotSide SideOf(const ir::Function& function, const ir::Op& dot, int operand) {
  const auto& numbers = dot.As<ir::DotGeneralAttributes>().dot_dimension_numbers;
  const auto free_of = [&](int i) {
    return FreeDimensions(
        function.TensorOf(dot.operands[static_cast<size_t>(i)]),
        i == 0 ? numbers.lhs_batching_dimensions : numbers.rhs_batching_dimensions,
        i == 0 ? numbers.lhs_contracting_dimensions : numbers.rhs_contracting_dimensions);
  };
  DotSide side{
      .batching = operand == 0 ? numbers.lhs_batching_dimensions : numbers.rhs_batching_dimensions,
      .contracting =
          operand == 0 ? numbers.lhs_contracting_dimensions : numbers.rhs_contracting_dimensions,
      .result_dims = {}};
  const size_t rank = function.TensorOf(dot.operands[static_cast<size_t>(operand)]).dims.size();
  side.result_dims.assign(rank, -1);
  int64_t next = 0;
  for (const int64_t dim : side.batching) side.result_dims[static_cast<size_t>(dim)] = next++;
  if (operand == 1) next += static_cast<int64_t>(free_of(0).size());
  for (const int64_t dim : free_of(operand)) side.result_dims[static_cast<size_t>(dim)] = next++;
  return side;
}

// Returns the view of an operand of a dot_general that has the dimensions of the dot's result. Its
// stride is 0 along those that come from the other operand; contracting dimensions are at index 0.
View OperandInResult(const ir::Function& function, const ir::Op& dot, int operand) {
  const ir::TensorType& type = function.TensorOf(dot.operands[static_cast<size_t>(operand)]);
  const ir::Dims& dims = function.TensorOf(dot.results[0]).dims;
  const ir::Dims strides = ir::RowMajorStrides(type.dims);
  std::vector<int64_t> in_result(dims.size(), 0);
  const DotSide side = SideOf(function, dot, operand);
  for (size_t d = 0; d < side.result_dims.size(); ++d) {
    if (side.result_dims[d] >= 0) in_result[static_cast<size_t>(side.result_dims[d])] = strides[d];
  }
  return StridedView(dims, in_result);
}

// Returns the contracting dimension of an operand as an axis through the operand. Dimensions of
// size 1 do not count; nullopt unless exactly one remains.
absl::optional<Axis> Contraction(const ir::Function& function, const ir::Op& dot, int operand) {
  const ir::TensorType& type = function.TensorOf(dot.operands[static_cast<size_t>(operand)]);
  const ir::Dims strides = ir::RowMajorStrides(type.dims);
  absl::optional<Axis> axis;
  for (const int64_t dim : SideOf(function, dot, operand).contracting) {
    if (type.dims[dim] == 1) continue;
    if (axis.has_value()) return absl::nullopt;
    axis = Axis{type.dims[dim], strides[dim]};
  }
  return axis;
}

// Matches one attention, given its second product and which operand of it (0 or 1) is the
// probabilities.
class Matcher {
 public:
  Matcher(const RegionGraph& graph, OpIndex dot, int probabilities, const codegen::Target& target)
      : graph_(graph),
        function_(graph.function()),
        second_(graph.ops()[dot]),
        second_index_(dot),
        probabilities_(probabilities),
        target_(target) {}

  absl::optional<AttentionMatch> Match() {
    if (!FindScores() || !FindOperands()) return absl::nullopt;
    // Of the ops after the product that move its result, take as many as possible.
    std::vector<OpIndex> behind = Behind();
    for (;; behind.pop_back()) {
      while (!behind.empty() && graph_.ops()[behind.back()].kind == OpKind::kReshape) {
        behind.pop_back();
      }
      absl::optional<AttentionMatch> match = Build(behind);
      if (match.has_value() || behind.empty()) return match;
    }
  }

 private:
  const ir::TensorType& TypeOf(ir::ValueId id) const { return function_.TensorOf(id); }

  // Finds the softmax that the second product's operand comes from, and the scores that it reads.
  bool FindScores() {
    ir::ValueId id = second_.operands[static_cast<size_t>(probabilities_)];
    std::vector<OpIndex> moves;
    OpIndex definition = graph_.DefinitionOf(id);
    for (; definition != kNoOp && moves.size() < kMaxChain; definition = graph_.DefinitionOf(id)) {
      const ir::Op& op = graph_.ops()[definition];
      if (op.kind != OpKind::kConvert && op.kind != OpKind::kReshape &&
          op.kind != OpKind::kTranspose) {
        break;
      }
      moves.push_back(definition);
      id = op.operands[0];
    }
    if (definition == kNoOp) return false;
    softmax_ = MatchSoftmax(graph_, definition);
    if (!softmax_.has_value()) return false;
    scores_ = MatchScores(graph_, softmax_->scores);
    if (!scores_.has_value()) return false;
    probabilities_view_ = RowMajorView(TypeOf(softmax_->scores));
    for (size_t i = moves.size(); i-- > 0;) {
      const ir::Op& op = graph_.ops()[moves[i]];
      if (op.kind == OpKind::kConvert) {
        if (!IsScoreConversion(function_, op)) return false;
        continue;
      }
      absl::optional<View> moved = ViewThrough(function_, op, probabilities_view_);
      if (!moved.has_value()) return false;
      probabilities_view_ = *std::move(moved);
    }
    Own(moves);
    Own(softmax_->members);
    Own(scores_->chain);
    match_.members.insert(match_.members.end(), scores_->members.begin(), scores_->members.end());
    return true;
  }

  // Adds members whose results no op outside may read.
  void Own(const std::vector<OpIndex>& ops) {
    match_.owned.insert(match_.owned.end(), ops.begin(), ops.end());
  }

  absl::optional<View> FindOperand(ir::ValueId id, ir::ValueId& base) {
    ViewedValue value = FindBase(graph_, id, /*through_conversions=*/false);
    base = value.base;
    match_.members.insert(match_.members.end(), value.members.begin(), value.members.end());
    return std::move(value.view);
  }

  bool FindOperands() {
    const ir::Op& first = graph_.ops()[scores_->dot];
    const ir::Dims& dims = TypeOf(softmax_->scores).dims;
    const ir::Dims strides = ir::RowMajorStrides(dims);
    keys_ = {dims[softmax_->dim], strides[softmax_->dim]};
    if (keys_.size < 2) return false;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (static_cast<int64_t>(d) != softmax_->dim && dims[d] != 1) {
        axes_.push_back({dims[d], strides[d]});
      }
    }
    // The keys must be rows of exactly one operand of the first product.
    const AxisStride in_product = StrideThrough(scores_->product, keys_);
    if (in_product.kind != AxisStride::Kind::kStride) return false;
    const Axis in_first{keys_.size, in_product.value};
    const AxisStride of_lhs = StrideThrough(OperandInResult(function_, first, 0), in_first);
    const AxisStride of_rhs = StrideThrough(OperandInResult(function_, first, 1), in_first);
    if (of_lhs.kind != AxisStride::Kind::kStride || of_rhs.kind != AxisStride::Kind::kStride ||
        (of_lhs.value == 0) == (of_rhs.value == 0)) {
      return false;
    }
    key_operand_ = of_lhs.value != 0 ? 0 : 1;
    const int query_operand = 1 - key_operand_;
    query_ = FindOperand(first.operands[static_cast<size_t>(query_operand)], match_.query);
    key_ = FindOperand(first.operands[static_cast<size_t>(key_operand_)], match_.key);
    value_ = FindOperand(second_.operands[static_cast<size_t>(1 - probabilities_)], match_.value);

    const absl::optional<Axis> of_query = Contraction(function_, first, query_operand);
    const absl::optional<Axis> of_key = Contraction(function_, first, key_operand_);
    const absl::optional<Axis> of_value = Contraction(function_, second_, 1 - probabilities_);
    const absl::optional<Axis> of_probabilities = Contraction(function_, second_, probabilities_);
    if (!of_query.has_value() || !of_key.has_value() || !of_value.has_value() ||
        !of_probabilities.has_value()) {
      return false;
    }
    // The second product must sum over the keys, in their order.
    const AxisStride keys = StrideInto(probabilities_view_, keys_);
    if (keys.kind != AxisStride::Kind::kStride || of_probabilities->size != keys_.size ||
        of_probabilities->step != keys.value) {
      return false;
    }
    kernels::AttentionShape& shape = match_.shape;
    shape.dtype = TypeOf(match_.query).dtype;
    if (TypeOf(match_.key).dtype != shape.dtype || TypeOf(match_.value).dtype != shape.dtype ||
        TypeOf(second_.operands[0]).dtype != TypeOf(second_.operands[1]).dtype) {
      return false;
    }
    // Products in TF32 are several times as fast as the kernel in full precision.
    if (shape.dtype == ir::DType::kF32 &&
        (AllowsTf32(first.As<ir::DotGeneralAttributes>().algorithm) ||
         AllowsTf32(second_.As<ir::DotGeneralAttributes>().algorithm))) {
      return false;
    }
    shape.keys = keys_.size;
    shape.depth = of_query->size;
    shape.scale = scores_->scale;
    return SetStride(*query_, *of_query, shape.query.column_stride) &&
           SetStride(*key_, *of_key, shape.key.column_stride) &&
           SetStride(*value_, *of_value, shape.value.row_stride) && FindFeatures();
  }

  // Sets `stride` to that of `axis` in the value that `view` views. False if there is none.
  static bool SetStride(const View& view, const Axis& axis, int64_t& stride) {
    const AxisStride found = StrideThrough(view, axis);
    stride = found.value;
    return found.kind == AxisStride::Kind::kStride;
  }

  // Finds the one dimension of the result that comes from the value operand alone.
  bool FindFeatures() {
    const int operand = 1 - probabilities_;
    const ir::TensorType& type = TypeOf(second_.operands[static_cast<size_t>(operand)]);
    const ir::TensorType& result = TypeOf(second_.results[0]);
    const ir::Dims result_strides = ir::RowMajorStrides(result.dims);
    const ir::Dims strides = ir::RowMajorStrides(type.dims);
    const DotSide side = SideOf(function_, second_, operand);
    features_ = {1, 0};
    for (size_t d = 0; d < type.dims.size(); ++d) {
      const int64_t to = side.result_dims[d];
      const bool is_batch = std::find(side.batching.begin(), side.batching.end(),
                                      static_cast<int64_t>(d)) != side.batching.end();
      if (to < 0 || is_batch || type.dims[d] == 1) continue;
      if (features_.size != 1) return false;
      features_ = {type.dims[d], result_strides[to]};
      if (!SetStride(*value_, {type.dims[d], strides[d]}, match_.shape.value.column_stride)) {
        return false;
      }
    }
    match_.shape.features = features_.size;
    return features_.size > 1;
  }

  // Returns the ops after the second product that move its result or round it once, each the only
  // user of the previous one.
  std::vector<OpIndex> Behind() const {
    std::vector<OpIndex> ops;
    OpIndex last = second_index_;
    bool converts = false;
    while (ops.size() < kMaxChain && !graph_.Escapes(last) && graph_.UsersOf(last).size() == 1) {
      last = graph_.UsersOf(last)[0];
      const ir::Op& op = graph_.ops()[last];
      if (op.kind == OpKind::kConvert) {
        const ir::DType from = TypeOf(op.operands[0]).dtype, to = TypeOf(op.results[0]).dtype;
        if (converts || from != ir::DType::kF32 ||
            (to != ir::DType::kF16 && to != ir::DType::kBF16)) {
          break;
        }
        converts = true;
      } else if (op.kind != OpKind::kReshape && op.kind != OpKind::kTranspose) {
        break;
      }
      ops.push_back(last);
    }
    return ops;
  }

  // The strides of one axis of the scores in the operands and the output of the kernel.
  struct Strides {
    int64_t query = 0, key = 0, value = 0, output = 0, bias = 0;
    std::vector<int64_t> masks;  // by mask term; for an affine term, what a step adds to it
  };

  // Makes the match that ends with the last op of `behind`. An axis of the scores that has no
  // single stride in every operand is split into two.
  absl::optional<AttentionMatch> Build(const std::vector<OpIndex>& behind) {
    View output = RowMajorView(TypeOf(second_.results[0]));
    AttentionMatch match = match_;
    kernels::AttentionShape& shape = match.shape;
    match.last = second_index_;
    for (const OpIndex index : behind) {
      const ir::Op& op = graph_.ops()[index];
      if (op.kind != OpKind::kConvert) {
        absl::optional<View> moved = ViewThrough(function_, op, output);
        if (!moved.has_value()) return absl::nullopt;
        output = *std::move(moved);
      }
      match.owned.push_back(match.last);
      match.last = index;
    }
    match.members.insert(match.members.end(), match.owned.begin(), match.owned.end());
    match.members.push_back(match.last);
    shape.output_dtype = TypeOf(graph_.ops()[match.last].results[0]).dtype;
    const AxisStride of_features = StrideInto(output, features_);
    if (of_features.kind != AxisStride::Kind::kStride) return absl::nullopt;
    shape.output.column_stride = of_features.value;

    std::vector<Axis> axes = axes_;
    std::vector<Strides> strides_of_axes;
    for (size_t i = 0; i < axes.size();) {
      Strides axis_strides{};
      const AxisStride found = Find(axes[i], output, axis_strides);
      if (found.kind == AxisStride::Kind::kNone) return absl::nullopt;
      if (found.kind == AxisStride::Kind::kStride) {
        strides_of_axes.push_back(std::move(axis_strides));
        ++i;
        continue;
      }
      if (axes.size() >= kMaxAxes) return absl::nullopt;
      const Axis inner{found.value, axes[i].step};
      axes[i] = {axes[i].size / inner.size, axes[i].step * inner.size};
      axes.insert(axes.begin() + static_cast<int64_t>(i) + 1, inner);
    }
    Strides of_keys{};
    if (!FindKeyStrides(of_keys)) return absl::nullopt;
    if (!Finish(axes, strides_of_axes, of_keys, match) || !HasNoOutsideReaders(match) ||
        !target_.SupportsAttention(shape)) {
      return absl::nullopt;
    }
    return match;
  }

  // Follows an axis through several views, each of which views the next one's elements. A stride of
  // 0 in one of them is the result.
  static AxisStride Through(const std::vector<const View*>& views, Axis axis) {
    for (const View* view : views) {
      const AxisStride found = StrideThrough(*view, axis);
      if (found.kind != AxisStride::Kind::kStride || found.value == 0) return found;
      axis.step = found.value;
    }
    return {AxisStride::Kind::kStride, axis.step};
  }

  // Sets the strides of an axis of the scores. If it has none in one of the operands, returns how
  // it could be split.
  AxisStride Find(const Axis& axis, const View& output, Strides& axis_strides) const {
    const ir::Op& first = graph_.ops()[scores_->dot];
    const View query = OperandInResult(function_, first, 1 - key_operand_);
    const View key = OperandInResult(function_, first, key_operand_);
    const View probabilities = OperandInResult(function_, second_, probabilities_);
    const View value = OperandInResult(function_, second_, 1 - probabilities_);
    const auto is_found = [](const AxisStride& found, int64_t& to) {
      to = found.value;
      return found.kind == AxisStride::Kind::kStride;
    };
    AxisStride found = Through({&scores_->product, &query, &*query_}, axis);
    if (!is_found(found, axis_strides.query)) return found;
    found = Through({&scores_->product, &key, &*key_}, axis);
    if (!is_found(found, axis_strides.key)) return found;
    // From the scores to the second product's result.
    found = StrideInto(probabilities_view_, axis);
    if (found.kind != AxisStride::Kind::kStride) return found;
    found = StrideInto(probabilities, {axis.size, found.value});
    if (found.kind != AxisStride::Kind::kStride) return found;
    const Axis in_result{axis.size, found.value};
    found = Through({&value, &*value_}, in_result);
    if (!is_found(found, axis_strides.value)) return found;
    found = StrideInto(output, in_result);
    if (!is_found(found, axis_strides.output)) return found;
    return FindInScores(axis, axis_strides);
  }

  AxisStride FindInScores(const Axis& axis, Strides& axis_strides) const {
    if (scores_->bias.has_value()) {
      const AxisStride found = StrideThrough(scores_->bias->view, axis);
      if (found.kind != AxisStride::Kind::kStride) return found;
      axis_strides.bias = found.value;
    }
    for (const MaskTerm& term : scores_->masks) {
      const AxisStride found = StrideThrough(term.view, axis);
      if (found.kind != AxisStride::Kind::kStride) return found;
      axis_strides.masks.push_back(found.value);
    }
    return {AxisStride::Kind::kStride, 0};
  }

  bool FindKeyStrides(Strides& axis_strides) const {
    const ir::Op& first = graph_.ops()[scores_->dot];
    const View key = OperandInResult(function_, first, key_operand_);
    const AxisStride found = Through({&scores_->product, &key, &*key_}, keys_);
    axis_strides.key = found.value;
    return found.kind == AxisStride::Kind::kStride &&
           FindInScores(keys_, axis_strides).kind == AxisStride::Kind::kStride;
  }

  // Chooses the axis of the queries; the others are the batch. Then fills the rest of the match.
  bool Finish(const std::vector<Axis>& axes, const std::vector<Strides>& strides_of_axes,
              const Strides& of_keys, AttentionMatch& match) const {
    kernels::AttentionShape& shape = match.shape;
    size_t rows = axes.size();
    const auto is_compared = [&](size_t axis) {
      for (size_t t = 0; t < scores_->masks.size(); ++t) {
        if (scores_->masks[t].is_affine && strides_of_axes[axis].masks[t] != 0) return true;
      }
      return false;
    };
    bool has_compared = false;
    for (size_t i = 0; i < axes.size(); ++i) {
      const bool shares_keys = strides_of_axes[i].key == 0 && strides_of_axes[i].value == 0;
      if (is_compared(i)) {
        if (has_compared || !shares_keys) return false;
        has_compared = true;
        rows = i;
      } else if (!has_compared && shares_keys &&
                 (rows == axes.size() || axes[i].size > axes[rows].size)) {
        rows = i;
      }
    }
    Strides of_rows{};
    of_rows.masks.assign(scores_->masks.size(), 0);
    if (rows < axes.size()) {
      of_rows = strides_of_axes[rows];
      shape.queries = axes[rows].size;
    }
    shape.query.row_stride = of_rows.query;
    shape.output.row_stride = of_rows.output;
    shape.key.row_stride = of_keys.key;
    shape.query.offset = query_->offset;
    shape.key.offset = key_->offset;
    shape.value.offset = value_->offset;
    std::vector<size_t> batch;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (i != rows) batch.push_back(i);
    }
    for (const size_t i : batch) shape.batch.push_back(axes[i].size);
    const auto strides = [&](kernels::AttentionOperand& operand, auto stride_of) {
      for (const size_t i : batch) operand.batch_strides.push_back(stride_of(strides_of_axes[i]));
    };
    strides(shape.query, [](const Strides& axis_strides) { return axis_strides.query; });
    strides(shape.key, [](const Strides& axis_strides) { return axis_strides.key; });
    strides(shape.value, [](const Strides& axis_strides) { return axis_strides.value; });
    strides(shape.output, [](const Strides& axis_strides) { return axis_strides.output; });
    if (scores_->bias.has_value()) {
      kernels::AttentionShape::Bias bias{.at = {.offset = scores_->bias->view.offset,
                                                .batch_strides = {},
                                                .row_stride = of_rows.bias,
                                                .column_stride = of_keys.bias},
                                         .dtype = TypeOf(scores_->bias->value).dtype,
                                         .score_dtype = scores_->bias->score_dtype};
      strides(bias.at, [](const Strides& axis_strides) { return axis_strides.bias; });
      shape.bias = std::move(bias);
      match.bias = scores_->bias->value;
    }
    if (scores_->fill.has_value()) shape.fill = *scores_->fill;
    for (size_t t = 0; t < scores_->masks.size(); ++t) {
      const MaskTerm& term = scores_->masks[t];
      if (term.is_affine) {
        if (!AddBound(term.view.offset, of_rows.masks[t], of_keys.masks[t], shape)) return false;
        continue;
      }
      kernels::AttentionShape::Mask& mask = shape.masks.emplace_back();
      mask.keeps_when = term.on_when;
      mask.at = {.offset = term.view.offset,
                 .batch_strides = {},
                 .row_stride = of_rows.masks[t],
                 .column_stride = of_keys.masks[t]};
      strides(mask.at, [t](const Strides& axis_strides) { return axis_strides.masks[t]; });
      match.masks.push_back(term.base);
    }
    return true;
  }

  // Restricts the keys that keep their scores to those for which constant + of_row * row + of_key *
  // key is at least 0. False if the kernel cannot express that bound.
  static bool AddBound(int64_t constant, int64_t of_row, int64_t of_key,
                       kernels::AttentionShape& shape) {
    const auto add = [](std::optional<kernels::AttentionBound>& bound,
                        const kernels::AttentionBound& more, bool is_last) {
      if (!bound.has_value()) bound = more;
      if (bound->row_step != more.row_step) return false;
      bound->offset =
          is_last ? std::min(bound->offset, more.offset) : std::max(bound->offset, more.offset);
      return true;
    };
    if (of_key == -1 && (of_row == 0 || of_row == 1)) {
      return add(shape.last_key, {of_row, constant}, /*is_last=*/true);
    }
    if (of_key == 1 && (of_row == 0 || of_row == -1)) {
      return add(shape.first_key, {-of_row, -constant}, /*is_last=*/false);
    }
    return false;
  }

  // Whether no op outside the match reads an intermediate result. Also sorts the members.
  bool HasNoOutsideReaders(AttentionMatch& match) const {
    std::sort(match.members.begin(), match.members.end());
    match.members.erase(std::unique(match.members.begin(), match.members.end()),
                        match.members.end());
    const absl::flat_hash_set<OpIndex> members(match.members.begin(), match.members.end());
    const auto is_inside = [&](OpIndex op) {
      return !graph_.Escapes(op) &&
             std::all_of(graph_.UsersOf(op).begin(), graph_.UsersOf(op).end(),
                         [&](OpIndex user) { return members.contains(user); });
    };
    const auto is_member = [&](ir::ValueId id) {
      const OpIndex definition = graph_.DefinitionOf(id);
      return definition != kNoOp && members.contains(definition);
    };
    std::vector<ir::ValueId> operands = match.masks;
    operands.insert(operands.end(), {match.query, match.key, match.value});
    if (match.shape.bias.has_value()) operands.push_back(match.bias);
    // Constants may have other users: the fusion gets a copy.
    const auto is_constant = [&](OpIndex op) {
      std::vector<OpIndex> used;
      return SplatOf(graph_, graph_.ops()[op].results[0], used).has_value();
    };
    return std::none_of(operands.begin(), operands.end(), is_member) &&
           std::all_of(match.owned.begin(), match.owned.end(),
                       [&](OpIndex op) { return is_constant(op) || is_inside(op); });
  }

  const RegionGraph& graph_;
  const ir::Function& function_;
  const ir::Op& second_;
  const OpIndex second_index_;
  const int probabilities_;  // which operand of the second product
  const codegen::Target& target_;

  AttentionMatch match_;
  absl::optional<Softmax> softmax_;
  absl::optional<Scores> scores_;
  View probabilities_view_;  // of the softmax, as the second product reads it
  int key_operand_ = 1;      // of the first product
  absl::optional<View> query_, key_, value_;
  Axis keys_{1, 0};         // through the scores
  std::vector<Axis> axes_;  // the others
  Axis features_{1, 0};     // through the second product's result
};

}  // namespace

absl::optional<AttentionMatch> MatchAttention(const RegionGraph& graph, OpIndex dot,
                                              const codegen::Target& target) {
  const ir::Op& op = graph.ops()[dot];
  if (op.kind != OpKind::kDotGeneral ||
      graph.function().TensorOf(op.results[0]).num_elements() == 0) {
    return absl::nullopt;
  }
  for (const int probabilities : {0, 1}) {
    absl::optional<AttentionMatch> match = Matcher(graph, dot, probabilities, target).Match();
    if (match.has_value()) return match;
  }
  return absl::nullopt;
}

}  // namespace acceld::compiler

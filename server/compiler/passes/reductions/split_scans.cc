#include "server/compiler/passes/reductions/split_scans.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "common/ceil_divide.h"
#include "kernels/lowering/windows/find_scan.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::DType;
using ir::OpKind;

// A scan of fewer elements is left to one thread or thread block. The bound is higher for devices
// with few units of parallel work, each of which is faster.
constexpr int64_t kMinElements = int64_t{1} << 16;
constexpr int64_t kMinElementsTimesUnits = int64_t{1} << 24;
// The fewest elements of a piece.
constexpr int64_t kMinPieceElements = int64_t{1} << 10;
// How many neighbouring lines one unit scans together.
constexpr int64_t kColumnsPerUnit = 64;
// The elements of a piece for sums of logarithms. Every such sum rounds, so the error of a result
// grows with the number of sums in sequence; with recursive pieces, that is with the logarithm of
// the line's length.
constexpr int64_t kLogarithmsInAPiece = 16;

// Each line in `pieces` of `length`, a power of two; the last one is as long as is left.
struct Pieces {
  int64_t pieces, length;
};

// Returns pieces that give the device enough parallel work; their length is a power of two. Returns
// nullopt if the scan is too small or already parallel.
absl::optional<Pieces> PiecesForUnits(const ir::Dims& shape, int64_t dimension,
                                      int64_t wanted_units) {
  int64_t rows = 1, columns = 1;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (d < dimension) rows *= shape[d];
    if (d > dimension) columns *= shape[d];
  }
  const int64_t size = shape[dimension], elements = rows * columns * size;
  if (elements < std::max(kMinElements, kMinElementsTimesUnits / wanted_units)) {
    return absl::nullopt;
  }
  const int64_t units = rows * CeilDivide(columns, kColumnsPerUnit);
  // The scan is parallel enough as it is: splitting costs one more pass over memory.
  if (units >= wanted_units / 4) return absl::nullopt;
  const int64_t wanted =
      std::min(CeilDivide(wanted_units, units), elements / units / kMinPieceElements);
  if (wanted < 2) return absl::nullopt;
  int64_t length = 1;
  while (length * wanted < size) length *= 2;
  const Pieces pieces{CeilDivide(size, length), length};
  return pieces.pieces < 2 ? absl::nullopt : absl::make_optional(pieces);
}

// Emits the ops that replace one scan.
class ScanSplitting {
 public:
  ScanSplitting(Rewriter& rewriter, const ir::Op& op, const kernels::WindowScan& scan,
                const ir::Literal& initial, int64_t wanted_units)
      : rewriter_(rewriter),
        op_(op),
        scan_(scan),
        initial_(initial),
        wanted_units_(wanted_units),
        dtype_(initial.type().dtype) {}

  // Replaces the scan. Returns false, with nothing changed, if the scan is not to be split.
  bool Run() {
    const ir::TensorType type = rewriter_.TensorOf(op_.results[0]);
    if (!ChoosePieces(type.dims).has_value()) return false;
    const bool widens = ir::IsFloat(type.dtype) && ir::BitsOf(type.dtype) <= 16 && Rounds();
    if (widens) {
      dtype_ = DType::kF32;
      const double value = ir::ReadFloat(type.dtype, initial_.bytes().data(), 0);
      initial_ = ir::Literal::Filled({dtype_, {}}, value);
    }
    const ir::ValueId scanned = ScanInPieces(Converted(op_.operands[0], dtype_));
    rewriter_.Replace(op_.results[0], Converted(scanned, type.dtype));
    return true;
  }

 private:
  absl::optional<Pieces> ChoosePieces(const ir::Dims& shape) const {
    const int64_t size = shape[scan_.dimension];
    if (!AddsLogarithms()) return PiecesForUnits(shape, scan_.dimension, wanted_units_);
    if (size <= kLogarithmsInAPiece) return absl::nullopt;
    return Pieces{CeilDivide(size, kLogarithmsInAPiece), kLogarithmsInAPiece};
  }

  // Emits the scan of a tensor of type dtype_: of its pieces, and then of their totals.
  ir::ValueId ScanInPieces(ir::ValueId id) {
    const ir::Dims dims = rewriter_.TensorOf(id).dims;
    const absl::optional<Pieces> pieces = ChoosePieces(dims);
    const int64_t d = scan_.dimension, size = dims[d];
    if (!pieces.has_value()) return Scan(id, d);
    const int64_t padded = pieces->pieces * pieces->length;
    ir::ValueId lines = Pad(id, d, 0, padded - size);
    ir::Dims in_pieces = dims;
    in_pieces[d] = pieces->length;
    in_pieces.insert(in_pieces.begin() + d, pieces->pieces);
    const ir::ValueId scanned = Scan(Reshaped(lines, in_pieces), d + 1);

    const int64_t last = scan_.reverse ? 0 : pieces->length - 1;
    ir::Dims of_pieces = dims;
    of_pieces[d] = pieces->pieces;
    const ir::ValueId totals = Reshaped(Sliced(scanned, d + 1, last, last + 1), of_pieces);
    // The result before each piece: the scanned totals, shifted by one piece.
    const int64_t shift = scan_.reverse ? -1 : 1;
    const ir::ValueId before = ScanOfTotals(Pad(totals, d, shift, -shift));

    std::vector<int64_t> dimensions;
    for (int64_t i = 0; i < static_cast<int64_t>(dims.size()); ++i) {
      dimensions.push_back(i <= d ? i : i + 1);
    }
    const ir::ValueId offsets = Emit(OpKind::kBroadcastInDim, {before},
                                     ir::BroadcastInDimAttributes{dimensions}, {dtype_, in_pieces});
    lines = Reshaped(Combined(offsets, scanned), PaddedDims(dims, padded));
    return Sliced(lines, d, 0, size);
  }

  // The error of the result before a piece affects all values of the piece. For sums of logarithms
  // these results, of which there are few, are therefore computed in f64.
  ir::ValueId ScanOfTotals(ir::ValueId totals) {
    if (!AddsLogarithms() || dtype_ != DType::kF32) return ScanInPieces(totals);
    ir::Literal narrow = initial_;
    const double value = ir::ReadFloat(DType::kF32, narrow.bytes().data(), 0);
    initial_ = ir::Literal::Filled({DType::kF64, {}}, value);
    totals = Converted(totals, DType::kF64);
    dtype_ = DType::kF64;
    const ir::ValueId scanned = ScanInPieces(totals);
    dtype_ = DType::kF32;
    initial_ = std::move(narrow);
    return Converted(scanned, DType::kF32);
  }

  // Whether the operation is log(exp(a) + exp(b)), the only operation of a scan that consists of
  // several ops.
  bool AddsLogarithms() const { return op_.regions[0].ops.size() > 1; }

  // Whether the operation rounds. Others return one of their operands.
  bool Rounds() const {
    const OpKind kind = op_.regions[0].ops[0].kind;
    return AddsLogarithms() || (kind != OpKind::kMaximum && kind != OpKind::kMinimum);
  }

  ir::Dims PaddedDims(ir::Dims dims, int64_t size) const {
    dims[scan_.dimension] = size;
    return dims;
  }

  ir::ValueId Emit(OpKind kind, std::vector<ir::ValueId> operands, ir::OpAttributes attributes,
                   ir::TensorType type) {
    return rewriter_.Emit(kind, std::move(operands), std::move(attributes), std::move(type),
                          op_.location);
  }

  ir::ValueId Converted(ir::ValueId id, DType dtype) {
    const ir::TensorType& type = rewriter_.TensorOf(id);
    if (type.dtype == dtype) return id;
    return Emit(OpKind::kConvert, {id}, ir::NoAttributes{}, {dtype, type.dims});
  }

  ir::ValueId Reshaped(ir::ValueId id, const ir::Dims& dims) {
    if (rewriter_.TensorOf(id).dims == dims) return id;
    return Emit(OpKind::kReshape, {id}, ir::NoAttributes{}, {dtype_, dims});
  }

  ir::ValueId Initial() { return rewriter_.EmitConstant(initial_, op_.location); }

  // Adds initial values at both ends of a dimension, or removes elements where the number is
  // negative.
  ir::ValueId Pad(ir::ValueId id, int64_t dimension, int64_t low, int64_t high) {
    if (low == 0 && high == 0) return id;
    ir::TensorType type = rewriter_.TensorOf(id);
    ir::PadAttributes pad;
    pad.edge_padding_low.assign(type.rank(), 0);
    pad.edge_padding_high.assign(type.rank(), 0);
    pad.interior_padding.assign(type.rank(), 0);
    pad.edge_padding_low[dimension] = low;
    pad.edge_padding_high[dimension] = high;
    type.dims[dimension] += low + high;
    return Emit(OpKind::kPad, {id, Initial()}, std::move(pad), std::move(type));
  }

  ir::ValueId Sliced(ir::ValueId id, int64_t dimension, int64_t begin, int64_t end) {
    ir::TensorType type = rewriter_.TensorOf(id);
    if (type.dims[dimension] == end - begin) return id;
    ir::SliceAttributes slice;
    slice.start_indices.assign(type.rank(), 0);
    slice.limit_indices.assign(type.dims.begin(), type.dims.end());
    slice.strides.assign(type.rank(), 1);
    slice.start_indices[dimension] = begin;
    slice.limit_indices[dimension] = end;
    type.dims[dimension] = end - begin;
    return Emit(OpKind::kSlice, {id}, std::move(slice), std::move(type));
  }

  // Emits the same scan along a dimension of another tensor.
  ir::ValueId Scan(ir::ValueId id, int64_t dimension) {
    const ir::TensorType type = rewriter_.TensorOf(id);
    const int64_t size = type.dims[dimension];
    ir::WindowAttributes window;
    window.window_dimensions.assign(type.rank(), 1);
    window.window_dimensions[dimension] = size;
    window.window_strides.assign(type.rank(), 1);
    window.base_dilations.assign(type.rank(), 1);
    window.window_dilations.assign(type.rank(), 1);
    window.padding.pairs.assign(type.rank(), {0, 0});
    auto& padding = window.padding.pairs[dimension];
    (scan_.reverse ? padding.second : padding.first) = size - 1;
    ir::Op op;
    op.kind = OpKind::kReduceWindow;
    op.attributes = std::move(window);
    op.location = op_.location;
    op.operands = {id, Initial()};
    op.regions.push_back(Reducer());
    op.results = {rewriter_.NewValue(type)};
    const ir::ValueId result = op.results[0];
    rewriter_.Append(std::move(op));
    return result;
  }

  // Returns the type that a value of the reducer has when the reducer is applied to elements of
  // type dtype_.
  DType TypeInside(ir::ValueId id) const {
    const DType dtype = rewriter_.TensorOf(id).dtype;
    return dtype == rewriter_.TensorOf(op_.results[0]).dtype ? dtype_ : dtype;
  }

  ir::Region Reducer() {
    const ir::Region& region = op_.regions[0];
    absl::flat_hash_map<ir::ValueId, ir::ValueId> map;
    ir::Region copy;
    for (ir::ValueId id : region.parameters) {
      copy.parameters.push_back(rewriter_.NewValue(ir::TensorType{dtype_, {}}));
      map[id] = copy.parameters.back();
    }
    for (const ir::Op& op : region.ops) {
      ir::Op& inner = copy.ops.emplace_back();
      inner.kind = op.kind;
      inner.attributes = op.attributes;
      inner.location = op.location;
      for (ir::ValueId id : op.operands) inner.operands.push_back(map[id]);
      inner.results = {rewriter_.NewValue(ir::TensorType{TypeInside(op.results[0]), {}})};
      map[op.results[0]] = inner.results[0];
    }
    copy.results = {map[region.results[0]]};
    return copy;
  }

  // Applies the reducer's operation elementwise to whole tensors.
  ir::ValueId Combined(ir::ValueId before, ir::ValueId scanned) {
    const ir::Region& region = op_.regions[0];
    const ir::Dims dims = rewriter_.TensorOf(scanned).dims;
    absl::flat_hash_map<ir::ValueId, ir::ValueId> map = {{region.parameters[0], before},
                                                         {region.parameters[1], scanned}};
    for (const ir::Op& op : region.ops) {
      std::vector<ir::ValueId> operands;
      for (ir::ValueId id : op.operands) operands.push_back(map[id]);
      map[op.results[0]] =
          Emit(op.kind, std::move(operands), op.attributes, {TypeInside(op.results[0]), dims});
    }
    return map[region.results[0]];
  }

  Rewriter& rewriter_;
  const ir::Op& op_;
  const kernels::WindowScan scan_;
  ir::Literal initial_;  // of type dtype_
  const int64_t wanted_units_;
  DType dtype_;  // the type in which elements are combined
};

absl::StatusOr<bool> Split(Rewriter& rewriter, ir::Op& op, int64_t wanted_units) {
  if (op.kind != OpKind::kReduceWindow || op.results.size() != 1) return false;
  const ir::Literal* initial = rewriter.ConstantOf(op.operands[1]);
  const auto scan = kernels::FindWindowScan(rewriter.function(), op, initial);
  if (!scan.has_value()) return false;
  const bool is_elementwise = std::all_of(
      op.regions[0].ops.begin(), op.regions[0].ops.end(),
      [](const ir::Op& inner) { return ir::FamilyOf(inner.kind) == ir::OpFamily::kElementwise; });
  if (!is_elementwise) return false;
  return ScanSplitting(rewriter, op, *scan, *initial, wanted_units).Run();
}

}  // namespace

absl::StatusOr<ir::Module> SplitScans(const ir::Module& module, const codegen::Target& target) {
  const int64_t wanted_units = target.parallel_units();
  return RewriteEach(module, [wanted_units](Rewriter& rewriter, ir::Op& op) {
    return Split(rewriter, op, wanted_units);
  });
}

}  // namespace acceld::compiler

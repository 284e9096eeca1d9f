#include "kernels/lowering/indexing.h"

#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "common/ir/op_table.h"

namespace acceld::kernels {
namespace {

constexpr ir::OpTable<IndexingHandler> kHandlers = {
#define ACCELD_INDEXING_OP(Kind, ...) {ir::OpKind::k##Kind, &Generate##Kind},
#include "common/ir/ops.def"
};

Var Apply(ElementEmitter& e, ScalarOp op, Var x, int64_t y) {
  return e.builder().Apply(op, {x, e.builder().Index(y)});
}

Var And(ElementEmitter& e, Var x, Var y) { return e.builder().Apply(ScalarOp::kAnd, {x, y}); }

const ir::TensorType& OperandType(ElementEmitter& e, const ir::Op& op, int i = 0) {
  return e.TypeOf(op.operands[i]);
}

}  // namespace

IndexingHandler IndexingHandlerOf(ir::OpKind kind) { return kHandlers[kind]; }

// A group of the index is kept whole if its dimensions map to adjacent operand dimensions of the
// same sizes, and dropped if no operand dimension depends on it.
absl::StatusOr<Element> GenerateBroadcastInDim(ElementEmitter& e, const ir::Op& op,
                                               const ElementIndex& index) {
  const ir::TensorType& operand = OperandType(e, op);
  const auto& mapping = op.As<ir::BroadcastInDimAttributes>().broadcast_dimensions;
  std::vector<int> operand_dim(index.shape().size(), -1);  // for each result dimension
  for (size_t i = 0; i < mapping.size(); ++i) {
    if (operand.dims[i] != 1) operand_dim[mapping[i]] = static_cast<int>(i);
  }
  KernelBuilder& b = e.builder();
  std::vector<Var> dims(mapping.size(), b.Index(0));
  std::vector<ElementIndex::Group> groups;
  bool whole_groups = true;  // every used group maps onto operand dimensions in order
  int next_dim = 0;
  size_t result_dim = 0;
  for (const ElementIndex::Group& group : index.groups()) {
    const size_t end = result_dim + group.num_dims;
    const int first_dim = next_dim;
    bool used = false, skipped = false;
    for (; result_dim < end; ++result_dim) {
      if (index.shape()[result_dim] == 1) continue;
      const int target = operand_dim[result_dim];
      if (target < 0) {
        skipped = true;
        continue;
      }
      used = true;
      while (next_dim < target && operand.dims[next_dim] == 1) ++next_dim;
      whole_groups &= next_dim == target;
      next_dim = target + 1;
    }
    if (!used) continue;
    whole_groups &= !skipped;
    groups.push_back({group.var, next_dim - first_dim});
  }
  if (whole_groups) {
    // Operand dimensions after the last used one have one element and join its group.
    const int rest = static_cast<int>(mapping.size()) - next_dim;
    if (groups.empty() && rest > 0) groups.push_back({b.Index(0), 0});
    if (rest > 0) groups.back().num_dims += rest;
    return e.EvaluateOperand(op, 0, ElementIndex::FromGroups(std::move(groups), operand.dims));
  }
  const std::vector<Var> result_dims = e.DimsOf(index);
  for (size_t i = 0; i < mapping.size(); ++i) {
    if (operand.dims[i] != 1) dims[i] = result_dims[mapping[i]];
  }
  return e.EvaluateOperand(op, 0, ElementIndex::FromDims(dims, operand.dims));
}

absl::StatusOr<Element> GenerateReshape(ElementEmitter& e, const ir::Op& op,
                                        const ElementIndex& index) {
  const ir::TensorType& operand = OperandType(e, op);
  if (operand.rank() == 0) return e.EvaluateOperand(op, 0, ElementIndex::Scalar());
  return e.EvaluateOperand(op, 0,
                           ElementIndex::FromLinear(index.Linear(e.builder()), operand.dims));
}

absl::StatusOr<Element> GenerateTranspose(ElementEmitter& e, const ir::Op& op,
                                          const ElementIndex& index) {
  const auto& permutation = op.As<ir::TransposeAttributes>().permutation;
  const std::vector<Var> dims = e.DimsOf(index);
  std::vector<Var> operand_dims(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) operand_dims[permutation[i]] = dims[i];
  return e.EvaluateOperand(op, 0, ElementIndex::FromDims(operand_dims, OperandType(e, op).dims));
}

absl::StatusOr<Element> GenerateReverse(ElementEmitter& e, const ir::Op& op,
                                        const ElementIndex& index) {
  const ir::TensorType& operand = OperandType(e, op);
  std::vector<Var> dims = e.DimsOf(index);
  for (int64_t d : op.As<ir::DimensionsAttributes>().dimensions) {
    dims[d] =
        e.builder().Apply(ScalarOp::kSubtract, {e.builder().Index(operand.dims[d] - 1), dims[d]});
  }
  return e.EvaluateOperand(op, 0, ElementIndex::FromDims(dims, operand.dims));
}

absl::StatusOr<Element> GenerateSlice(ElementEmitter& e, const ir::Op& op,
                                      const ElementIndex& index) {
  const auto& slice = op.As<ir::SliceAttributes>();
  std::vector<Var> dims = e.DimsOf(index);
  for (size_t d = 0; d < dims.size(); ++d) {
    dims[d] = Apply(e, ScalarOp::kMultiply, dims[d], slice.strides[d]);
    dims[d] = Apply(e, ScalarOp::kAdd, dims[d], slice.start_indices[d]);
  }
  return e.EvaluateOperand(op, 0, ElementIndex::FromDims(dims, OperandType(e, op).dims));
}

absl::StatusOr<Element> GenerateDynamicSlice(ElementEmitter& e, const ir::Op& op,
                                             const ElementIndex& index) {
  const ir::TensorType& operand = OperandType(e, op);
  const auto& sizes = op.As<ir::DynamicSliceAttributes>().slice_sizes;
  std::vector<Var> dims = e.DimsOf(index);
  for (size_t d = 0; d < dims.size(); ++d) {
    ACCELD_ASSIGN_OR_RETURN(const Var start,
                            e.EvaluateClampedIndex(op.operands[1 + d], ElementIndex::Scalar(),
                                                   operand.dims[d] - sizes[d]));
    dims[d] = e.builder().Apply(ScalarOp::kAdd, {start, dims[d]});
  }
  return e.EvaluateOperand(op, 0, ElementIndex::FromDims(dims, operand.dims));
}

absl::StatusOr<Element> GeneratePad(ElementEmitter& e, const ir::Op& op,
                                    const ElementIndex& index) {
  const ir::TensorType& operand = OperandType(e, op);
  const auto& pad = op.As<ir::PadAttributes>();
  KernelBuilder& b = e.builder();
  std::vector<Var> dims = e.DimsOf(index);
  Var inside = b.ConstantInt(DType::kI1, 1);
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t step = pad.interior_padding[d] + 1;
    const Var offset = Apply(e, ScalarOp::kSubtract, dims[d], pad.edge_padding_low[d]);
    inside = And(e, inside, Apply(e, ScalarOp::kGe, offset, 0));
    inside = And(e, inside, Apply(e, ScalarOp::kLt, offset, (operand.dims[d] - 1) * step + 1));
    if (step != 1) {
      const Var rest = Apply(e, ScalarOp::kRemainder, offset, step);
      inside = And(e, inside, Apply(e, ScalarOp::kEq, rest, 0));
    }
    dims[d] = Apply(e, ScalarOp::kDivide, offset, step);
  }
  if (operand.num_elements() == 0) inside = b.ConstantInt(DType::kI1, 0);
  return e.If(
      inside, operand.dtype,
      [&] { return e.EvaluateOperand(op, 0, ElementIndex::FromDims(dims, operand.dims)); },
      [&] { return e.EvaluateOperand(op, 1, ElementIndex::Scalar()); });
}

// Finds the operand by a binary tree of branches, so that the nesting is logarithmic in the number
// of operands.
absl::StatusOr<Element> GenerateConcatenate(ElementEmitter& e, const ir::Op& op,
                                            const ElementIndex& index) {
  const int64_t dimension = op.As<ir::DimensionAttributes>().dimension;
  const std::vector<Var> dims = e.DimsOf(index);
  std::vector<int64_t> starts = {0};
  for (ir::ValueId operand : op.operands) {
    starts.push_back(starts.back() + e.TypeOf(operand).dims[dimension]);
  }
  const DType dtype = OperandType(e, op).dtype;
  const std::function<absl::StatusOr<Element>(size_t, size_t)> pick =
      [&](size_t begin, size_t end) -> absl::StatusOr<Element> {
    if (end - begin == 1) {
      std::vector<Var> operand_dims = dims;
      operand_dims[dimension] = Apply(e, ScalarOp::kSubtract, dims[dimension], starts[begin]);
      const int operand = static_cast<int>(begin);
      return e.EvaluateOperand(
          op, operand, ElementIndex::FromDims(operand_dims, OperandType(e, op, operand).dims));
    }
    const size_t middle = begin + (end - begin) / 2;
    return e.If(
        Apply(e, ScalarOp::kLt, dims[dimension], starts[middle]), dtype,
        [&] { return pick(begin, middle); }, [&] { return pick(middle, end); });
  };
  return pick(0, op.operands.size());
}

absl::StatusOr<Element> GenerateIota(ElementEmitter& e, const ir::Op& op,
                                     const ElementIndex& index) {
  const std::vector<Var> dims = e.DimsOf(index);
  const Element position{dims[op.As<ir::IotaAttributes>().iota_dimension]};
  return ConvertElement(e.builder(), DType::kI64, e.TypeOf(op.results[0]).dtype, position);
}

// The low bits of an unsigned number, as type `narrow`. For i1 they are masked first, because a
// conversion to i1 compares with zero.
Var LowBits(KernelBuilder& b, DType narrow, Var bits) {
  if (narrow == DType::kI1) {
    bits = b.Apply(ScalarOp::kAnd, {bits, b.ConstantInt(b.TypeOf(bits), 1)});
  }
  return b.Convert(narrow, bits);
}

// Divides `bits` into pieces of the width of `narrow`, the lowest first, and returns the piece with
// number `part` (of type i64).
Var PieceOfBits(ElementEmitter& e, Var bits, Var part, DType narrow) {
  KernelBuilder& b = e.builder();
  const Var amount =
      b.Convert(b.TypeOf(bits), Apply(e, ScalarOp::kMultiply, part, ir::BitsOf(narrow)));
  return LowBits(b, narrow, b.Apply(ScalarOp::kShiftRightLogical, {bits, amount}));
}

// Concatenates the bits of `pieces`, the first one lowest.
Var JoinBits(KernelBuilder& b, DType wide, absl::Span<const Var> pieces) {
  const int width = ir::BitsOf(wide) / static_cast<int>(pieces.size());
  Var bits = b.ConstantInt(wide, 0);
  for (size_t part = 0; part < pieces.size(); ++part) {
    const Var amount = b.ConstantInt(wide, static_cast<int64_t>(part) * width);
    const Var shifted = b.Apply(ScalarOp::kShiftLeft, {b.Convert(wide, pieces[part]), amount});
    bits = b.Apply(ScalarOp::kOr, {bits, shifted});
  }
  return bits;
}

// Half of the bits of a complex<f64> as a complex<f32>: part 0 has the bits of the real part, part
// 1 those of the imaginary part.
Element HalfOfComplex(ElementEmitter& e, Var part, const Element& element) {
  KernelBuilder& b = e.builder();
  const Var is_first = Apply(e, ScalarOp::kEq, part, 0);
  const Var bits = b.Bitcast(DType::kUI64, b.Select(is_first, element.re, element.im));
  const auto half = [&](int64_t i) {
    return b.Bitcast(DType::kF32, PieceOfBits(e, bits, b.Index(i), DType::kUI32));
  };
  return {half(0), half(1)};
}

// The complex<f64> that has the bits of two complex<f32>.
Element ComplexOfHalves(KernelBuilder& b, const Element& first, const Element& second) {
  const auto join = [&](const Element& half) {
    const Var pieces[] = {b.Bitcast(DType::kUI32, half.re), b.Bitcast(DType::kUI32, half.im)};
    return b.Bitcast(DType::kF64, JoinBits(b, DType::kUI64, pieces));
  };
  return {join(first), join(second)};
}

// The bits of several narrow elements make one wide element, the first one lowest, and vice versa.
absl::StatusOr<Element> GenerateBitcastConvert(ElementEmitter& e, const ir::Op& op,
                                               const ElementIndex& index) {
  KernelBuilder& b = e.builder();
  const ir::TensorType& operand = OperandType(e, op);
  const ir::TensorType& result = e.TypeOf(op.results[0]);
  if (operand.dtype == result.dtype) return e.EvaluateOperand(op, 0, index);
  const bool is_complex = ir::IsComplex(result.dtype);
  const int from_bits = ir::BitsOf(operand.dtype);
  const int to_bits = ir::BitsOf(result.dtype);
  if (from_bits == to_bits) {
    ACCELD_ASSIGN_OR_RETURN(const Element element, e.EvaluateOperand(op, 0, index));
    // Needs no pieces, so there need not be an unsigned type of this width.
    return ElementOfBits(b, result.dtype, b.Convert(operand.dtype, element.re));
  }
  std::vector<Var> dims = e.DimsOf(index);
  if (from_bits > to_bits) {
    const Var part = dims.back();
    dims.pop_back();
    ACCELD_ASSIGN_OR_RETURN(const Element element,
                            e.EvaluateOperand(op, 0, ElementIndex::FromDims(dims, operand.dims)));
    if (is_complex) return HalfOfComplex(e, part, element);
    const Var bits = BitsOfElement(b, operand.dtype, element);
    return ElementOfBits(b, result.dtype, PieceOfBits(e, bits, part, ir::UnsignedOfWidth(to_bits)));
  }
  std::vector<Element> parts;
  for (int part = 0; part * from_bits < to_bits; ++part) {
    std::vector<Var> operand_dims = dims;
    operand_dims.push_back(b.Index(part));
    ACCELD_ASSIGN_OR_RETURN(
        const Element element,
        e.EvaluateOperand(op, 0, ElementIndex::FromDims(operand_dims, operand.dims)));
    parts.push_back(element);
  }
  if (is_complex) return ComplexOfHalves(b, parts[0], parts[1]);
  std::vector<Var> pieces;
  for (const Element& part : parts) pieces.push_back(BitsOfElement(b, operand.dtype, part));
  return ElementOfBits(b, result.dtype, JoinBits(b, ir::UnsignedOfWidth(to_bits), pieces));
}

}  // namespace acceld::kernels

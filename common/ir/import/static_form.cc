#include "common/ir/import/static_form.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/ir/op_table.h"
#include "common/ir/types/literal_integers.h"

namespace acceld::ir {
namespace {

// An op with the known values of its operands.
struct Source {
  const Op& op;
  const Function& function;
  const std::function<const Literal*(ValueId)>& value_of;

  absl::StatusOr<std::vector<int64_t>> Integers(int operand) const {
    const Literal* value = value_of(op.operands[operand]);
    if (value == nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat("operand ", operand, " of '", NameOf(op.kind),
                       "' says a shape, but its value does not follow from the arguments' shapes"));
    }
    return IntegersOf(*value);
  }
  absl::StatusOr<PaddingPairs> Pairs(int operand) const {
    ACCELD_ASSIGN_OR_RETURN(const std::vector<int64_t> values, Integers(operand));
    PaddingPairs padding;
    for (size_t i = 0; i + 1 < values.size(); i += 2) {
      padding.pairs.emplace_back(values[i], values[i + 1]);
    }
    return padding;
  }
  const Dims& DimsOf(int operand) const { return function.TensorOf(op.operands[operand]).dims; }

  // Returns the op as one of kind `kind` on its first `operands` operands.
  StaticForm As(OpKind kind, OpAttributes attributes, int operands) const {
    StaticForm form;
    form.op.kind = kind;
    form.op.attributes = std::move(attributes);
    form.op.operands.assign(op.operands.begin(), op.operands.begin() + operands);
    form.op.results = op.results;
    form.op.regions = op.regions;
    form.op.location = op.location;
    return form;
  }
  // As above, with the shape of the result in an operand.
  absl::StatusOr<StaticForm> WithShape(OpKind kind, OpAttributes attributes, int operands,
                                       int shape_operand) const {
    ACCELD_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, Integers(shape_operand));
    for (int64_t size : shape) {
      if (size < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("'", NameOf(op.kind), "' is asked for a size of ", size));
      }
    }
    StaticForm form = As(kind, std::move(attributes), operands);
    form.dims.emplace(shape.begin(), shape.end());
    return form;
  }
};

absl::StatusOr<StaticForm> StaticDynamicBroadcastInDim(const Source& source) {
  BroadcastInDimAttributes attributes;
  attributes.broadcast_dimensions =
      source.op.As<DynamicBroadcastInDimAttributes>().broadcast_dimensions;
  return source.WithShape(OpKind::kBroadcastInDim, std::move(attributes), 1, 1);
}

absl::StatusOr<StaticForm> StaticDynamicConv(const Source& source) {
  auto attributes = source.op.As<ConvolutionAttributes>();
  ACCELD_ASSIGN_OR_RETURN(attributes.padding, source.Pairs(2));
  return source.As(OpKind::kConvolution, std::move(attributes), 2);
}

absl::StatusOr<StaticForm> StaticDynamicGather(const Source& source) {
  const auto& dynamic = source.op.As<DynamicGatherAttributes>();
  GatherAttributes attributes;
  attributes.dimension_numbers = dynamic.dimension_numbers;
  attributes.indices_are_sorted = dynamic.indices_are_sorted;
  ACCELD_ASSIGN_OR_RETURN(attributes.slice_sizes, source.Integers(2));
  return source.As(OpKind::kGather, std::move(attributes), 2);
}

absl::StatusOr<StaticForm> StaticDynamicIota(const Source& source) {
  return source.WithShape(OpKind::kIota, source.op.As<IotaAttributes>(), 0, 0);
}

absl::StatusOr<StaticForm> StaticDynamicPad(const Source& source) {
  PadAttributes attributes;
  ACCELD_ASSIGN_OR_RETURN(attributes.edge_padding_low, source.Integers(2));
  ACCELD_ASSIGN_OR_RETURN(attributes.edge_padding_high, source.Integers(3));
  ACCELD_ASSIGN_OR_RETURN(attributes.interior_padding, source.Integers(4));
  return source.As(OpKind::kPad, std::move(attributes), 2);
}

absl::StatusOr<StaticForm> StaticDynamicReduceWindow(const Source& source) {
  const int first = static_cast<int>(source.op.operands.size()) - 5;
  WindowAttributes attributes;
  ACCELD_ASSIGN_OR_RETURN(attributes.window_dimensions, source.Integers(first));
  ACCELD_ASSIGN_OR_RETURN(attributes.window_strides, source.Integers(first + 1));
  ACCELD_ASSIGN_OR_RETURN(attributes.base_dilations, source.Integers(first + 2));
  ACCELD_ASSIGN_OR_RETURN(attributes.window_dilations, source.Integers(first + 3));
  ACCELD_ASSIGN_OR_RETURN(attributes.padding, source.Pairs(first + 4));
  return source.As(OpKind::kReduceWindow, std::move(attributes), first);
}

absl::StatusOr<StaticForm> StaticDynamicReshape(const Source& source) {
  return source.WithShape(OpKind::kReshape, NoAttributes{}, 1, 1);
}

absl::StatusOr<StaticForm> StaticDynamicRngBitGenerator(const Source& source) {
  return source.WithShape(OpKind::kRngBitGenerator, source.op.As<RngBitGeneratorAttributes>(), 1,
                          1);
}

absl::StatusOr<StaticForm> StaticGetDimensionSize(const Source& source) {
  const int64_t dimension = source.op.As<DimensionAttributes>().dimension;
  const int64_t size = source.DimsOf(0)[dimension];
  if (size > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("dimension ", dimension, " of size ", size,
                                                   " does not fit the i32 that '",
                                                   NameOf(source.op.kind), "' gives"));
  }
  const auto value = static_cast<int32_t>(size);
  return source.As(
      OpKind::kConstant,
      ConstantAttributes{Literal::FromValues<int32_t>(TensorType{DType::kI32, {}}, {&value, 1})},
      0);
}

absl::StatusOr<StaticForm> StaticRealDynamicSlice(const Source& source) {
  SliceAttributes attributes;
  ACCELD_ASSIGN_OR_RETURN(attributes.start_indices, source.Integers(1));
  ACCELD_ASSIGN_OR_RETURN(attributes.limit_indices, source.Integers(2));
  ACCELD_ASSIGN_OR_RETURN(attributes.strides, source.Integers(3));
  return source.As(OpKind::kSlice, std::move(attributes), 1);
}

// Takes the elements up to the new size, which must not exceed the old size.
absl::StatusOr<StaticForm> StaticSetDimensionSize(const Source& source) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<int64_t> size, source.Integers(1));
  const int64_t dimension = source.op.As<DimensionAttributes>().dimension;
  const Dims& dims = source.DimsOf(0);
  if (size[0] < 0 || size[0] > dims[dimension]) {
    return absl::InvalidArgumentError(absl::StrCat("'", NameOf(source.op.kind), "' sets dimension ",
                                                   dimension, " of size ", dims[dimension], " to ",
                                                   size[0]));
  }
  SliceAttributes attributes;
  attributes.start_indices.assign(dims.size(), 0);
  attributes.limit_indices.assign(dims.begin(), dims.end());
  attributes.limit_indices[dimension] = size[0];
  attributes.strides.assign(dims.size(), 1);
  return source.As(OpKind::kSlice, std::move(attributes), 1);
}

using Handler = absl::StatusOr<StaticForm> (*)(const Source&);

constexpr OpTable<Handler> kHandlers = {
#define ACCELD_DYNAMIC_OP(Kind, ...) {OpKind::k##Kind, &Static##Kind},
#include "common/ir/ops.def"
};

}  // namespace

absl::StatusOr<StaticForm> ToStaticForm(const Op& op, const Function& function,
                                        const std::function<const Literal*(ValueId)>& value_of) {
  const Handler handler = kHandlers[op.kind];
  ACCELD_CHECK(handler != nullptr);
  return handler({op, function, value_of});
}

}  // namespace acceld::ir

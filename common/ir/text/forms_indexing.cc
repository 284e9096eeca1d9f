#include <utility>

#include "common/ir/text/forms.h"

// Data movement and values made from indices.
namespace acceld::ir::text {
namespace {

// operands ',' 'dims' '=' integers
template <const char* kAttribute>
absl::Status Dims(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ReadIntegersField(in, op, "dims", kAttribute));
  return ReadEnd(in, op);
}
constexpr char kBroadcastDimensions[] = "broadcast_dimensions";
constexpr char kPermutation[] = "permutation";
constexpr char kDimensions[] = "dimensions";

// operands ',' 'dim' '=' integer
template <const char* kAttribute>
absl::Status Dim(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ExpectField(in, "dim"));
  ACCELD_ASSIGN_OR_RETURN(const int64_t dimension, in.lexer().ExpectInteger());
  op.attributes[kAttribute] = IntAttribute(dimension);
  return ReadEnd(in, op);
}
constexpr char kDimension[] = "dimension";
constexpr char kIotaDimension[] = "iota_dimension";

// 'dim' '=' integer ':' type
absl::Status Iota(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.lexer().ExpectWord("dim"));
  ACCELD_RETURN_IF_ERROR(in.lexer().Expect('='));
  ACCELD_ASSIGN_OR_RETURN(const int64_t dimension, in.lexer().ExpectInteger());
  op.attributes["iota_dimension"] = IntAttribute(dimension);
  return ReadEnd(in, op);
}

// operand '[' (start ':' limit (':' stride)?),* ']'
absl::Status Slice(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(lexer.Expect('['));
  std::vector<int64_t> starts;
  std::vector<int64_t> limits;
  std::vector<int64_t> strides;
  if (!lexer.Peek().Is(']')) {
    do {
      ACCELD_ASSIGN_OR_RETURN(const int64_t start, lexer.ExpectInteger());
      ACCELD_RETURN_IF_ERROR(lexer.Expect(':'));
      ACCELD_ASSIGN_OR_RETURN(const int64_t limit, lexer.ExpectInteger());
      int64_t stride = 1;
      if (lexer.TryPunctuation(':')) {
        ACCELD_ASSIGN_OR_RETURN(stride, lexer.ExpectInteger());
      }
      starts.push_back(start);
      limits.push_back(limit);
      strides.push_back(stride);
    } while (lexer.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(']'));
  op.attributes["start_indices"] = IntegersAttribute(std::move(starts));
  op.attributes["limit_indices"] = IntegersAttribute(std::move(limits));
  op.attributes["strides"] = IntegersAttribute(std::move(strides));
  return ReadEnd(in, op);
}

// operand ',' starts ',' 'sizes' '=' integers; StableHLO prints both commas when there are no
// starts.
absl::Status DynamicSlice(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  const size_t begin = lexer.Peek().offset;
  if (!lexer.TryPunctuation(',') || !lexer.Peek().Is(',')) lexer.Seek(begin);
  ACCELD_RETURN_IF_ERROR(ReadIntegersField(in, op, "sizes", "slice_sizes"));
  return ReadEnd(in, op);
}

// operand ',' value ',' 'low' '=' integers ',' 'high' '=' integers ',' 'interior' '=' integers
absl::Status Pad(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ReadIntegersField(in, op, "low", "edge_padding_low"));
  ACCELD_RETURN_IF_ERROR(ReadIntegersField(in, op, "high", "edge_padding_high"));
  ACCELD_RETURN_IF_ERROR(ReadIntegersField(in, op, "interior", "interior_padding"));
  return ReadEnd(in, op);
}

constexpr NamedForm kForms[] = {
    {"stablehlo.broadcast_in_dim", Dims<kBroadcastDimensions>},
    {"stablehlo.concatenate", Dim<kDimension>},
    {"stablehlo.dynamic_broadcast_in_dim", Dims<kBroadcastDimensions>},
    {"stablehlo.dynamic_iota", Dim<kIotaDimension>},
    {"stablehlo.dynamic_pad", ReadOperandsForm},
    {"stablehlo.dynamic_reshape", ReadOperandsForm},
    {"stablehlo.dynamic_slice", DynamicSlice},
    {"stablehlo.dynamic_update_slice", ReadOperandsForm},
    {"stablehlo.get_dimension_size", Dim<kDimension>},
    {"stablehlo.iota", Iota},
    {"stablehlo.pad", Pad},
    {"stablehlo.real_dynamic_slice", ReadOperandsForm},
    {"stablehlo.reshape", ReadOperandsForm},
    {"stablehlo.reverse", Dims<kDimensions>},
    {"stablehlo.set_dimension_size", Dim<kDimension>},
    {"stablehlo.slice", Slice},
    {"stablehlo.transpose", Dims<kPermutation>},
};

}  // namespace

absl::Span<const NamedForm> IndexingForms() { return kForms; }

}  // namespace acceld::ir::text

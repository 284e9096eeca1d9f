#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/bytecode/decoder.h"
#include "common/ir/types/float_formats.h"
#include "common/ir/verify/limits.h"

// Decodes types of the VHLO and StableHLO dialects and of MLIR's builtin dialect. Sources:
// StableHLO, VhloBytecode.cpp; MLIR, BuiltinDialectBytecode.td.
namespace acceld::ir::bytecode {
namespace {

enum VhloTypeCode : uint64_t {
  kVhloComplex = 1,
  kVhloFunction = 8,
  kVhloIndex = 9,
  kVhloTensor = 20,
  kVhloToken = 22,
  kVhloTuple = 23,
  kVhloQuantized = 24,
  kVhloQuantizedPerAxis = 30,
  kVhloFuture = 42,
};

// VHLO's element types by code. Those without a DType have a name instead.
struct VhloElement {
  uint64_t code;
  absl::string_view name;
};
constexpr VhloElement kVhloElements[] = {
    {0, "i1"},
    {2, "bf16"},
    {3, "f16"},
    {4, "f32"},
    {5, "f64"},
    {6, "f8E4M3FN"},
    {7, "f8E5M2"},
    {10, "i4"},
    {11, "i8"},
    {12, "i16"},
    {13, "i32"},
    {14, "i64"},
    {15, "ui4"},
    {16, "ui8"},
    {17, "ui16"},
    {18, "ui32"},
    {19, "ui64"},
    {27, "f8E4M3FNUZ"},
    {28, "f8E5M2FNUZ"},
    {29, "f8E4M3B11FNUZ"},
    {31, "i2"},
    {32, "ui2"},
    {35, "f8E4M3"},
    {36, "f8E3M4"},
    {37, "f4E2M1FN"},
    {38, "f6E2M3FN"},
    {39, "f6E3M2FN"},
    {40, "f8E8M0FNU"},
    // Types that are no element types and are not supported.
    {21, "a tensor with an encoding or with bounds"},
    {25, "a tensor of unknown rank"},
    {26, "witness"},
    {33, "none"},
    {34, "tf32"},
    {41, "buffer"},
};

void SetNamed(absl::string_view name, DecodedType& to) {
  if (const auto dtype = ParseDType(name)) {
    to.value = *dtype;
  } else {
    to.value = OtherType{std::string(name)};
  }
}

enum BuiltinTypeCode : uint64_t {
  kInteger = 0,
  kIndex = 1,
  kFunction = 2,
  kBF16 = 3,
  kF16 = 4,
  kF32 = 5,
  kF64 = 6,
  kComplex = 9,
  kNone = 12,
  kRankedTensor = 13,
  kTuple = 15,
};

void SetIndex(DecodedType& to) {
  to.value = DType::kI64;
  to.has_index = true;
}

}  // namespace

absl::StatusOr<DType> Decoder::ElementType(Cursor& in, int depth, bool& is_index) {
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(const uint64_t index, TypeIndex(in));
  ACCELD_ASSIGN_OR_RETURN(const DecodedType* element, Decode(index, depth + 1));
  is_index = element->has_index;
  if (const auto* dtype = std::get_if<DType>(&element->value)) return *dtype;
  if (const auto* other = std::get_if<OtherType>(&element->value)) {
    return absl::UnimplementedError(
        absl::StrCat("element type '", other->name, "' is not supported"));
  }
  return Cursor::ErrorAt(begin, "expected an element type");
}

// Format: the dimensions, the element type.
absl::Status Decoder::ReadTensor(Cursor& in, int depth, DecodedType& to) {
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(const uint64_t rank, in.Count("dimensions"));
  if (rank > static_cast<uint64_t>(limits::kMaxRank)) {
    return Cursor::ErrorAt(
        begin, absl::StrCat("a tensor has more than ", limits::kMaxRank, " dimensions"));
  }
  Dims dims;
  for (uint64_t i = 0; i < rank; ++i) {
    // The file has the same value for a dynamic dimension as acceld.
    static_assert(kDynamicDim == std::numeric_limits<int64_t>::min());
    ACCELD_ASSIGN_OR_RETURN(const int64_t dim, in.SignedVarint());
    dims.push_back(dim);
  }
  Cursor element_in = in;
  ACCELD_ASSIGN_OR_RETURN(const uint64_t index, TypeIndex(element_in));
  ACCELD_ASSIGN_OR_RETURN(const DecodedType* element, Decode(index, depth + 1));
  Type type;
  if (const auto* quantization = std::get_if<Quantization>(&element->value)) {
    in = element_in;
    type = Type::Quantized(std::move(dims), *quantization);
    to.size_bytes += element->size_bytes;
  } else {
    ACCELD_ASSIGN_OR_RETURN(const DType dtype, ElementType(in, depth, to.has_index));
    type = TensorType{dtype, std::move(dims)};
  }
  ACCELD_RETURN_IF_ERROR(Annotate(ValidateType(type), absl::StrCat("byte ", begin)));
  to.value = std::move(type);
  return absl::OkStatus();
}

// Format: flags, storage type, expressed type; then scale, zero point, bounds, or for quantization
// per axis: axis, bounds, scales, zero points. A scale is the bits of a double.
absl::Status Decoder::ReadQuantization(Cursor& in, int depth, bool per_axis, DecodedType& to) {
  constexpr uint64_t kSignedFlag = 1;
  const size_t begin = in.offset();
  Quantization quantization;
  ACCELD_ASSIGN_OR_RETURN(const uint64_t flags, in.Varint());
  bool is_index = false;
  ACCELD_ASSIGN_OR_RETURN(const DType storage, ElementType(in, depth, is_index));
  ACCELD_ASSIGN_OR_RETURN(quantization.expressed, ElementType(in, depth, is_index));
  if (is_index || !IsInteger(storage) || BitsOf(storage) > 32) {
    return Cursor::ErrorAt(begin, absl::StrCat("quantized values are stored in integers of at most "
                                               "32 bits, not in ",
                                               DTypeName(storage)));
  }
  const bool is_signed = (flags & kSignedFlag) != 0;
  quantization.storage = *ParseDType(absl::StrCat(is_signed ? "i" : "ui", BitsOf(storage)));
  const auto read_scale = [&]() -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(const int64_t bits, in.SignedVarint());
    quantization.scales.push_back(DecodeFloat(DType::kF64, static_cast<uint64_t>(bits)));
    return absl::OkStatus();
  };
  const auto read_zero_point = [&]() -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(quantization.zero_points.emplace_back(), in.SignedVarint());
    return absl::OkStatus();
  };
  const auto read_bounds = [&]() -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(quantization.storage_min, in.SignedVarint());
    ACCELD_ASSIGN_OR_RETURN(quantization.storage_max, in.SignedVarint());
    return absl::OkStatus();
  };
  if (per_axis) {
    ACCELD_ASSIGN_OR_RETURN(const uint64_t axis, in.Index(limits::kMaxRank, "dimension"));
    quantization.axis = static_cast<int64_t>(axis);
    ACCELD_RETURN_IF_ERROR(read_bounds());
    ACCELD_ASSIGN_OR_RETURN(const uint64_t num_scales, in.Count("scales"));
    for (uint64_t i = 0; i < num_scales; ++i) ACCELD_RETURN_IF_ERROR(read_scale());
    ACCELD_ASSIGN_OR_RETURN(const uint64_t num_zero_points, in.Count("zero points"));
    for (uint64_t i = 0; i < num_zero_points; ++i) ACCELD_RETURN_IF_ERROR(read_zero_point());
  } else {
    ACCELD_RETURN_IF_ERROR(read_scale());
    ACCELD_RETURN_IF_ERROR(read_zero_point());
    ACCELD_RETURN_IF_ERROR(read_bounds());
  }
  to.size_bytes += sizeof(Quantization) + 16 * quantization.scales.size();
  to.value = std::move(quantization);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Type>> Decoder::ReadTypeList(Cursor& in, int depth, DecodedType& owner) {
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, in.Count("types"));
  if (count > static_cast<uint64_t>(limits::kMaxResults)) {
    return Cursor::ErrorAt(begin,
                           absl::StrCat("more than ", limits::kMaxResults, " types in a list"));
  }
  std::vector<Type> types;
  for (uint64_t i = 0; i < count; ++i) {
    const size_t at = in.offset();
    ACCELD_ASSIGN_OR_RETURN(const uint64_t index, TypeIndex(in));
    ACCELD_ASSIGN_OR_RETURN(const DecodedType* element, Decode(index, depth + 1));
    if (const auto* other = std::get_if<OtherType>(&element->value)) {
      return absl::UnimplementedError(
          absl::StrCat("values of type '", other->name, "' are not supported"));
    }
    const auto* type = std::get_if<Type>(&element->value);
    if (type == nullptr || element->has_index) {
      return Cursor::ErrorAt(at, "expected the type of a tensor, a tuple or a token");
    }
    ACCELD_RETURN_IF_ERROR(Charge(element->size_bytes, "a list of types"));
    owner.size_bytes += element->size_bytes;
    types.push_back(*type);
  }
  return types;
}

absl::Status Decoder::ReadTuple(Cursor& in, int depth, DecodedType& to) {
  ACCELD_ASSIGN_OR_RETURN(std::vector<Type> elements, ReadTypeList(in, depth, to));
  to.value = Type::Tuple(std::move(elements));
  return absl::OkStatus();
}

absl::Status Decoder::ReadFunctionType(Cursor& in, int depth, DecodedType& to) {
  FunctionType type;
  ACCELD_ASSIGN_OR_RETURN(type.parameters, ReadTypeList(in, depth, to));
  ACCELD_ASSIGN_OR_RETURN(type.results, ReadTypeList(in, depth, to));
  to.value = std::move(type);
  return absl::OkStatus();
}

absl::Status Decoder::ReadComplex(Cursor& in, int depth, DecodedType& to) {
  bool is_index = false;
  ACCELD_ASSIGN_OR_RETURN(const DType part, ElementType(in, depth, is_index));
  SetNamed(absl::StrCat("complex<", DTypeName(part), ">"), to);
  return absl::OkStatus();
}

absl::Status Decoder::ReadVhloType(Cursor& in, int depth, DecodedType& to) {
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(const uint64_t code, in.Varint());
  switch (code) {
    case kVhloComplex:
      return ReadComplex(in, depth, to);
    case kVhloFunction:
      return ReadFunctionType(in, depth, to);
    case kVhloIndex:
      SetIndex(to);
      return absl::OkStatus();
    case kVhloTensor:
      return ReadTensor(in, depth, to);
    case kVhloToken:
      to.value = Type::Token();
      return absl::OkStatus();
    case kVhloFuture:  // A future is a tuple of its values.
    case kVhloTuple:
      return ReadTuple(in, depth, to);
    case kVhloQuantized:
      return ReadQuantization(in, depth, /*per_axis=*/false, to);
    case kVhloQuantizedPerAxis:
      return ReadQuantization(in, depth, /*per_axis=*/true, to);
    default:
      break;
  }
  for (const VhloElement& element : kVhloElements) {
    if (element.code == code) {
      SetNamed(element.name, to);
      return absl::OkStatus();
    }
  }
  return absl::UnimplementedError(
      absl::StrCat("byte ", begin, ": VHLO type ", code, " is not supported"));
}

absl::Status Decoder::ReadBuiltinType(Cursor& in, int depth, DecodedType& to) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t code, in.Varint());
  switch (code) {
    case kInteger: {
      // width << 2 | (0: without a sign, 1: signed, 2: unsigned)
      constexpr uint64_t kUnsignedFlag = 2;
      ACCELD_ASSIGN_OR_RETURN(const uint64_t width, in.Varint());
      SetNamed(absl::StrCat((width & 3) == kUnsignedFlag ? "ui" : "i", width >> 2), to);
      return absl::OkStatus();
    }
    case kIndex:
      SetIndex(to);
      return absl::OkStatus();
    case kFunction:
      return ReadFunctionType(in, depth, to);
    case kBF16:
      to.value = DType::kBF16;
      return absl::OkStatus();
    case kF16:
      to.value = DType::kF16;
      return absl::OkStatus();
    case kF32:
      to.value = DType::kF32;
      return absl::OkStatus();
    case kF64:
      to.value = DType::kF64;
      return absl::OkStatus();
    case kComplex:
      return ReadComplex(in, depth, to);
    case kNone:
      to.value = OtherType{"none"};
      return absl::OkStatus();
    case kRankedTensor:
      return ReadTensor(in, depth, to);
    case kTuple:
      return ReadTuple(in, depth, to);
    default:
      to.value = OtherType{absl::StrCat("builtin type ", code)};
      return absl::OkStatus();
  }
}

// Only a token stands in artifacts, where Shardy's ops, which have no VHLO form, give and take one.
absl::Status Decoder::ReadStablehloType(Cursor& in, DecodedType& to) {
  constexpr uint64_t kToken = 0;
  ACCELD_ASSIGN_OR_RETURN(const uint64_t code, in.Varint());
  if (code == kToken) {
    to.value = Type::Token();
  } else {
    to.value = OtherType{absl::StrCat("stablehlo type ", code)};
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir::bytecode

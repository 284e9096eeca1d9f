#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/ir/bytecode/decoder.h"
#include "common/ir/quantization/quantized_types.h"
#include "common/ir/types/float_formats.h"

// Decodes attributes of the VHLO dialect and of MLIR's builtin dialect. Sources: StableHLO,
// VhloBytecode.cpp and VhloEnums.td; MLIR, BuiltinDialectBytecode.td.
namespace acceld::ir::bytecode {
namespace {

enum VhloAttributeCode : uint64_t {
  kVhloArray = 1,
  kVhloBoolean = 2,
  kVhloApiVersion = 5,
  kVhloDictionary = 6,
  kVhloFloat = 8,
  kVhloInteger = 9,
  kVhloString = 14,
  kVhloTensor = 15,
  kVhloType = 17,
};

// The keywords of VHLO's enums, by value.
struct VhloEnum {
  uint64_t code;
  absl::string_view keywords[6];
};
constexpr VhloEnum kVhloEnums[] = {
    {3, {"EQ", "NE", "GE", "GT", "LE", "LT"}},
    {4, {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}},
    {7, {"FFT", "IFFT", "RFFT", "IRFFT"}},
    {11, {"DEFAULT", "HIGH", "HIGHEST"}},
    {12, {"DEFAULT", "THREE_FRY", "PHILOX"}},
    {13, {"", "UNIFORM", "NORMAL"}},
    {16, {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}},
    {19, {"DEFAULT", "HIGHEST", "TOLERANCE"}},
};

enum BuiltinAttributeCode : uint64_t {
  kArray = 0,
  kDictionary = 1,
  kString = 2,
  kStringWithType = 3,
  kFlatSymbol = 4,
  kType = 6,
  kUnit = 7,
  kInteger = 8,
  kFloat = 9,
  kDenseResource = 16,
  kDenseArray = 17,
  kDenseElements = 18,
};

constexpr absl::string_view kAbsent = "none";

// Reads a number of known width: one byte for up to 8 bits, else a varint in zigzag encoding.
absl::StatusOr<int64_t> ReadBits(Cursor& in, int bits) {
  if (bits <= 8) {
    ACCELD_ASSIGN_OR_RETURN(const uint8_t byte, in.Byte());
    return byte;
  }
  return in.SignedVarint();
}

}  // namespace

bool Decoder::IsAbsent(const Attribute& attribute) {
  const auto* keyword = std::get_if<EnumAttribute>(&attribute.value);
  return keyword != nullptr && keyword->keyword == kAbsent;
}

absl::Status Decoder::ReadInteger(Cursor& in, int depth, DecodedAttribute& to) {
  const size_t begin = in.offset();
  bool is_index = false;
  ACCELD_ASSIGN_OR_RETURN(const DType dtype, ElementType(in, depth, is_index));
  if (IsFloat(dtype) || IsComplex(dtype)) {
    return Cursor::ErrorAt(begin, absl::StrCat("an integer of type ", DTypeName(dtype)));
  }
  ACCELD_ASSIGN_OR_RETURN(const int64_t bits, ReadBits(in, BitsOf(dtype)));
  to.value.value = IntegerAttribute{NarrowInteger(dtype, bits), dtype};
  return absl::OkStatus();
}

absl::Status Decoder::ReadFloat(Cursor& in, int depth, DecodedAttribute& to) {
  const size_t begin = in.offset();
  bool is_index = false;
  ACCELD_ASSIGN_OR_RETURN(const DType dtype, ElementType(in, depth, is_index));
  if (!IsFloat(dtype)) {
    return Cursor::ErrorAt(begin, absl::StrCat("a float of type ", DTypeName(dtype)));
  }
  const int width = BitsOf(dtype);
  ACCELD_ASSIGN_OR_RETURN(const int64_t bits, ReadBits(in, width));
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  to.value.value = FloatAttribute{DecodeFloat(dtype, static_cast<uint64_t>(bits) & mask), dtype};
  return absl::OkStatus();
}

absl::Status Decoder::ReadTypeAttribute(Cursor& in, int depth, DecodedAttribute& to) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t index, TypeIndex(in));
  ACCELD_ASSIGN_OR_RETURN(const DecodedType* type, Decode(index, depth + 1));
  to.size_bytes += type->size_bytes;
  const auto* value = std::get_if<Type>(&type->value);
  if (value != nullptr && !HasQuantized(*value)) {
    to.value.value = *value;
  } else if (const auto* dtype = std::get_if<DType>(&type->value)) {
    to.value.value = Type(TensorType{*dtype, {}});
  } else if (const auto* other = std::get_if<OtherType>(&type->value)) {
    // As in text, where `tf32` and `none` are keywords.
    if (other->name == "tf32" || other->name == kAbsent) {
      to.value.value = EnumAttribute{other->name};
    } else {
      to.value.value = OpaqueAttribute{"#foreign<type>"};
    }
  } else {
    to.value.value = OpaqueAttribute{"#foreign<function_type>"};
  }
  return absl::OkStatus();
}

absl::StatusOr<FunctionType> Decoder::FunctionTypeAt(uint64_t attribute) {
  const Entry& entry = container_.attributes[attribute];
  Cursor in = entry.data;
  const size_t begin = in.offset();
  uint64_t expected = ~uint64_t{0};
  if (entry.has_encoding && entry.dialect == "vhlo") expected = kVhloType;
  if (entry.has_encoding && entry.dialect == "builtin") expected = kType;
  ACCELD_ASSIGN_OR_RETURN(const uint64_t code, in.Varint());
  if (code == expected) {
    ACCELD_ASSIGN_OR_RETURN(const uint64_t index, TypeIndex(in));
    ACCELD_ASSIGN_OR_RETURN(const DecodedType* type, Decode(index, 1));
    ACCELD_RETURN_IF_ERROR(Charge(type->size_bytes, "a function's type"));
    if (const auto* function = std::get_if<FunctionType>(&type->value)) return *function;
  }
  return Cursor::ErrorAt(begin, "expected the type of a function");
}

absl::Status Decoder::ReadArray(Cursor& in, int depth, DecodedAttribute& to) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, in.Count("attributes"));
  ArrayAttribute array;
  for (uint64_t i = 0; i < count; ++i) {
    ACCELD_ASSIGN_OR_RETURN(const uint64_t index, AttributeIndex(in));
    ACCELD_ASSIGN_OR_RETURN(const DecodedAttribute* element, DecodeAttribute(index, depth + 1));
    ACCELD_RETURN_IF_ERROR(Charge(*element));
    to.size_bytes += element->size_bytes;
    to.constant_bytes += element->constant_bytes;
    array.elements.push_back(element->value);
  }
  to.value.value = std::move(array);
  return absl::OkStatus();
}

// Format: the count, then pairs of name and value.
absl::StatusOr<Decoder::Entries> Decoder::ReadEntries(Cursor& in, int depth) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, in.Count("attributes"));
  Entries entries;
  for (uint64_t i = 0; i < count; ++i) {
    const size_t begin = in.offset();
    ACCELD_ASSIGN_OR_RETURN(const uint64_t name_index, AttributeIndex(in));
    // A name is a string, so that decoding it takes one more level only.
    ACCELD_ASSIGN_OR_RETURN(const DecodedAttribute* name, DecodeAttribute(name_index, depth + 1));
    ACCELD_RETURN_IF_ERROR(Charge(name->size_bytes, "the name of an attribute"));
    const auto* text = std::get_if<StringAttribute>(&name->value.value);
    if (text == nullptr) return Cursor::ErrorAt(begin, "expected the name of an attribute");
    ACCELD_ASSIGN_OR_RETURN(const uint64_t value, AttributeIndex(in));
    entries.emplace_back(text->value, value);
  }
  return entries;
}

absl::Status Decoder::ReadDictionary(Cursor& in, int depth, DecodedAttribute& to) {
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(Entries entries, ReadEntries(in, depth));
  DictionaryAttribute dictionary;
  for (auto& [name, index] : entries) {
    ACCELD_ASSIGN_OR_RETURN(const DecodedAttribute* value, DecodeAttribute(index, depth + 1));
    ACCELD_RETURN_IF_ERROR(Charge(*value));
    to.size_bytes += value->size_bytes + name.size() + sizeof(std::string);
    to.constant_bytes += value->constant_bytes;
    if (!dictionary.entries.try_emplace(name, value->value).second) {
      return Cursor::ErrorAt(begin, absl::StrCat("attribute '", name, "' stands twice"));
    }
  }
  to.value.value = std::move(dictionary);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint64_t>> Decoder::ArrayAt(uint64_t index) {
  ACCELD_ASSIGN_OR_RETURN(Cursor in, OpenEntry(index, kVhloArray, kArray, "an array"));
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, in.Count("attributes"));
  std::vector<uint64_t> elements(count);
  for (uint64_t& element : elements) {
    ACCELD_ASSIGN_OR_RETURN(element, AttributeIndex(in));
  }
  return elements;
}

absl::StatusOr<Cursor> Decoder::OpenEntry(uint64_t index, uint64_t vhlo_code, uint64_t builtin_code,
                                          absl::string_view what) const {
  const Entry& entry = container_.attributes[index];
  Cursor in = entry.data;
  const size_t begin = in.offset();
  const bool is_vhlo = entry.dialect == "vhlo";
  ACCELD_ASSIGN_OR_RETURN(const uint64_t code, in.Varint());
  const bool is_known = entry.has_encoding && (is_vhlo || entry.dialect == "builtin");
  if (!is_known || code != (is_vhlo ? vhlo_code : builtin_code)) {
    return Cursor::ErrorAt(begin, absl::StrCat("expected ", what));
  }
  return in;
}

absl::StatusOr<Decoder::Entries> Decoder::DictionaryAt(uint64_t index) {
  ACCELD_ASSIGN_OR_RETURN(Cursor in,
                          OpenEntry(index, kVhloDictionary, kDictionary, "a dictionary"));
  return ReadEntries(in, 1);
}

absl::Status Decoder::ReadVhloAttribute(Cursor& in, int depth, DecodedAttribute& to) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t code, in.Varint());
  switch (code) {
    case kVhloArray:
      return ReadArray(in, depth, to);
    case kVhloBoolean: {
      ACCELD_ASSIGN_OR_RETURN(const uint64_t value, in.Varint());
      to.value.value = IntegerAttribute{value != 0 ? 1 : 0, DType::kI1};
      return absl::OkStatus();
    }
    case kVhloApiVersion: {
      const size_t begin = in.offset();
      ACCELD_ASSIGN_OR_RETURN(const uint64_t value, in.Varint());
      if (value > INT32_MAX) return Cursor::ErrorAt(begin, "the API version is too large");
      to.value.value = IntegerAttribute{static_cast<int64_t>(value), DType::kI32};
      return absl::OkStatus();
    }
    case kVhloDictionary:
      return ReadDictionary(in, depth, to);
    case kVhloFloat:
      return ReadFloat(in, depth, to);
    case kVhloInteger:
      return ReadInteger(in, depth, to);
    case kVhloString: {
      ACCELD_ASSIGN_OR_RETURN(std::string text, String(in));
      to.size_bytes += text.size();
      to.value.value = StringAttribute{std::move(text)};
      return absl::OkStatus();
    }
    case kVhloTensor:
      return ReadDense(in, depth, to);
    case kVhloType:
      return ReadTypeAttribute(in, depth, to);
    default:
      break;
  }
  for (const VhloEnum& known : kVhloEnums) {
    if (known.code != code) continue;
    const size_t begin = in.offset();
    ACCELD_ASSIGN_OR_RETURN(const uint64_t value, in.Varint());
    const absl::Span<const absl::string_view> keywords(known.keywords);
    if (value >= keywords.size() || keywords[value].empty()) {
      return Cursor::ErrorAt(begin, absl::StrCat("VHLO enum ", code, " has no value ", value));
    }
    to.value.value = EnumAttribute{std::string(keywords[value])};
    return absl::OkStatus();
  }
  return ReadVhloMeshPart(code, in, depth, to);
}

absl::Status Decoder::ReadBuiltinAttribute(Cursor& in, int depth, DecodedAttribute& to) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t code, in.Varint());
  switch (code) {
    case kArray:
      return ReadArray(in, depth, to);
    case kDictionary:
      return ReadDictionary(in, depth, to);
    case kString:
    case kStringWithType: {
      ACCELD_ASSIGN_OR_RETURN(std::string text, String(in));
      to.size_bytes += text.size();
      to.value.value = StringAttribute{std::move(text)};
      return absl::OkStatus();
    }
    case kFlatSymbol: {
      const size_t begin = in.offset();
      ACCELD_ASSIGN_OR_RETURN(const uint64_t index, AttributeIndex(in));
      ACCELD_ASSIGN_OR_RETURN(const DecodedAttribute* name, DecodeAttribute(index, depth + 1));
      const auto* text = std::get_if<StringAttribute>(&name->value.value);
      if (text == nullptr) return Cursor::ErrorAt(begin, "expected the name of a symbol");
      to.size_bytes += text->value.size();
      to.value.value = SymbolAttribute{text->value};
      return absl::OkStatus();
    }
    case kType:
      return ReadTypeAttribute(in, depth, to);
    case kUnit:
      to.value.value = UnitAttribute{};
      return absl::OkStatus();
    case kInteger:
      return ReadInteger(in, depth, to);
    case kFloat:
      return ReadFloat(in, depth, to);
    case kDenseResource:
      return ReadDenseResource(in, depth, to);
    case kDenseArray:
      return ReadDenseArray(in, depth, to);
    case kDenseElements:
      return ReadDense(in, depth, to);
    default:
      to.value.value = OpaqueAttribute{absl::StrCat("#builtin<attribute ", code, ">")};
      return absl::OkStatus();
  }
}

}  // namespace acceld::ir::bytecode

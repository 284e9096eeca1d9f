#include "common/ir/bytecode/decoder.h"

#include "absl/strings/str_cat.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir::bytecode {
namespace {

absl::Status TooDeep(const Cursor& in) {
  return in.Error(absl::StrCat("nesting is deeper than ", limits::kMaxDepth));
}

// Shardy has had a binary encoding since April 2025.
absl::Status ShardyText(const Cursor& in) {
  return absl::UnimplementedError(
      absl::StrCat("byte ", in.offset(),
                   ": an attribute of Shardy stands as text, written by an older version of Shardy "
                   "than is supported; export the program again with a newer JAX"));
}

}  // namespace

Decoder::Decoder(const Container& container, MemoryBudget& budget)
    : container_(container),
      types_(container.types.size()),
      attributes_(container.attributes.size()),
      budget_(budget),
      constant_budget_bytes_(limits::kMaxProgramBytes) {
  static_assert(sizeof(std::optional<DecodedType>) <= kDecodedBytes &&
                sizeof(std::optional<DecodedAttribute>) <= kDecodedBytes);
}

absl::Status Decoder::Charge(uint64_t bytes, absl::string_view what) {
  return budget_.Charge(static_cast<int64_t>(bytes), what);
}

absl::Status Decoder::Charge(const DecodedAttribute& attribute) {
  if (attribute.constant_bytes > constant_budget_bytes_) {
    return absl::InvalidArgumentError(absl::StrCat("the program's constants have more than ",
                                                   limits::kMaxProgramBytes, " bytes"));
  }
  constant_budget_bytes_ -= attribute.constant_bytes;
  return Charge(attribute.size_bytes, "an attribute");
}

absl::StatusOr<uint64_t> Decoder::TypeIndex(Cursor& in) const {
  return in.Index(container_.types.size(), "type");
}
absl::StatusOr<uint64_t> Decoder::AttributeIndex(Cursor& in) const {
  return in.Index(container_.attributes.size(), "attribute");
}
absl::StatusOr<std::string> Decoder::String(Cursor& in) const {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t index, in.Index(container_.strings.size(), "string"));
  return std::string(container_.strings[index]);
}

absl::StatusOr<const DecodedType*> Decoder::Decode(uint64_t index, int depth) {
  std::optional<DecodedType>& slot = types_[index];
  if (slot.has_value()) return &*slot;
  const Entry& entry = container_.types[index];
  Cursor in = entry.data;
  if (depth >= limits::kMaxDepth) return TooDeep(in);
  DecodedType type;
  type.value = OtherType{absl::StrCat("!", entry.dialect, "<...>")};
  type.size_bytes = sizeof(Type);
  if (entry.has_encoding && entry.dialect == "vhlo") {
    ACCELD_RETURN_IF_ERROR(ReadVhloType(in, depth, type));
  } else if (entry.has_encoding && entry.dialect == "builtin") {
    ACCELD_RETURN_IF_ERROR(ReadBuiltinType(in, depth, type));
  } else if (entry.has_encoding && entry.dialect == "stablehlo") {
    ACCELD_RETURN_IF_ERROR(ReadStablehloType(in, type));
  }
  ACCELD_RETURN_IF_ERROR(Charge(type.size_bytes, "a type"));
  slot = std::move(type);
  return &*slot;
}

absl::StatusOr<const Decoder::DecodedAttribute*> Decoder::DecodeAttribute(uint64_t index,
                                                                          int depth) {
  std::optional<DecodedAttribute>& slot = attributes_[index];
  if (slot.has_value()) return &*slot;
  const Entry& entry = container_.attributes[index];
  Cursor in = entry.data;
  if (depth >= limits::kMaxDepth) return TooDeep(in);
  DecodedAttribute attribute;
  attribute.size_bytes = sizeof(Attribute);
  if (entry.has_encoding && entry.dialect == "vhlo") {
    ACCELD_RETURN_IF_ERROR(ReadVhloAttribute(in, depth, attribute));
  } else if (entry.has_encoding && entry.dialect == "builtin") {
    ACCELD_RETURN_IF_ERROR(ReadBuiltinAttribute(in, depth, attribute));
  } else if (entry.dialect == "sdy") {
    if (!entry.has_encoding) return ShardyText(in);
    ACCELD_RETURN_IF_ERROR(ReadShardyAttribute(in, depth, attribute));
  } else {
    attribute.value.value = OpaqueAttribute{"#foreign<attribute>"};
  }
  ACCELD_RETURN_IF_ERROR(Charge(attribute.size_bytes, "an attribute"));
  slot = std::move(attribute);
  return &*slot;
}

absl::StatusOr<Type> Decoder::ValueTypeAt(uint64_t index) {
  ACCELD_ASSIGN_OR_RETURN(const DecodedType* decoded, Decode(index, 0));
  ACCELD_RETURN_IF_ERROR(Charge(decoded->size_bytes, "a type"));
  const auto* type = std::get_if<Type>(&decoded->value);
  if (type != nullptr && !decoded->has_index) return *type;
  std::string name = "index";
  if (const auto* other = std::get_if<OtherType>(&decoded->value)) name = other->name;
  if (const auto* dtype = std::get_if<DType>(&decoded->value))
    name = std::string(DTypeName(*dtype));
  if (std::holds_alternative<FunctionType>(decoded->value)) name = "function";
  return absl::UnimplementedError(absl::StrCat(
      "values of type '", name, "' are not supported, only tensors, tuples and tokens"));
}

absl::StatusOr<Attribute> Decoder::AttributeAt(uint64_t index) {
  ACCELD_ASSIGN_OR_RETURN(const DecodedAttribute* decoded, DecodeAttribute(index, 0));
  ACCELD_RETURN_IF_ERROR(Charge(*decoded));
  return decoded->value;
}

absl::StatusOr<std::string> Decoder::NameAt(uint64_t index) {
  ACCELD_ASSIGN_OR_RETURN(const DecodedAttribute* decoded, DecodeAttribute(index, 0));
  ACCELD_RETURN_IF_ERROR(Charge(decoded->size_bytes, "a name"));
  const auto* text = std::get_if<StringAttribute>(&decoded->value.value);
  const size_t offset = container_.attributes[index].data.offset();
  if (text == nullptr) return Cursor::ErrorAt(offset, "expected a string");
  if (text->value.size() > static_cast<size_t>(limits::kMaxNameBytes)) {
    return Cursor::ErrorAt(offset,
                           absl::StrCat("a name is longer than ", limits::kMaxNameBytes, " bytes"));
  }
  return text->value;
}

}  // namespace acceld::ir::bytecode

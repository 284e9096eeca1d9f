#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/bytecode/decoder.h"
#include "common/ir/types/dense_bytes.h"
#include "common/ir/types/element.h"

// Decodes constants and arrays, the attributes that consist of raw bytes.
namespace acceld::ir::bytecode {

int64_t NarrowInteger(DType dtype, int64_t bits) {
  if (dtype == DType::kI1) return bits & 1;
  int64_t value = 0;
  WriteInt(dtype, &value, 0, bits);
  return ReadInt(dtype, &value, 0);
}

absl::StatusOr<TensorType> Decoder::LiteralType(Cursor& in, int depth) {
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(const uint64_t index, TypeIndex(in));
  ACCELD_ASSIGN_OR_RETURN(const DecodedType* decoded, Decode(index, depth + 1));
  const auto* type = std::get_if<Type>(&decoded->value);
  if (type == nullptr || !type->IsTensor() || !type->tensor().IsStatic()) {
    if (const auto* other = std::get_if<OtherType>(&decoded->value)) {
      return absl::UnimplementedError(absl::StrCat("byte ", begin, ": constants of type '",
                                                   other->name, "' are not supported"));
    }
    return Cursor::ErrorAt(begin, "a constant needs a tensor type without dynamic dimensions");
  }
  return type->tensor();
}

absl::Status Decoder::SetLiteral(TensorType type, absl::string_view bytes, DecodedAttribute& to) {
  // Several attributes may refer to the same bytes, and one byte may hold eight elements.
  const auto stored = std::min<uint64_t>(type.size_bytes(), 8 * bytes.size());
  ACCELD_RETURN_IF_ERROR(Charge(bytes.size() + stored, "a constant"));
  ACCELD_ASSIGN_OR_RETURN(std::string elements, ElementsFromDense(type, std::string(bytes)));
  to.constant_bytes = elements.size();
  ACCELD_ASSIGN_OR_RETURN(Literal literal,
                          Literal::FromBytes(std::move(type), std::move(elements)));
  to.value.value = std::move(literal);
  return absl::OkStatus();
}

absl::Status Decoder::ReadDense(Cursor& in, int depth, DecodedAttribute& to) {
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(TensorType type, LiteralType(in, depth));
  ACCELD_ASSIGN_OR_RETURN(const absl::string_view bytes, in.Blob());
  return Annotate(SetLiteral(std::move(type), bytes, to), absl::StrCat("byte ", begin));
}

absl::Status Decoder::ReadDenseResource(Cursor& in, int depth, DecodedAttribute& to) {
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(TensorType type, LiteralType(in, depth));
  ACCELD_ASSIGN_OR_RETURN(const uint64_t index, in.Index(container_.resources.size(), "resource"));
  const Resource& resource = container_.resources[index];
  if (!resource.is_blob) {
    return Cursor::ErrorAt(begin, absl::StrCat("resource '", resource.key, "' has no bytes"));
  }
  return Annotate(SetLiteral(std::move(type), resource.bytes, to),
                  absl::StrCat("byte ", begin, ": resource '", resource.key, "'"));
}

// Format: the element type, the count, the bytes of all elements.
absl::Status Decoder::ReadDenseArray(Cursor& in, int depth, DecodedAttribute& to) {
  const size_t begin = in.offset();
  bool is_index = false;
  ACCELD_ASSIGN_OR_RETURN(const DType dtype, ElementType(in, depth, is_index));
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, in.Varint());
  ACCELD_ASSIGN_OR_RETURN(const absl::string_view bytes, in.Blob());
  if (IsFloat(dtype) || IsComplex(dtype)) {
    to.value.value = OpaqueAttribute{"#foreign<array>"};
    return absl::OkStatus();
  }
  const auto element = static_cast<uint64_t>(StorageBytesOf(dtype));
  if (bytes.size() % element != 0 || count != bytes.size() / element) {
    return Cursor::ErrorAt(begin, absl::StrCat("an array of ", count, " elements of type ",
                                               DTypeName(dtype), " has ", bytes.size(), " bytes"));
  }
  DenseArrayAttribute array;
  array.dtype = dtype;
  to.size_bytes += count * sizeof(int64_t);
  ACCELD_RETURN_IF_ERROR(Charge(count * sizeof(int64_t), "an array"));
  array.values.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    array.values.push_back(
        NarrowInteger(dtype, ReadInt(dtype, bytes.data(), static_cast<int64_t>(i))));
  }
  to.value.value = std::move(array);
  return absl::OkStatus();
}

}  // namespace acceld::ir::bytecode

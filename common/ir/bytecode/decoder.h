#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/ir/attributes/attribute.h"
#include "common/ir/bytecode/container.h"
#include "common/ir/types/type.h"
#include "common/ir/verify/memory_budget.h"
#include "common/status.h"

namespace acceld::ir::bytecode {

struct FunctionType {
  std::vector<Type> parameters;
  std::vector<Type> results;
};
// A type that no value of a program has: "none", "tf32".
struct OtherType {
  std::string name;
};
struct DecodedType {
  // DType and Quantization: element types by themselves.
  std::variant<Type, DType, Quantization, FunctionType, OtherType> value;
  bool has_index = false;   // made of `index`, which is read as i64 and stands in attributes only
  uint64_t size_bytes = 0;  // in memory, about
};

// `bits` cut to the width of an integer dtype, as what a number of that dtype holds.
int64_t NarrowInteger(DType dtype, int64_t bits);

// Types and attributes by their number in the file, decoded when first asked for. They refer to
// each other by number, so a small file could unfold to a huge program: nesting is bounded by
// limits::kMaxDepth, and what is decoded and given out is charged to a budget. Not thread-safe.
//
// Attributes come in the forms that the text reader gives: enums as keywords, flags as i1, dense
// tensors as literals. What has no form there (locations, other dialects) becomes an
// OpaqueAttribute. VHLO's way to say that there is no value is a type named "none" (IsAbsent).
class Decoder {
 public:
  // Both must outlive the decoder.
  Decoder(const Container& container, MemoryBudget& budget);

  // The type of a value: a tensor, tuple or token.
  absl::StatusOr<Type> ValueTypeAt(uint64_t index);
  absl::StatusOr<Attribute> AttributeAt(uint64_t index);
  // The text of a string attribute, of at most limits::kMaxNameBytes.
  absl::StatusOr<std::string> NameAt(uint64_t index);
  // The function type that a type attribute holds.
  absl::StatusOr<FunctionType> FunctionTypeAt(uint64_t attribute);
  // Names of a dictionary attribute with the numbers of the attributes under them.
  using Entries = std::vector<std::pair<std::string, uint64_t>>;
  absl::StatusOr<Entries> DictionaryAt(uint64_t index);
  // The numbers of an array attribute's elements.
  absl::StatusOr<std::vector<uint64_t>> ArrayAt(uint64_t index);

  static bool IsAbsent(const Attribute& attribute);

 private:
  // The data of an attribute that has this code in its dialect, behind the code.
  absl::StatusOr<Cursor> OpenEntry(uint64_t index, uint64_t vhlo_code, uint64_t builtin_code,
                                   absl::string_view what) const;

  struct DecodedAttribute {
    Attribute value;
    uint64_t size_bytes = 0;  // in memory, about, without the bytes of constants
    uint64_t constant_bytes = 0;
  };

  absl::StatusOr<const DecodedType*> Decode(uint64_t type, int depth);
  absl::StatusOr<const DecodedAttribute*> DecodeAttribute(uint64_t index, int depth);
  absl::Status Charge(uint64_t bytes, absl::string_view what);
  absl::Status Charge(const DecodedAttribute& attribute);

  // Each reads one entry after its code; `depth` is that of the entry.
  absl::Status ReadVhloType(Cursor& in, int depth, DecodedType& to);
  absl::Status ReadBuiltinType(Cursor& in, int depth, DecodedType& to);
  absl::Status ReadVhloAttribute(Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadBuiltinAttribute(Cursor& in, int depth, DecodedAttribute& to);

  absl::StatusOr<uint64_t> TypeIndex(Cursor& in) const;
  absl::StatusOr<uint64_t> AttributeIndex(Cursor& in) const;
  absl::StatusOr<std::string> String(Cursor& in) const;
  // Where only an element type, or only a tensor type, can stand.
  absl::StatusOr<DType> ElementType(Cursor& in, int depth, bool& is_index);
  absl::Status ReadTensor(Cursor& in, int depth, DecodedType& to);
  absl::Status ReadQuantization(Cursor& in, int depth, bool per_axis, DecodedType& to);
  absl::Status ReadTuple(Cursor& in, int depth, DecodedType& to);
  absl::Status ReadComplex(Cursor& in, int depth, DecodedType& to);
  absl::StatusOr<std::vector<Type>> ReadTypeList(Cursor& in, int depth, DecodedType& owner);
  absl::Status ReadFunctionType(Cursor& in, int depth, DecodedType& to);
  absl::Status ReadInteger(Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadFloat(Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadTypeAttribute(Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadArray(Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadDictionary(Cursor& in, int depth, DecodedAttribute& to);
  absl::StatusOr<Entries> ReadEntries(Cursor& in, int depth);
  // A tensor of the type whose number comes next, with `bytes` or else the blob behind it.
  absl::Status ReadDense(Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadDenseResource(Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadDenseArray(Cursor& in, int depth, DecodedAttribute& to);
  // decode_mesh.cc: one of VHLO's attributes about meshes, and one of Shardy's.
  absl::Status ReadMeshPart(uint64_t code, Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadShardyAttribute(Cursor& in, int depth, DecodedAttribute& to);
  // The attribute whose number comes next, as a part of `owner`.
  absl::Status ReadMember(Cursor& in, int depth, DecodedAttribute& owner, Attribute& member);
  absl::StatusOr<TensorType> LiteralType(Cursor& in, int depth);
  absl::Status SetLiteral(TensorType type, absl::string_view bytes, DecodedAttribute& to);

  const Container& container_;
  std::vector<std::optional<DecodedType>> types_;
  std::vector<std::optional<DecodedAttribute>> attributes_;
  MemoryBudget& budget_;
  uint64_t constant_budget_bytes_;
};

}  // namespace acceld::ir::bytecode

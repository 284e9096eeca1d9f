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

// The type of a function.
struct FunctionType {
  std::vector<Type> parameters;
  std::vector<Type> results;
};
// A type that no value of a program can have, such as "none" and "tf32".
struct OtherType {
  std::string name;
};
// A decoded type of any kind.
struct DecodedType {
  // A DType or Quantization is an element type on its own.
  std::variant<Type, DType, Quantization, FunctionType, OtherType> value;
  bool has_index = false;   // contains `index`, which is read as i64; in attributes only
  uint64_t size_bytes = 0;  // in memory, about
};

// Describe structures and their encoding (decode_mesh.cc).
struct StructLayout;
enum class MemberEncoding;

// Returns the value that an element of the integer type `dtype` with these low bits has.
int64_t NarrowInteger(DType dtype, int64_t bits);

// Decodes types and attributes, which have numbers in the file, when they are first asked for. They
// refer to each other by number, so a small file could unfold to a huge program: nesting is bounded
// by limits::kMaxDepth, and what is decoded and what is returned is charged to a budget. Not
// thread-safe.
//
// Attributes have the forms that the text reader also produces: enums are keywords, flags i1, dense
// tensors literals, and shardings have the form that import/distribution.h defines. An attribute
// that has no form there (locations, other dialects) is an OpaqueAttribute. VHLO writes an absent
// value as a type named "none" (IsAbsent).
class Decoder {
 public:
  // `container` and `budget` must outlive the decoder.
  Decoder(const Container& container, MemoryBudget& budget);

  // Returns a type that a value can have: a tensor, tuple or token. UNIMPLEMENTED for others.
  absl::StatusOr<Type> ValueTypeAt(uint64_t index);
  absl::StatusOr<Attribute> AttributeAt(uint64_t index);
  // Returns the text of a string attribute, which has at most limits::kMaxNameBytes.
  absl::StatusOr<std::string> NameAt(uint64_t index);
  // Returns the function type that a type attribute contains.
  absl::StatusOr<FunctionType> FunctionTypeAt(uint64_t attribute);
  // The names of a dictionary attribute, with the numbers of their attributes.
  using Entries = std::vector<std::pair<std::string, uint64_t>>;
  absl::StatusOr<Entries> DictionaryAt(uint64_t index);
  // Returns the numbers of the attributes that an array attribute contains.
  absl::StatusOr<std::vector<uint64_t>> ArrayAt(uint64_t index);

  // Whether the attribute says that there is no value.
  static bool IsAbsent(const Attribute& attribute);

 private:
  // Returns the data behind the code of an attribute, which must have this code of its dialect.
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

  // Each reads the data of one entry behind its code; `depth` is the nesting depth of the entry.
  absl::Status ReadVhloType(Cursor& in, int depth, DecodedType& to);
  absl::Status ReadBuiltinType(Cursor& in, int depth, DecodedType& to);
  absl::Status ReadStablehloType(Cursor& in, DecodedType& to);
  absl::Status ReadVhloAttribute(Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadBuiltinAttribute(Cursor& in, int depth, DecodedAttribute& to);

  absl::StatusOr<uint64_t> TypeIndex(Cursor& in) const;
  absl::StatusOr<uint64_t> AttributeIndex(Cursor& in) const;
  absl::StatusOr<std::string> String(Cursor& in) const;
  // Reads the number of a type that must be an element type.
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
  // Reads the number of a tensor type and the blob with the elements.
  absl::Status ReadDense(Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadDenseResource(Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadDenseArray(Cursor& in, int depth, DecodedAttribute& to);
  // In decode_mesh.cc: read one of VHLO's attributes about meshes, and one of Shardy's. Those that
  // are not known are opaque.
  absl::Status ReadVhloMeshPart(uint64_t code, Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadShardyAttribute(Cursor& in, int depth, DecodedAttribute& to);
  absl::Status ReadStruct(const StructLayout& layout, Cursor& in, int depth, DecodedAttribute& to);
  // Returns a member of the structure `owner`, to whose sizes it is added; nullopt if the member
  // is absent. ReadReferenced does so for the encodings with the number of an attribute.
  absl::StatusOr<std::optional<Attribute>> ReadMember(MemberEncoding encoding, Cursor& in,
                                                      int depth, DecodedAttribute& owner);
  absl::StatusOr<std::optional<Attribute>> ReadReferenced(MemberEncoding encoding, Cursor& in,
                                                          int depth, DecodedAttribute& owner);
  absl::StatusOr<Attribute> ReadName(Cursor& in, DecodedAttribute& owner);
  absl::StatusOr<Attribute> ReadIntegers(Cursor& in, DecodedAttribute& owner);
  absl::StatusOr<TensorType> LiteralType(Cursor& in, int depth);
  absl::Status SetLiteral(TensorType type, absl::string_view bytes, DecodedAttribute& to);

  const Container& container_;
  std::vector<std::optional<DecodedType>> types_;
  std::vector<std::optional<DecodedAttribute>> attributes_;
  MemoryBudget& budget_;
  uint64_t constant_budget_bytes_;
};

}  // namespace acceld::ir::bytecode

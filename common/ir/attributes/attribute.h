#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/ir/types/literal.h"
#include "common/ir/types/type.h"

// Attributes in untyped form, as text, wire and bytecode carry them. An op keeps its attributes
// typed (op_attributes.h); attribute_dictionary.h converts between the two forms.
namespace acceld::ir {

struct Attribute;
// A map by name. It is ordered, so that the order in which a producer wrote the attributes does not
// matter.
using AttributeDictionary = std::map<std::string, Attribute>;

// An attribute whose presence is its value.
struct UnitAttribute {
  friend bool operator==(const UnitAttribute&, const UnitAttribute&) = default;
};
// `5 : i64`; `true` is an integer of type i1.
struct IntegerAttribute {
  int64_t value = 0;
  DType dtype = DType::kI64;
  friend bool operator==(const IntegerAttribute&, const IntegerAttribute&) = default;
};
// `1.5 : f32`.
struct FloatAttribute {
  double value = 0;
  DType dtype = DType::kF64;
  friend bool operator==(const FloatAttribute&, const FloatAttribute&) = default;
};
// `"text"`.
struct StringAttribute {
  std::string value;
  friend bool operator==(const StringAttribute&, const StringAttribute&) = default;
};
// `@name`.
struct SymbolAttribute {
  std::string name;
  friend bool operator==(const SymbolAttribute&, const SymbolAttribute&) = default;
};
// `#stablehlo<comparison_direction LT>`, or the bare keyword of a pretty form. Keeps the keyword
// only.
struct EnumAttribute {
  std::string keyword;
  friend bool operator==(const EnumAttribute&, const EnumAttribute&) = default;
};
// `array<i64: 1, 2>` and `array<i1: true>`.
struct DenseArrayAttribute {
  DType dtype = DType::kI64;
  std::vector<int64_t> values;
  friend bool operator==(const DenseArrayAttribute&, const DenseArrayAttribute&) = default;
};
// `[a, b]`.
struct ArrayAttribute {
  std::vector<Attribute> elements;
  friend bool operator==(const ArrayAttribute&, const ArrayAttribute&);
};
// `{a = 1, b}`.
struct DictionaryAttribute {
  AttributeDictionary entries;
  friend bool operator==(const DictionaryAttribute&, const DictionaryAttribute&);
};
// `#stablehlo.gather<offset_dims = [0], ...>`: a named group of fields.
struct StructAttribute {
  std::string name;  // "gather"
  AttributeDictionary fields;
  friend bool operator==(const StructAttribute&, const StructAttribute&);
};
// An attribute of a dialect that acceld does not interpret (`#sdy.sharding<...>`), as its text.
struct OpaqueAttribute {
  std::string text;
  friend bool operator==(const OpaqueAttribute&, const OpaqueAttribute&) = default;
};

// One attribute of any kind. A Type stands for a type attribute, a Literal for `dense<...>`.
struct Attribute {
  std::variant<UnitAttribute, IntegerAttribute, FloatAttribute, StringAttribute, SymbolAttribute,
               EnumAttribute, DenseArrayAttribute, ArrayAttribute, DictionaryAttribute,
               StructAttribute, Type, Literal, OpaqueAttribute>
      value;
  friend bool operator==(const Attribute&, const Attribute&) = default;
};

inline bool operator==(const ArrayAttribute& a, const ArrayAttribute& b) {
  return a.elements == b.elements;
}
inline bool operator==(const DictionaryAttribute& a, const DictionaryAttribute& b) {
  return a.entries == b.entries;
}
inline bool operator==(const StructAttribute& a, const StructAttribute& b) {
  return a.name == b.name && a.fields == b.fields;
}

// Returns the StableHLO text of the attribute.
std::string ToString(const Attribute& attribute);

}  // namespace acceld::ir

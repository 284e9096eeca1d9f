#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/ir/attributes/attribute.h"
#include "common/ir/attributes/op_attributes.h"

// Converts typed attribute structs to dictionaries by their VisitFields; used by
// attribute_dictionary.cc.
namespace acceld::ir {

template <typename Struct>
AttributeDictionary WriteFields(const Struct& fields);

inline Attribute WriteField(bool value) { return {IntegerAttribute{value ? 1 : 0, DType::kI1}}; }
inline Attribute WriteField(int64_t value) { return {IntegerAttribute{value, DType::kI64}}; }
inline Attribute WriteField(double value) { return {FloatAttribute{value, DType::kF32}}; }
inline Attribute WriteField(const std::string& value) { return {StringAttribute{value}}; }
inline Attribute WriteField(const Literal& value) { return {value}; }
inline Attribute WriteField(PrecisionType value) {
  return {EnumAttribute{std::string(NameOf(value))}};
}
inline Attribute WriteField(const FunctionName& value) { return {SymbolAttribute{value.name}}; }
inline Attribute WriteField(const Attribute& value) { return value; }
inline Attribute WriteField(const AttributeDictionary& value) {
  return {DictionaryAttribute{value}};
}
inline Attribute WriteField(const std::vector<int64_t>& values) {
  return {DenseArrayAttribute{DType::kI64, values}};
}
inline Attribute WriteField(const std::vector<bool>& values) {
  return {DenseArrayAttribute{DType::kI1, std::vector<int64_t>(values.begin(), values.end())}};
}
inline Attribute WriteField(const PaddingPairs& value) {
  std::vector<int64_t> flat;
  for (const auto& [low, high] : value.pairs) {
    flat.push_back(low);
    flat.push_back(high);
  }
  const TensorType type{DType::kI64, {static_cast<int64_t>(value.pairs.size()), 2}};
  return {Literal::FromValues<int64_t>(type, flat)};
}
template <typename Enum>
  requires requires(Enum value) { EnumKeywords(value); }
Attribute WriteField(Enum value) {
  return {EnumAttribute{EnumKeywords(value)[static_cast<int>(value)]}};
}
template <typename Struct>
  requires requires { Struct::kStructName; }
Attribute WriteField(const Struct& value) {
  return {StructAttribute{Struct::kStructName, WriteFields(value)}};
}
template <typename Element>
Attribute WriteField(const std::vector<Element>& values) {
  ArrayAttribute array;
  for (const Element& value : values) array.elements.push_back(WriteField(value));
  return {std::move(array)};
}

// Collects the fields that VisitFields names. An empty optional has no entry.
class FieldWriter {
 public:
  template <typename Field>
  void Visit(const char* name, const Field& field) {
    dictionary_.emplace(name, WriteField(field));
  }
  template <typename Field>
  void Visit(const char* name, const std::optional<Field>& field) {
    if (field.has_value()) Visit(name, *field);
  }
  AttributeDictionary Take() { return std::move(dictionary_); }

 private:
  AttributeDictionary dictionary_;
};

template <typename Struct>
AttributeDictionary WriteAllFields(const Struct& fields) {
  FieldWriter writer;
  Struct::VisitFields(fields, writer);
  return writer.Take();
}

// Returns the fields that differ from their defaults.
template <typename Struct>
AttributeDictionary WriteFields(const Struct& fields) {
  static const auto* const defaults = new AttributeDictionary(WriteAllFields(Struct{}));
  AttributeDictionary written = WriteAllFields(fields);
  std::erase_if(written, [](const auto& entry) {
    const auto found = defaults->find(entry.first);
    return found != defaults->end() && found->second == entry.second;
  });
  return written;
}

}  // namespace acceld::ir

#include "common/ir/memory_size.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace acceld::ir {
namespace {

// An entry of a map: its node and its name.
constexpr int64_t kEntryBytes = 64;

struct AttributeBytes {
  int64_t operator()(const StringAttribute& a) const { return Size(a.value.size()); }
  int64_t operator()(const SymbolAttribute& a) const { return Size(a.name.size()); }
  int64_t operator()(const EnumAttribute& a) const { return Size(a.keyword.size()); }
  int64_t operator()(const OpaqueAttribute& a) const { return Size(a.text.size()); }
  int64_t operator()(const DenseArrayAttribute& a) const {
    return Size(a.values.size() * sizeof(int64_t));
  }
  int64_t operator()(const ArrayAttribute& a) const {
    int64_t bytes = 0;
    for (const Attribute& element : a.elements) bytes += MemoryBytesOf(element);
    return bytes;
  }
  int64_t operator()(const DictionaryAttribute& a) const { return MemoryBytesOf(a.entries); }
  int64_t operator()(const StructAttribute& a) const {
    return Size(a.name.size()) + MemoryBytesOf(a.fields);
  }
  int64_t operator()(const Type& a) const { return MemoryBytesOf(a); }
  template <typename Other>
  int64_t operator()(const Other&) const {
    return 0;
  }

  static int64_t Size(size_t size) { return static_cast<int64_t>(size); }
};

// What the fields of a struct of attributes own beside their own places.
class FieldBytes {
 public:
  template <typename Field>
  void Visit(const char*, const Field& field) {
    bytes_ += Of(field);
  }
  int64_t bytes() const { return bytes_; }

 private:
  static int64_t Of(const std::string& text) { return static_cast<int64_t>(text.size()); }
  static int64_t Of(const FunctionName& function) { return Of(function.name); }
  static int64_t Of(const Attribute& attribute) { return MemoryBytesOf(attribute); }
  static int64_t Of(const AttributeDictionary& entries) { return MemoryBytesOf(entries); }
  static int64_t Of(const PaddingPairs& padding) {
    return static_cast<int64_t>(padding.pairs.size() * sizeof(padding.pairs[0]));
  }
  template <typename Field>
  static int64_t Of(const std::optional<Field>& field) {
    return field.has_value() ? Of(*field) : 0;
  }
  template <typename Element>
  static int64_t Of(const std::vector<Element>& elements) {
    int64_t bytes = static_cast<int64_t>(elements.size() * sizeof(Element));
    if constexpr (!std::is_same_v<Element, bool>) {
      for (const Element& element : elements) bytes += Of(element);
    }
    return bytes;
  }
  template <typename Field>
  static int64_t Of(const Field& field) {
    if constexpr (requires { Field::kStructName; }) {
      FieldBytes inner;
      Field::VisitFields(field, inner);
      return inner.bytes();
    }
    return 0;
  }

  int64_t bytes_ = 0;
};

int64_t BytesOf(const OpAttributes& attributes) {
  return std::visit(
      [](const auto& fields) {
        FieldBytes visitor;
        std::decay_t<decltype(fields)>::VisitFields(fields, visitor);
        return visitor.bytes();
      },
      attributes);
}

// Recurses as deep as regions nest, which limits::kMaxDepth bounds.
int64_t BytesOf(const Region& region) {
  int64_t bytes = static_cast<int64_t>(
      sizeof(Region) + (region.parameters.size() + region.results.size()) * sizeof(ValueId));
  for (const Op& op : region.ops) {
    bytes += kOpBytes + BytesOf(op.attributes) +
             static_cast<int64_t>((op.operands.size() + op.results.size()) * sizeof(ValueId));
    for (const Region& inner : op.regions) bytes += BytesOf(inner);
  }
  return bytes;
}

}  // namespace

int64_t MemoryBytesOf(const Type& type) {
  auto bytes = static_cast<int64_t>(sizeof(Type));
  if (type.kind() == Type::Kind::kTuple) {
    for (const Type& element : type.elements()) bytes += MemoryBytesOf(element);
  } else if (type.kind() != Type::Kind::kToken) {
    bytes += type.tensor().rank() * static_cast<int64_t>(sizeof(int64_t));
  }
  return bytes;
}

int64_t MemoryBytesOf(const Attribute& attribute) {
  return static_cast<int64_t>(sizeof(Attribute)) + std::visit(AttributeBytes{}, attribute.value);
}

int64_t MemoryBytesOf(const AttributeDictionary& dictionary) {
  int64_t bytes = 0;
  for (const auto& [name, attribute] : dictionary) {
    bytes += kEntryBytes + static_cast<int64_t>(name.size()) + MemoryBytesOf(attribute);
  }
  return bytes;
}

int64_t MemoryBytesOf(const Function& function) {
  int64_t bytes = static_cast<int64_t>(sizeof(Function)) + BytesOf(function.body);
  for (const Type& type : function.value_types) bytes += MemoryBytesOf(type);
  return bytes;
}

int64_t MemoryBytesOf(const Module& module) {
  int64_t bytes = 0;
  for (const Function& function : module.functions) bytes += MemoryBytesOf(function);
  return bytes;
}

}  // namespace acceld::ir

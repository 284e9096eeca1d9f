#include "common/ir/verify/memory_size.h"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace acceld::ir {
namespace {

// The memory of an entry of a map: its node and its name.
constexpr int64_t kEntryBytes = 64;

int64_t Size(size_t size) { return static_cast<int64_t>(size); }

// Counts the memory that objects own besides their own size. There is one function for each kind of
// object.
class Counter {
 public:
  enum class Constants { kNone, kOnceEach };
  explicit Counter(Constants constants) : constants_(constants) {}

  int64_t Owned(const Type& type) {
    int64_t bytes = 0;
    if (type.kind() == Type::Kind::kTuple) {
      for (const Type& element : type.elements()) bytes += Size(sizeof(Type)) + Owned(element);
    } else if (type.kind() != Type::Kind::kToken) {
      bytes = type.tensor().rank() * Size(sizeof(int64_t));
    }
    return bytes;
  }
  int64_t Owned(const Literal& literal) {
    const absl::string_view bytes = literal.bytes();
    const bool counts = constants_ == Constants::kOnceEach && seen_.insert(bytes.data()).second;
    return counts ? Size(bytes.size()) : 0;
  }
  int64_t Owned(const Attribute& attribute) {
    return std::visit([this](const auto& value) { return Owned(value); }, attribute.value);
  }
  int64_t Owned(const AttributeDictionary& dictionary) {
    int64_t bytes = 0;
    for (const auto& [name, attribute] : dictionary) {
      bytes += kEntryBytes + Size(name.size() + sizeof(Attribute)) + Owned(attribute);
    }
    return bytes;
  }
  // Recurses as deep as regions nest, which limits::kMaxRegionDepth bounds.
  int64_t Owned(const Region& region) {
    int64_t bytes = Size((region.parameters.size() + region.results.size()) * sizeof(ValueId));
    for (const Op& op : region.ops) {
      bytes += kOpBytes + Owned(op.attributes) +
               Size((op.operands.size() + op.results.size()) * sizeof(ValueId));
      for (const Region& inner : op.regions) bytes += Size(sizeof(Region)) + Owned(inner);
    }
    return bytes;
  }
  int64_t Owned(const Function& function) {
    int64_t bytes = Size(sizeof(Region)) + Owned(function.body) +
                    Size(function.donations.size() * sizeof(Donation));
    for (const Type& type : function.value_types) bytes += Size(sizeof(Type)) + Owned(type);
    return bytes;
  }
  int64_t Owned(const Module& module) {
    int64_t bytes = 0;
    for (const Function& function : module.functions) {
      bytes += Size(sizeof(Function)) + Owned(function);
    }
    return bytes;
  }

  // For VisitFields of attribute structs.
  template <typename Field>
  void Visit(const char*, const Field& field) {
    fields_ += Owned(field);
  }

 private:
  int64_t Owned(const std::string& text) { return Size(text.size()); }
  int64_t Owned(const FunctionName& function) { return Owned(function.name); }
  int64_t Owned(const PaddingPairs& padding) {
    return Size(padding.pairs.size() * sizeof(padding.pairs[0]));
  }
  int64_t Owned(const StringAttribute& a) { return Owned(a.value); }
  int64_t Owned(const SymbolAttribute& a) { return Owned(a.name); }
  int64_t Owned(const EnumAttribute& a) { return Owned(a.keyword); }
  int64_t Owned(const OpaqueAttribute& a) { return Owned(a.text); }
  int64_t Owned(const DenseArrayAttribute& a) { return Size(a.values.size() * sizeof(int64_t)); }
  int64_t Owned(const ArrayAttribute& a) { return Owned(a.elements); }
  int64_t Owned(const DictionaryAttribute& a) { return Owned(a.entries); }
  int64_t Owned(const StructAttribute& a) { return Owned(a.name) + Owned(a.fields); }
  int64_t Owned(const OpAttributes& attributes) {
    return std::visit([this](const auto& fields) { return OwnedByFields(fields); }, attributes);
  }
  template <typename Field>
  int64_t Owned(const std::optional<Field>& field) {
    return field.has_value() ? Owned(*field) : 0;
  }
  template <typename Element>
  int64_t Owned(const std::vector<Element>& elements) {
    int64_t bytes = Size(elements.size() * sizeof(Element));
    if constexpr (!std::is_same_v<Element, bool>) {
      for (const Element& element : elements) bytes += Owned(element);
    }
    return bytes;
  }
  // Attribute structs, and types that own nothing: numbers, enums.
  template <typename Field>
  int64_t Owned(const Field& field) {
    if constexpr (requires { Field::kStructName; }) return OwnedByFields(field);
    return 0;
  }

  template <typename Fields>
  int64_t OwnedByFields(const Fields& fields) {
    const int64_t before = std::exchange(fields_, 0);
    Fields::VisitFields(fields, *this);
    return std::exchange(fields_, before);
  }

  const Constants constants_;
  absl::flat_hash_set<const char*> seen_;  // Constants whose bytes have been counted.
  int64_t fields_ = 0;                     // Of the struct whose fields are being visited.
};

template <typename Value>
int64_t SizeWithOwned(const Value& value) {
  return Size(sizeof(Value)) + Counter(Counter::Constants::kNone).Owned(value);
}

}  // namespace

int64_t MemoryBytesOf(const Type& type) { return SizeWithOwned(type); }

int64_t MemoryBytesOf(const Attribute& attribute) { return SizeWithOwned(attribute); }

int64_t MemoryBytesOf(const AttributeDictionary& dictionary) {
  return Counter(Counter::Constants::kNone).Owned(dictionary);
}

int64_t MemoryBytesOf(const Function& function) { return SizeWithOwned(function); }

int64_t MemoryBytesOf(const Module& module) {
  return Counter(Counter::Constants::kNone).Owned(module);
}

int64_t MemoryBytesWithConstants(const Module& module) {
  return Counter(Counter::Constants::kOnceEach).Owned(module);
}

}  // namespace acceld::ir

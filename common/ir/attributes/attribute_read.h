#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/ir/attributes/attribute.h"
#include "common/ir/attributes/op_attributes.h"
#include "common/status.h"

// Converts dictionaries to typed attribute structs by their VisitFields; used by
// attribute_dictionary.cc. Each ReadField converts one attribute to a field of its type, and
// accepts every form in which text, generic text, wire and bytecode spell such a field.
// INVALID_ARGUMENT for any other.
namespace acceld::ir {

absl::Status ReadField(const Attribute& from, bool& to);  // an integer 0 or 1, or unit
absl::Status ReadField(const Attribute& from, int64_t& to);
absl::Status ReadField(const Attribute& from, double& to);  // rounded to f32
absl::Status ReadField(const Attribute& from, std::string& to);
absl::Status ReadField(const Attribute& from, Literal& to);
// The keyword or string that NameOf gives for the type, or a rank-0 tensor type.
absl::Status ReadField(const Attribute& from, PrecisionType& to);
absl::Status ReadField(const Attribute& from, FunctionName& to);  // @name, or a string
absl::Status ReadField(const Attribute& from, Attribute& to);
absl::Status ReadField(const Attribute& from, AttributeDictionary& to);
// array<i64: 1, 2>, [1, 2], or a rank-1 literal of integers.
absl::Status ReadField(const Attribute& from, std::vector<int64_t>& to);
absl::Status ReadField(const Attribute& from, std::vector<bool>& to);
absl::Status ReadField(const Attribute& from, std::vector<std::string>& to);
// A literal of shape Nx2, or a list of 2N integers.
absl::Status ReadField(const Attribute& from, PaddingPairs& to);

// Returns the index of a keyword or string in `keywords`, a list that ends with nullptr.
// INVALID_ARGUMENT when it is not there.
absl::StatusOr<int> ReadKeyword(const Attribute& from, const char* const* keywords);

template <typename Enum>
  requires requires(Enum value) { EnumKeywords(value); }
absl::Status ReadField(const Attribute& from, Enum& to) {
  ACCELD_ASSIGN_OR_RETURN(const int index, ReadKeyword(from, EnumKeywords(Enum{})));
  to = static_cast<Enum>(index);
  return absl::OkStatus();
}
template <typename Enum>
  requires requires(Enum value) { EnumKeywords(value); }
absl::Status ReadField(const Attribute& from, std::vector<Enum>& to) {
  const auto* array = std::get_if<ArrayAttribute>(&from.value);
  if (array == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a list of keywords, found ", ToString(from)));
  }
  to.assign(array->elements.size(), Enum{});
  for (size_t i = 0; i < to.size(); ++i) {
    ACCELD_RETURN_IF_ERROR(ReadField(array->elements[i], to[i]));
  }
  return absl::OkStatus();
}

// Fills one struct from one dictionary. An entry that no field of the struct has is an error,
// unless `may_ignore(name)`.
class FieldReader {
 public:
  FieldReader(const AttributeDictionary& dictionary, bool (*may_ignore)(absl::string_view))
      : dictionary_(dictionary), may_ignore_(may_ignore) {}

  template <typename Struct>
  absl::Status Read(Struct& fields) {
    Struct::VisitFields(fields, *this);
    ACCELD_RETURN_IF_ERROR(status_);
    for (const auto& [name, value] : dictionary_) {
      if (!IsField(name) && !may_ignore_(name)) {
        return absl::InvalidArgumentError(absl::StrCat("unknown attribute '", name, "'"));
      }
    }
    return absl::OkStatus();
  }

  template <typename Field>
  void Visit(const char* name, Field& field) {
    fields_.push_back(name);
    const auto found = dictionary_.find(name);
    if (found == dictionary_.end() || !status_.ok()) return;
    status_ = Annotate(Parse(found->second, field), absl::StrCat("attribute '", name, "'"));
  }

 private:
  template <typename Field>
  absl::Status Parse(const Attribute& from, Field& to) {
    return ReadField(from, to);
  }
  template <typename Field>
  absl::Status Parse(const Attribute& from, std::optional<Field>& to) {
    return Parse(from, to.emplace());
  }
  template <typename Struct>
    requires requires { Struct::kStructName; }
  absl::Status Parse(const Attribute& from, Struct& to) {
    const AttributeDictionary* fields = nullptr;
    if (const auto* named = std::get_if<StructAttribute>(&from.value)) {
      if (named->name == Struct::kStructName) fields = &named->fields;
    } else if (const auto* dictionary = std::get_if<DictionaryAttribute>(&from.value)) {
      fields = &dictionary->entries;
    }
    if (fields == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("expected #stablehlo.", Struct::kStructName,
                                                     "<...>, found ", ToString(from)));
    }
    return FieldReader(*fields, may_ignore_).Read(to);
  }

  template <typename Struct>
    requires requires { Struct::kStructName; }
  absl::Status Parse(const Attribute& from, std::vector<Struct>& to) {
    // The reader of text gives a list without elements as an empty list of integers.
    const auto* none = std::get_if<DenseArrayAttribute>(&from.value);
    to.clear();
    if (none != nullptr && none->values.empty()) return absl::OkStatus();
    const auto* array = std::get_if<ArrayAttribute>(&from.value);
    if (array == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected a list of #stablehlo.", Struct::kStructName, "<...>, found ", ToString(from)));
    }
    for (const Attribute& element : array->elements) {
      ACCELD_RETURN_IF_ERROR(Parse(element, to.emplace_back()));
    }
    return absl::OkStatus();
  }

  bool IsField(absl::string_view name) const {
    for (const char* field : fields_) {
      if (name == field) return true;
    }
    return false;
  }

  const AttributeDictionary& dictionary_;
  bool (*may_ignore_)(absl::string_view);
  std::vector<const char*> fields_;
  absl::Status status_;
};

// Reads a structure, or a dictionary with its fields. All of these must be fields of the struct.
template <typename Struct>
  requires requires { Struct::kStructName; }
absl::Status ReadStruct(const Attribute& from, Struct& to) {
  const AttributeDictionary whole = {{Struct::kStructName, from}};
  struct Holder {
    Struct& field;
    static void VisitFields(Holder& self, FieldReader& reader) {
      reader.Visit(Struct::kStructName, self.field);
    }
  } holder{to};
  return FieldReader(whole, [](absl::string_view) { return false; }).Read(holder);
}

}  // namespace acceld::ir

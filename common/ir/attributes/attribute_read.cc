#include "common/ir/attributes/attribute_read.h"

#include "common/ir/types/float_formats.h"
#include "common/ir/types/literal_integers.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir {
namespace {

absl::Status Mismatch(absl::string_view expected, const Attribute& found) {
  constexpr size_t kMaxShown = 120;
  const auto* literal = std::get_if<Literal>(&found.value);
  std::string text = literal != nullptr ? literal->type().ToString() : ToString(found);
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "...";
  return absl::InvalidArgumentError(absl::StrCat("expected ", expected, ", found ", text));
}

// All elements of an integer literal, or nullopt when it is another kind or too long for a list.
std::optional<std::vector<int64_t>> ListOf(const Literal& literal) {
  const TensorType& type = literal.type();
  if (IsFloat(type.dtype) || IsComplex(type.dtype)) return std::nullopt;
  if (type.num_elements() > limits::kMaxOperands) return std::nullopt;
  return IntegersOf(literal);
}

std::optional<std::vector<int64_t>> ListOf(const Attribute& from) {
  if (const auto* dense = std::get_if<DenseArrayAttribute>(&from.value)) return dense->values;
  if (const auto* literal = std::get_if<Literal>(&from.value)) {
    if (literal->type().rank() > 1) return std::nullopt;
    return ListOf(*literal);
  }
  const auto* array = std::get_if<ArrayAttribute>(&from.value);
  if (array == nullptr) return std::nullopt;
  std::vector<int64_t> values;
  values.reserve(array->elements.size());
  for (const Attribute& element : array->elements) {
    const auto* integer = std::get_if<IntegerAttribute>(&element.value);
    if (integer == nullptr) return std::nullopt;
    values.push_back(integer->value);
  }
  return values;
}

const std::string* TextOf(const Attribute& from) {
  if (const auto* text = std::get_if<StringAttribute>(&from.value)) return &text->value;
  if (const auto* keyword = std::get_if<EnumAttribute>(&from.value)) return &keyword->keyword;
  return nullptr;
}

}  // namespace

absl::Status ReadField(const Attribute& from, bool& to) {
  if (std::holds_alternative<UnitAttribute>(from.value)) {
    to = true;
    return absl::OkStatus();
  }
  const auto* integer = std::get_if<IntegerAttribute>(&from.value);
  // i1's true may arrive sign-extended.
  if (integer == nullptr || integer->value < -1 || integer->value > 1) {
    return Mismatch("true or false", from);
  }
  to = integer->value != 0;
  return absl::OkStatus();
}

absl::Status ReadField(const Attribute& from, int64_t& to) {
  if (const auto* integer = std::get_if<IntegerAttribute>(&from.value)) {
    to = integer->value;
    return absl::OkStatus();
  }
  return Mismatch("an integer", from);
}

absl::Status ReadField(const Attribute& from, double& to) {
  const auto* number = std::get_if<FloatAttribute>(&from.value);
  if (number == nullptr) return Mismatch("a float", from);
  to = RoundToFormat(DType::kF32, number->value);
  return absl::OkStatus();
}

absl::Status ReadField(const Attribute& from, std::string& to) {
  if (const auto* text = std::get_if<StringAttribute>(&from.value)) {
    to = text->value;
    return absl::OkStatus();
  }
  if (const auto* symbol = std::get_if<SymbolAttribute>(&from.value)) {
    to = symbol->name;
    return absl::OkStatus();
  }
  return Mismatch("a string", from);
}

absl::Status ReadField(const Attribute& from, Literal& to) {
  if (const auto* literal = std::get_if<Literal>(&from.value)) {
    to = *literal;
    return absl::OkStatus();
  }
  return Mismatch("dense<...>", from);
}

absl::Status ReadField(const Attribute& from, PrecisionType& to) {
  if (const auto* type = std::get_if<Type>(&from.value)) {
    if (type->IsTensor() && type->tensor().rank() == 0) {
      to = {.dtype = type->tensor().dtype};
      return absl::OkStatus();
    }
  } else if (const std::string* name = TextOf(from)) {
    const bool is_tf32 = *name == NameOf(PrecisionType{.is_tf32 = true});
    const absl::optional<DType> dtype = is_tf32 ? DType::kF32 : ParseDType(*name);
    if (dtype.has_value()) {
      to = {.dtype = *dtype, .is_tf32 = is_tf32};
      return absl::OkStatus();
    }
  }
  return Mismatch("an element type", from);
}

absl::Status ReadField(const Attribute& from, FunctionName& to) {
  if (const auto* symbol = std::get_if<SymbolAttribute>(&from.value)) {
    to.name = symbol->name;
    return absl::OkStatus();
  }
  if (const auto* string = std::get_if<StringAttribute>(&from.value)) {
    to.name = string->value;
    return absl::OkStatus();
  }
  return Mismatch("@function", from);
}

absl::Status ReadField(const Attribute& from, Attribute& to) {
  to = from;
  return absl::OkStatus();
}

absl::Status ReadField(const Attribute& from, AttributeDictionary& to) {
  if (const auto* dictionary = std::get_if<DictionaryAttribute>(&from.value)) {
    to = dictionary->entries;
    return absl::OkStatus();
  }
  return Mismatch("a dictionary", from);
}

absl::Status ReadField(const Attribute& from, std::vector<int64_t>& to) {
  std::optional<std::vector<int64_t>> values = ListOf(from);
  if (!values.has_value()) return Mismatch("a list of integers", from);
  to = *std::move(values);
  return absl::OkStatus();
}

absl::Status ReadField(const Attribute& from, std::vector<bool>& to) {
  const std::optional<std::vector<int64_t>> values = ListOf(from);
  if (!values.has_value()) return Mismatch("a list of booleans", from);
  to.clear();
  for (int64_t value : *values) to.push_back(value != 0);
  return absl::OkStatus();
}

absl::Status ReadField(const Attribute& from, std::vector<std::string>& to) {
  const auto* array = std::get_if<ArrayAttribute>(&from.value);
  if (array == nullptr) return Mismatch("a list of strings", from);
  to.assign(array->elements.size(), std::string());
  for (size_t i = 0; i < to.size(); ++i) {
    ACCELD_RETURN_IF_ERROR(ReadField(array->elements[i], to[i]));
  }
  return absl::OkStatus();
}

absl::Status ReadField(const Attribute& from, PaddingPairs& to) {
  std::optional<std::vector<int64_t>> flat;
  if (const auto* literal = std::get_if<Literal>(&from.value)) {
    const TensorType& type = literal->type();
    if (type.rank() == 2 && type.dims[1] == 2) flat = ListOf(*literal);
  } else {
    flat = ListOf(from);
  }
  if (!flat.has_value() || flat->size() % 2 != 0) {
    return Mismatch("integers of shape Nx2", from);
  }
  to.pairs.clear();
  for (size_t i = 0; i < flat->size(); i += 2) to.pairs.emplace_back((*flat)[i], (*flat)[i + 1]);
  return absl::OkStatus();
}

absl::StatusOr<int> ReadKeyword(const Attribute& from, const char* const* keywords) {
  std::string known;
  const std::string* text = TextOf(from);
  for (int i = 0; keywords[i] != nullptr; ++i) {
    if (text != nullptr && *text == keywords[i]) return i;
    absl::StrAppend(&known, i == 0 ? "" : ", ", keywords[i]);
  }
  return Mismatch(absl::StrCat("one of ", known), from);
}

}  // namespace acceld::ir

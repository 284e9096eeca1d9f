#include "common/ir/attributes/attribute.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/types/literal_text.h"

namespace acceld::ir {
namespace {

bool IsBareName(const std::string& name) {
  if (name.empty() || !(absl::ascii_isalpha(name[0]) || name[0] == '_')) return false;
  for (char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '$' && c != '.') return false;
  }
  return true;
}

std::string IntegerText(DType dtype, int64_t value) {
  if (dtype == DType::kI1) return value != 0 ? "true" : "false";
  return IsUnsigned(dtype) ? absl::StrCat(static_cast<uint64_t>(value)) : absl::StrCat(value);
}

std::string ListText(const DenseArrayAttribute& array) {
  return absl::StrJoin(array.values, ", ", [&](std::string* out, int64_t value) {
    *out += IntegerText(array.dtype, value);
  });
}

std::string EntriesText(const AttributeDictionary& entries, bool in_struct);

// Recurses as deep as attributes nest, which their readers bound (limits::kMaxDepth).
struct Printer {
  // Inside #stablehlo.name<...> integer lists are bare: [0, 1].
  bool in_struct = false;

  std::string operator()(const UnitAttribute&) const { return "unit"; }
  std::string operator()(const IntegerAttribute& a) const {
    if (a.dtype == DType::kI1 || in_struct) return IntegerText(a.dtype, a.value);
    return absl::StrCat(IntegerText(a.dtype, a.value), " : ", DTypeName(a.dtype));
  }
  std::string operator()(const FloatAttribute& a) const {
    return absl::StrCat(FloatToText(a.dtype, a.value), " : ", DTypeName(a.dtype));
  }
  std::string operator()(const StringAttribute& a) const { return QuoteText(a.value); }
  std::string operator()(const SymbolAttribute& a) const {
    return absl::StrCat("@", IsBareName(a.name) ? a.name : QuoteText(a.name));
  }
  std::string operator()(const EnumAttribute& a) const { return a.keyword; }
  std::string operator()(const DenseArrayAttribute& a) const {
    if (in_struct) return absl::StrCat("[", ListText(a), "]");
    return absl::StrCat("array<", DTypeName(a.dtype), a.values.empty() ? "" : ": ", ListText(a),
                        ">");
  }
  std::string operator()(const ArrayAttribute& a) const {
    return absl::StrCat("[",
                        absl::StrJoin(a.elements, ", ",
                                      [](std::string* out, const Attribute& element) {
                                        *out += ToString(element);
                                      }),
                        "]");
  }
  std::string operator()(const DictionaryAttribute& a) const {
    return absl::StrCat("{", EntriesText(a.entries, false), "}");
  }
  std::string operator()(const StructAttribute& a) const {
    return absl::StrCat("#stablehlo.", a.name, "<", EntriesText(a.fields, true), ">");
  }
  std::string operator()(const Type& a) const { return a.ToString(); }
  std::string operator()(const Literal& a) const { return ToString(a); }
  std::string operator()(const OpaqueAttribute& a) const { return a.text; }
};

std::string EntriesText(const AttributeDictionary& entries, bool in_struct) {
  return absl::StrJoin(entries, ", ", [&](std::string* out, const auto& entry) {
    *out += IsBareName(entry.first) ? entry.first : QuoteText(entry.first);
    if (std::holds_alternative<UnitAttribute>(entry.second.value)) return;
    absl::StrAppend(out, " = ", std::visit(Printer{in_struct}, entry.second.value));
  });
}

}  // namespace

std::string ToString(const Attribute& attribute) { return std::visit(Printer{}, attribute.value); }

}  // namespace acceld::ir

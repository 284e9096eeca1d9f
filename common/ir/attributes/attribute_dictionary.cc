#include "common/ir/attributes/attribute_dictionary.h"

#include "absl/strings/match.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/attributes/attribute_write.h"

namespace acceld::ir {
namespace {

// Whether the attribute is a hint about placement, layout or communication, which changes no value
// here. Layouts and computations of calls do matter; they are read before (lapack_layouts.h,
// replaced_ops.h).
bool IsHint(absl::string_view name) {
  static constexpr absl::string_view kHints[] = {
      "called_computations",    "channel_handle",  "operand_layouts",
      "output_operand_aliases", "result_accuracy", "result_layouts",
  };
  if (absl::StrContains(name, '.')) return true;
  for (absl::string_view hint : kHints) {
    if (name == hint) return true;
  }
  return false;
}

}  // namespace

AttributeDictionary ToDictionary(const OpAttributes& attributes) {
  return std::visit([](const auto& fields) { return WriteFields(fields); }, attributes);
}

absl::StatusOr<OpAttributes> FromDictionary(OpKind kind, const AttributeDictionary& dictionary) {
  OpAttributes attributes = InfoOf(kind).default_attributes;
  absl::Status status = std::visit(
      [&](auto& fields) {
        FieldReader reader(dictionary, &IsHint);
        return reader.Read(fields);
      },
      attributes);
  if (!status.ok()) return Annotate(status, NameOf(kind));
  return attributes;
}

}  // namespace acceld::ir

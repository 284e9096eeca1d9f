#include "common/ir/bytecode/stored_op.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/check.h"

namespace acceld::ir::bytecode {

std::vector<StoredAttribute> ParseStoredAttributes(absl::string_view column) {
  std::vector<StoredAttribute> attributes;
  StoredAttribute around;  // its field and kind while inside braces
  for (absl::string_view word : absl::StrSplit(column, ' ', absl::SkipEmpty())) {
    const size_t brace = word.find('{');
    if (brace != absl::string_view::npos) {
      const std::pair<absl::string_view, absl::string_view> field =
          absl::StrSplit(word.substr(0, brace), ':');
      around.field = field.first;
      around.field_kind = field.second;
      word.remove_prefix(brace + 1);
    }
    const bool ends = absl::ConsumeSuffix(&word, "}");
    StoredAttribute attribute = around;
    attribute.is_function = absl::ConsumePrefix(&word, "@");
    attribute.is_ignored = absl::ConsumePrefix(&word, "-");
    attribute.is_optional = absl::ConsumePrefix(&word, "?");
    attribute.name = word;
    attributes.push_back(attribute);
    if (ends) around = {};
  }
  ACCELD_CHECK(around.field.empty());
  std::sort(attributes.begin(), attributes.end(),
            [](const StoredAttribute& a, const StoredAttribute& b) { return a.name < b.name; });
  return attributes;
}

}  // namespace acceld::ir::bytecode

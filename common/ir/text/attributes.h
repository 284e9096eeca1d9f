#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/ir/text/reader.h"

// Reads attributes of StableHLO text to their untyped form (attribute.h).
namespace acceld::ir::text {

// The memory of an attribute in a list or a dictionary. Its further contents are no larger than its
// text.
inline constexpr int64_t kAttributeEntryBytes = sizeof(Attribute) + 64;

// Reads any attribute. `#stablehlo<kind KEYWORD>` becomes an enum, `#stablehlo.name<a = ..>` a
// structure, and so do shardings (shardy.h). Attributes of other dialects are kept as text.
absl::StatusOr<Attribute> ReadAttribute(Reader& reader);

// Reads '{' (name ('=' attribute)?),* '}'. Names must be unique.
absl::StatusOr<AttributeDictionary> ReadDictionary(Reader& reader);
// As above, if the current token is '{'. The entries are added to `dictionary`.
absl::Status ReadOptionalDictionary(Reader& reader, AttributeDictionary& dictionary);
// As above, with values that the caller reads: `read_value(name, has_value)` is called where a
// value starts, or with has_value false where there is none (a unit attribute).
absl::Status ReadDictionaryEntries(
    Reader& reader,
    const std::function<absl::Status(const std::string& name, bool has_value)>& read_value);

// Reads field '=' attribute (',' field '=' attribute)*, the contents of `#stablehlo.name<...>`.
// Lists of integers become dense arrays.
absl::StatusOr<Attribute> ReadStructFields(Reader& reader, absl::string_view name);

// Reads '[' integer,* ']'.
absl::StatusOr<std::vector<int64_t>> ReadIntegers(Reader& reader);
// Reads the layouts of a convolution, [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], as the structure
// "conv".
absl::StatusOr<Attribute> ReadConvolutionLayouts(Reader& reader);

// Make attributes.
Attribute IntegersAttribute(std::vector<int64_t> values);  // array<i64: ...>
Attribute IntAttribute(int64_t value, DType dtype = DType::kI64);
Attribute KeywordAttribute(absl::string_view keyword);
Attribute TextAttribute(absl::string_view text);
Attribute NameAttribute(absl::string_view symbol);

}  // namespace acceld::ir::text

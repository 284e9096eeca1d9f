#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/ir/text/reader.h"

// Attributes of StableHLO text in their untyped form (attribute.h).
namespace acceld::ir::text {

// Any attribute. Of StableHLO's own, `#stablehlo<kind KEYWORD>` becomes an enum, `#stablehlo.name<a
// = ..>` a structure; attributes of other dialects are kept as text.
absl::StatusOr<Attribute> ReadAttribute(Reader& reader);

// '{' (name ('=' attribute)?),* '}'. Names are unique.
absl::StatusOr<AttributeDictionary> ReadDictionary(Reader& reader);
// The same added to `dictionary`, if the current token is '{'.
absl::Status ReadOptionalDictionary(Reader& reader, AttributeDictionary& dictionary);
// The same with the values read by the caller: `read_value(name)` is called where the value starts,
// or where it is missing (a unit attribute) with has_value false.
absl::Status ReadDictionaryEntries(
    Reader& reader,
    const std::function<absl::Status(const std::string& name, bool has_value)>& read_value);

// field = attribute (, field = attribute)*: the inside of `#stablehlo.name<...>`. Lists of integers
// become dense arrays.
absl::StatusOr<Attribute> ReadStructFields(Reader& reader, absl::string_view name);

// '[' integer,* ']'.
absl::StatusOr<std::vector<int64_t>> ReadIntegers(Reader& reader);
// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]: the layouts of a convolution, as the structure "conv".
absl::StatusOr<Attribute> ReadConvolutionLayouts(Reader& reader);

Attribute IntegersAttribute(std::vector<int64_t> values);  // array<i64: ...>
Attribute IntAttribute(int64_t value, DType dtype = DType::kI64);
Attribute KeywordAttribute(absl::string_view keyword);
Attribute TextAttribute(absl::string_view text);
Attribute NameAttribute(absl::string_view symbol);

}  // namespace acceld::ir::text

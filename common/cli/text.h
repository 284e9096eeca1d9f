#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

// How text for people is laid out in lines. Widths are numbers of characters. Pure functions.
namespace acceld::cli {

// For output that no width limits.
inline constexpr size_t kUnlimitedColumns = static_cast<size_t>(-1);

// Joins `pieces` with spaces into lines of at most `columns`; a piece is never broken. The caller
// has written `indent` columns of the first line; further lines begin with so many spaces.
std::string Filled(absl::Span<const std::string> pieces, size_t indent, size_t columns);
// The same for the words of `text`.
std::string Filled(absl::string_view text, size_t indent, size_t columns);

// Returns "a, b or c" where `conjunction` is "or"; "a" for one item and "" for none.
std::string Listed(absl::Span<const std::string> items, absl::string_view conjunction);

// Returns the text if it has at most `columns` characters, otherwise its beginning and "...".
std::string Cut(absl::string_view text, size_t columns);

// Appends spaces until the text has `columns` characters, or puts them in front of it.
std::string PadRight(absl::string_view text, size_t columns);
std::string PadLeft(absl::string_view text, size_t columns);

}  // namespace acceld::cli

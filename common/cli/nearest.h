#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace acceld::cli {

// Returns the candidate that somebody who typed `word` most probably meant: the only one that
// begins with it, or the first of those that it takes the fewest typing errors to get from. A
// typing error is a letter too many, too few or wrong, or two neighbours that were exchanged; one
// is forgiven in a short word, and another for each three letters of a longer one. nullopt when no
// candidate is that near. Pure function.
absl::optional<std::string> Nearest(absl::string_view word,
                                    absl::Span<const std::string> candidates);

}  // namespace acceld::cli

#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace acceld {

// Appends `text` to `out` as a JSON string (RFC 8259), quotes included. `text` may be any bytes: a
// byte that is not part of valid UTF-8 appears in the JSON string as the text \xNN.
void AppendJsonString(absl::string_view text, std::string& out);

}  // namespace acceld

#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace acceld {

// Appends `text` as a string of JSON (RFC 8259), in its quotes. Any bytes will do: those that are
// no UTF-8 become the text \xNN.
void AppendJsonString(absl::string_view text, std::string& out);

}  // namespace acceld

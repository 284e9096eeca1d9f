#pragma once

#include <string>

#include "absl/strings/string_view.h"

// UTF-8 (RFC 3629). Text from outside the process may be any bytes; names and messages on the wire
// must be UTF-8.
namespace acceld {

// Returns the number of bytes of the character that `text` begins with, or 0 if it begins with
// none. Overlong forms, surrogates and code points above U+10FFFF are not characters.
size_t Utf8CharacterBytes(absl::string_view text);

bool IsUtf8(absl::string_view text);

// Returns how many characters the text has. A byte that is part of no character counts as one.
size_t Utf8Length(absl::string_view text);

// Returns the text with each byte that is part of no character written as \xNN.
std::string EscapeNonUtf8(absl::string_view text);

}  // namespace acceld

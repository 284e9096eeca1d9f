#pragma once

#include <string>

#include "absl/strings/string_view.h"

// Text from outside may be any bytes; names and messages on the wire are UTF-8 (RFC 3629).
namespace acceld {

// The number of bytes of the character that `text` begins with, or 0 when it begins with none:
// overlong forms, surrogates and code points past U+10FFFF are none.
size_t Utf8CharacterBytes(absl::string_view text);

bool IsUtf8(absl::string_view text);

// The text with each byte that belongs to no character written as \xNN.
std::string EscapeNonUtf8(absl::string_view text);

}  // namespace acceld

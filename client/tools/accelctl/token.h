#pragma once

#include <string>

#include "common/status.h"

namespace acceld::tools {

// Options of `accelctl token new`.
struct TokenFlags {
  std::string name;
  std::string role = "user";  // Or "publisher" or "admin".
};

// A random bearer token, and the line for the daemon's token file that makes it valid.
struct Token {
  std::string token;
  std::string line;
};
// Creates a token. INVALID_ARGUMENT if the name is empty, too long, or contains spaces, control
// characters or '#'.
absl::StatusOr<Token> NewToken(const TokenFlags& flags);

// Creates a token and prints it with its line.
absl::Status PrintNewToken(const TokenFlags& flags);

}  // namespace acceld::tools

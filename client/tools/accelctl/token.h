#pragma once

#include <string>

#include "common/status.h"

namespace acceld::tools {

struct TokenFlags {
  std::string name;
  std::string role = "user";  // or publisher, admin
};

// A random bearer token, and the line by which a daemon knows it.
struct Token {
  std::string token;
  std::string line;
};
// INVALID_ARGUMENT: a name with spaces, control characters or '#'.
absl::StatusOr<Token> NewToken(const TokenFlags& flags);

// Makes one and prints both.
absl::Status PrintNewToken(const TokenFlags& flags);

}  // namespace acceld::tools

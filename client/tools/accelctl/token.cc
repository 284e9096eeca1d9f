#include "client/tools/accelctl/token.h"

#include <algorithm>
#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/crypto/random_bytes.h"
#include "common/crypto/sha256.h"

namespace acceld::tools {
namespace {

constexpr size_t kTokenBytes = 32;
constexpr size_t kMaxNameBytes = 128;

bool IsName(absl::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isgraph(c) && c != '#'; });
}

}  // namespace

absl::StatusOr<Token> NewToken(const TokenFlags& flags) {
  if (!IsName(flags.name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", flags.name, "' is no name: letters, digits and signs other than #"));
  }
  Token token;
  token.token = absl::StrCat("acceld_", absl::WebSafeBase64Escape(RandomBytes(kTokenBytes)));
  token.line = absl::StrCat(flags.name, " ", flags.role, " sha256:", ToHex(Sha256Of(token.token)));
  return token;
}

absl::Status PrintNewToken(const TokenFlags& flags) {
  ACCELD_ASSIGN_OR_RETURN(const Token token, NewToken(flags));
  std::cout << "token: " << token.token << "\nline:  " << token.line << "\n";
  std::cerr
      << "The token is for " << flags.name
      << ", in a file that ACCELD_TOKEN_FILE names.\nIt is not shown again. The line is for the "
         "daemon's file of tokens\n(--access-tokens).\n";
  return absl::OkStatus();
}

}  // namespace acceld::tools

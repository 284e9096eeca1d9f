#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/crypto/sha256.h"
#include "common/status.h"
#include "server/engine/identity.h"

namespace acceld::rpc {

// Bearer tokens and the identities that they stand for. A token file has one line for each token:
//   NAME ROLE sha256:HEX     # ROLE is user, publisher or admin
// where HEX is the SHA-256 of the token. Tokens are random (accelctl token new), so their hashes
// need no salt. Immutable.
class TokenTable {
 public:
  // Parses the text of a token file; `path` is quoted in errors. INVALID_ARGUMENT names the file,
  // the line and what is wrong, or says that there are more than kMaxTokens tokens.
  static absl::StatusOr<TokenTable> Parse(absl::string_view text, absl::string_view path);
  // Reads and parses a token file. The errors of Parse; PERMISSION_DENIED when users other than its
  // owner may write it; NOT_FOUND or another code with the system's message. Blocks.
  static absl::StatusOr<TokenTable> Read(const std::string& path);

  // Returns the identity of a token, with the name "token:NAME"; nullopt for an unknown token. The
  // time that this takes reveals nothing about the tokens in the table.
  absl::optional<engine::Identity> Find(absl::string_view token) const;
  size_t size() const { return entries_.size(); }

 private:
  static constexpr size_t kMaxTokens = 10'000;
  struct Entry {
    Sha256 hash{};
    engine::Identity identity;
  };
  std::vector<Entry> entries_;
};

}  // namespace acceld::rpc

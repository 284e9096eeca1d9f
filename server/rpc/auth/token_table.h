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

// Bearer tokens and who they stand for. A file has a line for each:
//   NAME ROLE sha256:HEX     # ROLE is user, publisher or admin
// where HEX is the hash of the token. Tokens are random (accelctl token new), so their hashes need
// no salt. Immutable.
class TokenTable {
 public:
  // INVALID_ARGUMENT says file, line and what is wrong; also for more than kMaxTokens lines.
  // `path` is for the messages.
  static absl::StatusOr<TokenTable> Parse(absl::string_view text, absl::string_view path);
  // The same from a file. PERMISSION_DENIED when others than its owner may write it, NOT_FOUND or
  // another with the system's message. Blocks.
  static absl::StatusOr<TokenTable> Read(const std::string& path);

  // Whose token it is, "token:NAME". The time that this takes says nothing about the tokens.
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

#include "server/rpc/auth/token_table.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/files/file.h"

namespace acceld::rpc {
namespace {

constexpr size_t kMaxFileBytes = size_t{4} << 20;
constexpr size_t kMaxNameBytes = 128;

absl::optional<Role> ParseRole(absl::string_view text) {
  for (const Role role : {Role::kUser, Role::kPublisher, Role::kAdmin}) {
    if (text == RoleName(role)) return role;
  }
  return absl::nullopt;
}

bool IsName(absl::string_view text) {
  return text.size() <= kMaxNameBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isgraph(c); });
}

}  // namespace

absl::StatusOr<TokenTable> TokenTable::Parse(absl::string_view text, absl::string_view path) {
  TokenTable table;
  int line = 0;
  for (absl::string_view rest : absl::StrSplit(text, '\n')) {
    ++line;
    const auto wrong = [&](absl::string_view what) {
      return absl::InvalidArgumentError(absl::StrCat(path, ":", line, ": ", what));
    };
    rest = rest.substr(0, rest.find('#'));
    const std::vector<absl::string_view> words =
        absl::StrSplit(rest, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    // A line may hold a token by mistake, so it is not quoted.
    if (words.size() != 3) return wrong("expected NAME ROLE sha256:HEX");
    if (!IsName(words[0])) return wrong("the name is too long or has control characters");
    const absl::optional<Role> role = ParseRole(words[1]);
    if (!role.has_value()) return wrong("the role is not user, publisher or admin");
    absl::string_view hex = words[2];
    const absl::optional<Sha256> hash =
        absl::ConsumePrefix(&hex, "sha256:") ? Sha256FromHex(hex) : absl::nullopt;
    if (!hash.has_value()) return wrong("expected sha256: and 64 hexadecimal digits");
    if (table.entries_.size() >= kMaxTokens) {
      return wrong(absl::StrCat("at most ", kMaxTokens, " tokens are allowed"));
    }
    table.entries_.push_back({*hash, {.name = absl::StrCat("token:", words[0]), .role = *role}});
  }
  return table;
}

absl::StatusOr<TokenTable> TokenTable::Read(const std::string& path) {
  const auto check = [&path](const struct stat& info) {
    if ((info.st_mode & 022) == 0) return absl::OkStatus();
    return absl::PermissionDeniedError(
        absl::StrCat(path, " may be written by others than its owner; chmod go-w ", path));
  };
  ACCELD_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path, kMaxFileBytes, check));
  return Parse(text, path);
}

absl::optional<engine::Identity> TokenTable::Find(absl::string_view token) const {
  const Sha256 hash = Sha256Of(token);
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {
    if (EqualInConstantTime(entry.hash, hash)) found = &entry;
  }
  if (found == nullptr) return absl::nullopt;
  return found->identity;
}

}  // namespace acceld::rpc

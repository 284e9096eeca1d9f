#include "server/cache/remote/keys.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/stat.h>

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/check.h"
#include "common/files/file.h"

namespace acceld::cache {
namespace {

constexpr size_t kMaxFileBytes = 64 << 10;

}  // namespace

absl::StatusOr<std::vector<std::string>> LoadTeamKeys(const std::string& path) {
  const auto check = [&path](const struct stat& info) {
    // The group may read it, as container platforms mount secrets that way.
    if (S_ISREG(info.st_mode) && (info.st_mode & 027) == 0) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(
        path,
        " is not a file that only its owner may write and only owner and group may read "
        "(chmod 600)"));
  };
  ACCELD_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path, kMaxFileBytes, check));
  std::vector<std::string> keys;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++line_number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    if (line.size() < kMinTeamKeyBytes) {
      return absl::InvalidArgumentError(absl::StrCat(path, ", line ", line_number, ": a key of ",
                                                     line.size(), " characters; it takes at least ",
                                                     kMinTeamKeyBytes,
                                                     " (openssl rand -hex 32 makes one)"));
    }
    keys.emplace_back(line);
  }
  if (keys.empty())
    return absl::InvalidArgumentError(absl::StrCat(path, ": there is no key in it"));
  return keys;
}

std::vector<SigningKey> DeriveSigningKeys(absl::Span<const std::string> team_keys,
                                          absl::string_view salt) {
  const std::string purpose = absl::StrCat("acceld cache entries 1 ", salt);
  std::vector<SigningKey> keys;
  for (const std::string& team_key : team_keys) {
    SigningKey key(EVP_MAX_MD_SIZE, '\0');
    unsigned int size = 0;
    ACCELD_CHECK(HMAC(EVP_sha256(), team_key.data(), static_cast<int>(team_key.size()),
                      reinterpret_cast<const uint8_t*>(purpose.data()), purpose.size(),
                      reinterpret_cast<uint8_t*>(key.data()), &size) != nullptr);
    key.resize(size);
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace acceld::cache

#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/crypto/digest.h"

// What the daemons of a team call things in Redis. The braces keep what belongs to one key on one
// node of a cluster.
namespace acceld::cache {

class RemoteNames {
 public:
  explicit RemoteNames(absl::string_view salt) : prefix_(absl::StrCat("acceld:", salt, ":")) {}

  // The record of an entry.
  std::string Record(const Digest& key) const { return Name("e", key.ToHex()); }
  // The reverse; nullopt for another name.
  absl::optional<Digest> KeyOfRecord(absl::string_view name) const {
    if (!absl::ConsumePrefix(&name, absl::StrCat(prefix_, "e:{")) ||
        !absl::ConsumeSuffix(&name, "}")) {
      return absl::nullopt;
    }
    return Digest::FromHex(name);
  }
  // Where a refused record is put away.
  std::string Quarantine(const Digest& key) const { return Name("q", key.ToHex()); }
  // Who is compiling it.
  std::string Lease(const Digest& key) const { return Name("l", key.ToHex()); }
  // A payload, compressed, by the SHA-256 of what it was before.
  std::string Blob(absl::string_view sha256_hex) const { return Name("b", sha256_hex); }
  // What all records match.
  std::string AllRecords() const { return absl::StrCat(prefix_, "e:*"); }

 private:
  std::string Name(absl::string_view kind, absl::string_view id) const {
    return absl::StrCat(prefix_, kind, ":{", id, "}");
  }

  const std::string prefix_;
};

}  // namespace acceld::cache

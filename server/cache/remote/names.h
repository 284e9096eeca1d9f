#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/crypto/digest.h"

// The names of keys in Redis that the daemons of a team use. The braces are Redis hash tags: they
// keep all names of one cache key on one node of a cluster.
namespace acceld::cache {

// Builds and parses these names. Stores with different salts use disjoint names.
class RemoteNames {
 public:
  explicit RemoteNames(absl::string_view salt) : prefix_(absl::StrCat("acceld:", salt, ":")) {}

  // Returns the name of the record of an entry.
  std::string Record(const Digest& key) const { return Name("e", key.ToHex()); }
  // Returns the key of the record that is named so; nullopt when `name` is not the name of a
  // record.
  absl::optional<Digest> KeyOfRecord(absl::string_view name) const {
    if (!absl::ConsumePrefix(&name, absl::StrCat(prefix_, "e:{")) ||
        !absl::ConsumeSuffix(&name, "}")) {
      return absl::nullopt;
    }
    return Digest::FromHex(name);
  }
  // Returns the name of a record that was refused and moved to quarantine.
  std::string Quarantine(const Digest& key) const { return Name("q", key.ToHex()); }
  // Returns the name of the lease to compile an entry.
  std::string Lease(const Digest& key) const { return Name("l", key.ToHex()); }
  // Returns the name of a compressed payload, given the SHA-256 of the payload before compression.
  std::string Blob(absl::string_view sha256_hex) const { return Name("b", sha256_hex); }
  // Returns the pattern that matches the names of all records.
  std::string AllRecords() const { return absl::StrCat(prefix_, "e:*"); }

 private:
  std::string Name(absl::string_view kind, absl::string_view id) const {
    return absl::StrCat(prefix_, kind, ":{", id, "}");
  }

  const std::string prefix_;
};

}  // namespace acceld::cache

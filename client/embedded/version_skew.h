#pragma once

#include "absl/strings/string_view.h"

// Which versions of client and daemon are compatible. Releases that differ only in the last number
// are. Other releases may give messages a different meaning, although they speak the same protocol.
namespace acceld::client {

// How two versions differ.
enum class Skew {
  kNone,
  kPatch,  // Only in the last number: compatible.
  kOther,  // In another number: incompatible.
};

// The outcome of CompareVersions.
struct VersionSkew {
  Skew skew = Skew::kNone;
  bool daemon_is_older = false;
};

// Compares versions such as "0.1.0". A text that is not a version is compatible only with the same
// text, and counts as older than any version.
VersionSkew CompareVersions(absl::string_view client, absl::string_view daemon);

}  // namespace acceld::client

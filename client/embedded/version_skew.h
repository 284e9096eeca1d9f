#pragma once

#include "absl/strings/string_view.h"

// Which versions of a client and a daemon go together. Releases that differ in the last number only
// do; others may mean different things by what they send, though they speak the same protocol.
namespace acceld::client {

enum class Skew {
  kNone,
  kPatch,  // they go together
  kOther,  // they do not
};

struct VersionSkew {
  Skew skew = Skew::kNone;
  bool daemon_is_older = false;
};

// Of versions such as "0.1.0". What is no version goes together with nothing but itself, and counts
// as older.
VersionSkew CompareVersions(absl::string_view client, absl::string_view daemon);

}  // namespace acceld::client

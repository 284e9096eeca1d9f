#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"

// What a daemon says of its cache of executables. Plain values.
namespace acceld {

struct CacheEntryInfo {
  std::string key, fingerprint;  // hexadecimal
  std::string program_name;
  std::string signature;  // "(tensor<2xf32>) -> tensor<2xf32>"
  std::string architecture;
  uint64_t size_bytes = 0;
  bool in_memory = false, on_disk = false;
  double compile_ms = 0, age_s = 0;
  std::string producer;  // the host that compiled it
  // Whether the entry is listed from the cache that daemons share. It is not said then where else
  // the entry is.
  bool remote = false;
};

// What the verification of every entry of a tier has found.
struct CacheCheck {
  std::string tier;  // "disk", "remote"
  uint64_t entries = 0, bytes = 0;
  uint64_t bad = 0;  // removed from the disk, refused from the remote cache
};

// How many entries were removed from each tier.
struct CacheRemoved {
  uint64_t memory = 0, disk = 0, remote = 0;
};

// One component of an executable's cache key, beside that of the nearest entry.
struct KeyComponent {
  std::string name, wanted, nearest;
};

// Where an executable would be found, or why it would not be.
struct CacheExplanation {
  std::string tier;  // "memory", "disk", "remote"; empty: nowhere
  std::vector<KeyComponent> components;
  // The entry whose key has most components in common; nullopt: none is of such a program.
  absl::optional<CacheEntryInfo> nearest;
};

}  // namespace acceld

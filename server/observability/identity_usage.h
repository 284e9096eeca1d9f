#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "server/engine/engine.h"

namespace acceld::observability {

// What the sessions of one identity hold together.
struct IdentityUsage {
  std::string identity;
  uint64_t sessions = 0, handles = 0, memory_bytes = 0;
};

// The most identities listed by name: names are metric labels, which must be few.
constexpr size_t kMaxIdentities = 50;

// Returns the usage of each identity, those with the most memory first. Identities beyond
// kMaxIdentities are summed up as "(others)". Sessions without an identity count as "(none)".
std::vector<IdentityUsage> UsageByIdentity(absl::Span<const engine::SessionInfo> sessions);

// Makes the same choice among quotas: the identities with the most device memory, and the sum of
// the others, without limits.
std::vector<engine::IdentityInfo> LargestIdentities(std::vector<engine::IdentityInfo> identities);

}  // namespace acceld::observability

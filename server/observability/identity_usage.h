#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "server/engine/introspection.h"

namespace acceld::observability {

// What the sessions of one identity hold together.
struct IdentityUsage {
  std::string identity;
  uint64_t sessions = 0, handles = 0, memory_bytes = 0;
};

// The most identities listed by name: names are metric labels, which must be few.
constexpr size_t kMaxIdentities = 50;

// By identity, those with most memory first; past kMaxIdentities one entry "(others)" stands for
// the rest. Sessions without an identity are those of "(none)".
std::vector<IdentityUsage> UsageByIdentity(absl::Span<const SessionInfo> sessions);

// Makes the same choice among quotas: the identities with the most device memory, and the sum of
// the others, without limits.
std::vector<engine::IdentityInfo> LargestIdentities(std::vector<engine::IdentityInfo> identities);

}  // namespace acceld::observability

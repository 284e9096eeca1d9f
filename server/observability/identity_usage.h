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

// Names are labels, of which there must not be many.
constexpr size_t kMaxIdentities = 50;

// By identity, those with most memory first; past kMaxIdentities one entry "(others)" stands for
// the rest. Sessions without an identity are those of "(none)".
std::vector<IdentityUsage> UsageByIdentity(absl::Span<const SessionInfo> sessions);

// The same choice of quotas: those with most device memory, and the sum of the rest, which has no
// limits.
std::vector<engine::IdentityInfo> LargestIdentities(std::vector<engine::IdentityInfo> identities);

}  // namespace acceld::observability

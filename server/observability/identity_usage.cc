#include "server/observability/identity_usage.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace acceld::observability {
namespace {

const char kNone[] = "(none)";
const char kOthers[] = "(others)";

}  // namespace

std::vector<IdentityUsage> UsageByIdentity(absl::Span<const SessionInfo> sessions) {
  std::map<std::string, IdentityUsage> by_name;
  for (const SessionInfo& session : sessions) {
    const std::string name = session.identity.empty() ? std::string(kNone) : session.identity;
    IdentityUsage& usage = by_name[name];
    usage.identity = name;
    ++usage.sessions;
    usage.handles += session.handles;
    usage.memory_bytes += session.array_bytes;
  }
  std::vector<IdentityUsage> usages;
  for (auto& [name, usage] : by_name) usages.push_back(std::move(usage));
  std::sort(usages.begin(), usages.end(), [](const IdentityUsage& a, const IdentityUsage& b) {
    return std::tie(b.memory_bytes, b.sessions, a.identity) <
           std::tie(a.memory_bytes, a.sessions, b.identity);
  });
  if (usages.size() <= kMaxIdentities) return usages;
  IdentityUsage others{.identity = kOthers};
  for (auto it = usages.begin() + kMaxIdentities; it != usages.end(); ++it) {
    others.sessions += it->sessions;
    others.handles += it->handles;
    others.memory_bytes += it->memory_bytes;
  }
  usages.resize(kMaxIdentities);
  usages.push_back(std::move(others));
  return usages;
}

std::vector<engine::IdentityInfo> LargestIdentities(std::vector<engine::IdentityInfo> identities) {
  constexpr auto kMemory = static_cast<size_t>(engine::QuotaId::kDeviceMemory);
  for (engine::IdentityInfo& info : identities) {
    if (info.identity.empty()) info.identity = kNone;
  }
  std::sort(identities.begin(), identities.end(),
            [](const engine::IdentityInfo& a, const engine::IdentityInfo& b) {
              return std::tie(b.quotas[kMemory].used, a.identity) <
                     std::tie(a.quotas[kMemory].used, b.identity);
            });
  if (identities.size() <= kMaxIdentities) return identities;
  engine::IdentityInfo others{.identity = kOthers};
  for (auto it = identities.begin() + kMaxIdentities; it != identities.end(); ++it) {
    for (size_t i = 0; i < engine::kNumQuotas; ++i) others.quotas[i].used += it->quotas[i].used;
    for (size_t i = 0; i < kNumCacheVerdicts; ++i) {
      others.cache_lookups[i] += it->cache_lookups[i];
    }
  }
  identities.resize(kMaxIdentities);
  identities.push_back(std::move(others));
  return identities;
}

}  // namespace acceld::observability

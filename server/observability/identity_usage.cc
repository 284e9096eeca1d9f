#include "server/observability/identity_usage.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace acceld::observability {

std::vector<IdentityUsage> UsageByIdentity(absl::Span<const engine::SessionInfo> sessions) {
  std::map<std::string, IdentityUsage> by_name;
  for (const engine::SessionInfo& session : sessions) {
    const std::string name = session.identity.empty() ? "(none)" : session.identity;
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
  IdentityUsage others{.identity = "(others)"};
  for (auto it = usages.begin() + kMaxIdentities; it != usages.end(); ++it) {
    others.sessions += it->sessions;
    others.handles += it->handles;
    others.memory_bytes += it->memory_bytes;
  }
  usages.resize(kMaxIdentities);
  usages.push_back(std::move(others));
  return usages;
}

}  // namespace acceld::observability

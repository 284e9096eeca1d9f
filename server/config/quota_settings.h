#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/config/setting.h"
#include "server/engine/sharing/quota.h"

namespace acceld::config {

// Returns the settings allowed in a table [quota.NAME] of the configuration file, one for each row
// of quota.def, in its order. The value 0, the default, means no limit, or, for a resource that
// identities share (server/engine/sharing/pools.def), the identity's share of it.
const std::vector<Setting>& QuotaSettings();

// Converts a value of such a setting to the units of engine::QuotaLimits.
int64_t QuotaLimitOf(const engine::QuotaInfo& info, const Value& value);

// Formats the quotas as in the file: [quota.default], then [quota."NAME"] of each identity. Empty
// when there are none.
std::string PrintQuotas(const engine::Quotas& quotas);

// Returns the differences, as "quota.ann.handles: 10 -> 20".
std::vector<std::string> CompareQuotas(const engine::Quotas& before, const engine::Quotas& after);

}  // namespace acceld::config

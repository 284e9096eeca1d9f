#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/config/setting.h"
#include "server/engine/sharing/quota.h"

namespace acceld::config {

// What a table [quota.NAME] of the configuration file may say, one setting for each row of
// quota.def, in its order. 0, the default, is no limit,
// or the identity's share of what all have (engine/pools.def).
const std::vector<Setting>& QuotaSettings();

// The limit that `value` says, in the units of engine::QuotaLimits.
int64_t QuotaLimitOf(const engine::QuotaInfo& info, const Value& value);

// The quotas as the file writes them: [quota.default], then [quota."NAME"] of each identity.
// Empty when there are none.
std::string PrintQuotas(const engine::Quotas& quotas);

// What differs: "quota.ann.handles: 10 -> 20".
std::vector<std::string> CompareQuotas(const engine::Quotas& before, const engine::Quotas& after);

}  // namespace acceld::config

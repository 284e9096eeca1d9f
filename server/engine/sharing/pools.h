#pragma once

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "server/engine/options.h"
#include "server/engine/sharing/quota.h"

namespace acceld::engine {

// The sizes of the resources that all identities share (pools.def), and the share of them that one
// identity may use by default.
class Pools {
 public:
  explicit Pools(const EngineOptions& options);

  // Returns how much there is for all identities; 0: no limit.
  int64_t size(QuotaId id) const { return sizes_[static_cast<size_t>(id)]; }
  // Returns the name of the setting for the size; empty for a quota without a pool.
  static absl::string_view SettingOf(QuotaId id);
  // The share of one identity in each pool, at least 1; 0 for quotas without a pool and for pools
  // without a limit.
  const QuotaLimits& shares() const { return shares_; }
  int share_percent() const { return share_percent_; }

 private:
  const int share_percent_;
  std::array<int64_t, kNumQuotas> sizes_{};
  QuotaLimits shares_{};
};

}  // namespace acceld::engine

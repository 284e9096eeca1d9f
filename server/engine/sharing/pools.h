#pragma once

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "server/engine/options.h"
#include "server/engine/sharing/quota.h"

namespace acceld::engine {

// What all identities share (pools.def), and how much of it one of them may have by default.
class Pools {
 public:
  explicit Pools(const EngineOptions& options);

  // How much there is for all. 0: as much as anybody likes.
  int64_t size(QuotaId id) const { return sizes_[static_cast<size_t>(id)]; }
  // The name of the setting that says so; empty for what is no pool.
  static absl::string_view SettingOf(QuotaId id);
  // The part of one identity: of each pool at least one; 0 for what is no pool or has no size.
  const QuotaLimits& shares() const { return shares_; }
  int share_percent() const { return share_percent_; }

 private:
  const int share_percent_;
  std::array<int64_t, kNumQuotas> sizes_{};
  QuotaLimits shares_{};
};

}  // namespace acceld::engine

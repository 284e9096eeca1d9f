#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

// The list of quota.def as data, and limits.
namespace acceld::engine {

enum class QuotaId : uint8_t {
#define ACCELD_QUOTA(Id, Kind, name, unit, help) k##Id,
#include "server/engine/sharing/quota.def"
#undef ACCELD_QUOTA
};

enum class QuotaKind : uint8_t { kSize, kCount, kPercent, kSeconds };

struct QuotaInfo {
  QuotaId id;
  QuotaKind kind;
  absl::string_view name, unit, help;
};

// In the order of the list, which is that of the ids.
absl::Span<const QuotaInfo> QuotaInfos();

inline constexpr size_t kNumQuotas = 0
#define ACCELD_QUOTA(Id, Kind, name, unit, help) +1
#include "server/engine/sharing/quota.def"
#undef ACCELD_QUOTA
    ;

// By id: bytes, counts, percent, or milliseconds. 0: no limit.
using QuotaLimits = std::array<int64_t, kNumQuotas>;

// Who may use how much. Plain value.
struct Quotas {
  QuotaLimits others{};                            // of identities that are not named
  std::map<std::string, QuotaLimits> by_identity;  // nothing is taken from `others` here

  const QuotaLimits& Of(const std::string& identity) const {
    const auto named = by_identity.find(identity);
    return named == by_identity.end() ? others : named->second;
  }
};

// What an identity uses of a quota.
struct QuotaUse {
  int64_t used = 0;
  int64_t limit = 0;  // 0: none
};
using QuotaUses = std::array<QuotaUse, kNumQuotas>;

}  // namespace acceld::engine

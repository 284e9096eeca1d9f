#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

// The rows of quota.def as data, and the limits.
namespace acceld::engine {

// One value for each row of quota.def.
enum class QuotaId : uint8_t {
#define ACCELD_QUOTA(Id, Kind, name, unit, help) k##Id,
#include "server/engine/sharing/quota.def"
#undef ACCELD_QUOTA
};

// How a limit is written and counted: see quota.def.
enum class QuotaKind : uint8_t { kSize, kCount, kPercent, kSeconds };

// A row of quota.def.
struct QuotaInfo {
  QuotaId id;
  QuotaKind kind;
  absl::string_view name, unit, help;
};

// Returns the rows of quota.def, in order; a QuotaId is the index of its row.
absl::Span<const QuotaInfo> QuotaInfos();

inline constexpr size_t kNumQuotas = 0
#define ACCELD_QUOTA(Id, Kind, name, unit, help) +1
#include "server/engine/sharing/quota.def"
#undef ACCELD_QUOTA
    ;

// The limits by QuotaId, in bytes, counts, percent or milliseconds. 0: no limit.
using QuotaLimits = std::array<int64_t, kNumQuotas>;

// The limits of all identities.
struct Quotas {
  QuotaLimits others{};  // of identities that have no entry of their own
  // Complete limits: no value is taken from `others`.
  std::map<std::string, QuotaLimits> by_identity;

  // Returns the limits of an identity.
  const QuotaLimits& Of(const std::string& identity) const {
    const auto named = by_identity.find(identity);
    return named == by_identity.end() ? others : named->second;
  }
};

// How much of a quota an identity uses.
struct QuotaUse {
  int64_t used = 0;
  int64_t limit = 0;  // 0: none
};
using QuotaUses = std::array<QuotaUse, kNumQuotas>;

}  // namespace acceld::engine

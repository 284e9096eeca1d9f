#include "server/engine/sharing/quota.h"

namespace acceld::engine {
namespace {

constexpr QuotaInfo kQuotas[] = {
#define ACCELD_QUOTA(Id, Kind, name, unit, help) \
  {QuotaId::k##Id, QuotaKind::k##Kind, name, unit, help},
#include "server/engine/sharing/quota.def"
#undef ACCELD_QUOTA
};

}  // namespace

absl::Span<const QuotaInfo> QuotaInfos() { return kQuotas; }

}  // namespace acceld::engine

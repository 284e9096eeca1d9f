#include "common/api/stats.h"

namespace acceld {
namespace {

constexpr CounterInfo kCounters[] = {
#define ACCELD_COUNTER(field, Type, Unit, group, text, json, metric, labels, help) \
  {#field,                                                                         \
   &Counters::field,                                                               \
   CounterType::k##Type,                                                           \
   CounterUnit::k##Unit,                                                           \
   group,                                                                          \
   text,                                                                           \
   json,                                                                           \
   metric,                                                                         \
   labels,                                                                         \
   help},
#include "common/api/counters.def"
#undef ACCELD_COUNTER
};

}  // namespace

absl::Span<const CounterInfo> CounterInfos() { return kCounters; }

}  // namespace acceld

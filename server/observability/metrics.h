#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

// The list of metrics.def as data.
namespace acceld::observability {

enum class MetricKind : uint8_t { kCounter, kGauge, kHistogram };

enum class MetricId : uint8_t {
#define ACCELD_METRIC(Id, Type, name, labels, help) k##Id,
#include "server/observability/metrics.def"
#undef ACCELD_METRIC
};

struct MetricInfo {
  MetricId id;
  MetricKind kind;
  absl::string_view name;
  absl::string_view labels;  // names, separated by ", "
  absl::string_view help;
};

// In the order of the list, which is that of the ids.
absl::Span<const MetricInfo> Metrics();

// "counter", "gauge", "histogram".
absl::string_view MetricKindName(MetricKind kind);

// deploy/METRICS.md.
std::string MetricsDocument();

}  // namespace acceld::observability

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

// The metrics that are served to Prometheus, as data: those of metrics.def, and the counters of
// common/api/counters.def that have a metric of their own.
namespace acceld::observability {

enum class MetricKind : uint8_t { kCounter, kGauge, kHistogram };

// The metrics of metrics.def.
enum class MetricId : uint8_t {
#define ACCELD_METRIC(Id, Type, name, labels, help) k##Id,
#include "server/observability/metrics.def"
#undef ACCELD_METRIC
};

// A row of metrics.def.
struct MetricInfo {
  MetricKind kind;
  absl::string_view name;
  absl::string_view labels;  // names, separated by ", "
  absl::string_view help;
};

// First those of metrics.def, in its order, so that MetricId is the index; then the counters'.
absl::Span<const MetricInfo> Metrics();

// Returns "counter", "gauge" or "histogram".
absl::string_view MetricKindName(MetricKind kind);

// Returns the contents of deploy/METRICS.md.
std::string MetricsDocument();

}  // namespace acceld::observability

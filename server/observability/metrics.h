#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

// The rows of metrics.def as data.
namespace acceld::observability {

enum class MetricKind : uint8_t { kCounter, kGauge, kHistogram };

// One value for each row of metrics.def.
enum class MetricId : uint8_t {
#define ACCELD_METRIC(Id, Type, name, labels, help) k##Id,
#include "server/observability/metrics.def"
#undef ACCELD_METRIC
};

// A row of metrics.def.
struct MetricInfo {
  MetricId id;
  MetricKind kind;
  absl::string_view name;
  absl::string_view labels;  // names, separated by ", "
  absl::string_view help;
};

// Returns the rows of metrics.def, in order; a MetricId is the index of its row.
absl::Span<const MetricInfo> Metrics();

// Returns "counter", "gauge" or "histogram".
absl::string_view MetricKindName(MetricKind kind);

// Returns the contents of deploy/METRICS.md.
std::string MetricsDocument();

}  // namespace acceld::observability

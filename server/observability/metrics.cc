#include "server/observability/metrics.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/api/stats.h"

namespace acceld::observability {
namespace {

constexpr MetricInfo kMetrics[] = {
#define ACCELD_METRIC(Id, Type, name, labels, help) {MetricKind::k##Type, name, labels, help},
#include "server/observability/metrics.def"
#undef ACCELD_METRIC
};

// Returns whether metrics.def has a metric of this name with labels.
constexpr bool HasLabelledMetric(absl::string_view name) {
  for (const MetricInfo& metric : kMetrics) {
    if (metric.name == name) return !metric.labels.empty();
  }
  return false;
}

#define ACCELD_COUNTER(field, Type, Unit, group, text, json, metric, labels, help) \
  static_assert(absl::string_view(labels).empty() || HasLabelledMetric(metric),    \
                "the counter '" #field "' has labels: " metric " needs a row in metrics.def");
#include "common/api/counters.def"
#undef ACCELD_COUNTER

std::vector<MetricInfo> AllMetrics() {
  std::vector<MetricInfo> metrics(std::begin(kMetrics), std::end(kMetrics));
  for (const CounterInfo& counter : CounterInfos()) {
    if (counter.metric.empty() || !counter.labels.empty()) continue;
    const MetricKind kind =
        counter.type == CounterType::kCounter ? MetricKind::kCounter : MetricKind::kGauge;
    metrics.push_back({kind, counter.metric, "", counter.help});
  }
  return metrics;
}

}  // namespace

absl::Span<const MetricInfo> Metrics() {
  static const auto& metrics = *new std::vector<MetricInfo>(AllMetrics());
  return metrics;
}

absl::string_view MetricKindName(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return "counter";
    case MetricKind::kGauge:
      return "gauge";
    case MetricKind::kHistogram:
      return "histogram";
  }
  return "";
}

std::string MetricsDocument() {
  std::string text =
      "# Metrics\n\nWritten by `metrics_document_test` from "
      "`server/observability/metrics.def` and\n`common/api/counters.def`; do not edit.\n\n"
      "`acceld --metrics-listen HOST:PORT` serves these at `http://HOST:PORT/metrics` in the text "
      "format of\nPrometheus. Without a host it listens on 127.0.0.1; without the flag nowhere.\n\n"
      "Histograms have the bounds 1, 2 and 5 times the powers of ten from a microsecond to 100 "
      "seconds. Counters\nbegin at zero with the daemon. `identity` stands for at most 50 "
      "identities, those with most memory;\nthe rest is summed up under `(others)`.\n\n"
      "| metric | type | labels | meaning |\n|---|---|---|---|\n";
  std::vector<MetricInfo> metrics(Metrics().begin(), Metrics().end());
  std::sort(metrics.begin(), metrics.end(),
            [](const MetricInfo& a, const MetricInfo& b) { return a.name < b.name; });
  for (const MetricInfo& metric : metrics) {
    const std::string labels =
        metric.labels.empty()
            ? ""
            : absl::StrCat("`", absl::StrReplaceAll(metric.labels, {{", ", "`, `"}}), "`");
    absl::StrAppend(&text, "| `", metric.name, "` | ", MetricKindName(metric.kind), " | ", labels,
                    " | ", metric.help, " |\n");
  }
  return text;
}

}  // namespace acceld::observability

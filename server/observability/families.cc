#include "server/observability/families.h"

#include <utility>

#include "absl/strings/str_split.h"
#include "common/check.h"

namespace acceld::observability {
namespace {

prometheus::MetricType TypeOf(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return prometheus::MetricType::Counter;
    case MetricKind::kGauge:
      return prometheus::MetricType::Gauge;
    case MetricKind::kHistogram:
      return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

}  // namespace

Families::Families() {
  for (const MetricInfo& info : Metrics()) {
    prometheus::MetricFamily& family = families_.emplace_back();
    family.name = std::string(info.name);
    family.help = std::string(info.help);
    family.type = TypeOf(info.kind);
  }
}

prometheus::ClientMetric& Families::AddMetric(size_t index, Labels labels) {
  prometheus::ClientMetric& metric = families_[index].metric.emplace_back();
  const std::vector<std::string> names =
      absl::StrSplit(Metrics()[index].labels, ", ", absl::SkipEmpty());
  ACCELD_CHECK(names.size() == labels.size());
  for (size_t i = 0; i < names.size(); ++i) {
    metric.label.push_back({names[i], std::string(labels.begin()[i])});
  }
  return metric;
}

void Families::Add(MetricId id, Labels labels, double value) {
  AddValue(static_cast<size_t>(id), labels, value);
}

void Families::AddCounter(const CounterInfo& counter, uint64_t value) {
  size_t index = 0;
  while (Metrics()[index].name != counter.metric) ++index;
  // Prometheus has times in seconds.
  const double scale = counter.unit == CounterUnit::kMilliseconds ? 1e-3 : 1;
  const double served = static_cast<double>(value) * scale;
  if (counter.labels.empty()) return AddValue(index, {}, served);
  AddValue(index, {counter.labels}, served);
}

void Families::AddValue(size_t index, Labels labels, double value) {
  prometheus::ClientMetric& metric = AddMetric(index, labels);
  switch (Metrics()[index].kind) {
    case MetricKind::kCounter:
      metric.counter.value = value;
      return;
    case MetricKind::kGauge:
      metric.gauge.value = value;
      return;
    case MetricKind::kHistogram:
      break;
  }
  ACCELD_CHECK(false);  // a histogram has no single value
}

void Families::Add(MetricId id, Labels labels, const HistogramSnapshot& snapshot) {
  ACCELD_CHECK(Metrics()[static_cast<size_t>(id)].kind == MetricKind::kHistogram);
  prometheus::ClientMetric::Histogram& histogram =
      AddMetric(static_cast<size_t>(id), labels).histogram;
  uint64_t cumulative = 0;
  for (size_t i = 0; i < kNumBounds; ++i) {
    cumulative += snapshot.counts[i];
    histogram.bucket.push_back(
        {.cumulative_count = cumulative, .upper_bound = static_cast<double>(kBoundsNs[i]) / 1e9});
  }
  histogram.sample_count = cumulative + snapshot.counts[kNumBounds];
  histogram.sample_sum = snapshot.sum_s;
}

std::string CodeName(size_t code) {
  return absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
}

}  // namespace acceld::observability

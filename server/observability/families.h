#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/api/stats.h"
#include "prometheus/metric_family.h"
#include "server/observability/instruments/counter.h"
#include "server/observability/instruments/histogram.h"
#include "server/observability/metrics.h"

namespace acceld::observability {

// The metric families of one scrape, one for each row of metrics.def; metrics may be added in any
// order. The label values must be in the order of the row's label names, one for each.
class Families {
 public:
  using Labels = std::initializer_list<absl::string_view>;

  Families();

  // Adds a metric: a value of a counter or gauge, or a histogram.
  void Add(MetricId id, Labels labels, double value);
  void Add(MetricId id, Labels labels, const HistogramSnapshot& snapshot);
  // Adds the value of a counter of counters.def whose metric is not empty.
  void AddCounter(const CounterInfo& counter, uint64_t value);

  // Returns the families and leaves this object empty.
  std::vector<prometheus::MetricFamily> Take() { return std::move(families_); }

 private:
  prometheus::ClientMetric& AddMetric(size_t index, Labels labels);
  void AddValue(size_t index, Labels labels, double value);

  std::vector<prometheus::MetricFamily> families_;
};

// Returns the name of a status code: "OK", "NOT_FOUND", ...
std::string CodeName(size_t code);

}  // namespace acceld::observability

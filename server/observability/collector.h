#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "server/engine/introspection.h"
#include "server/observability/instruments/rpc_instruments.h"

namespace acceld::observability {

// Converts the counters of engine and transport to the metric families of metrics.def: all of them,
// in its order. May be called by any thread; takes locks for a short time and does no I/O. Engine
// and instruments must outlive it.
class Collector final : public prometheus::Collectable {
 public:
  Collector(const engine::Introspection& engine, const RpcInstruments& rpc, std::string version);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const engine::Introspection& engine_;
  const RpcInstruments& rpc_;
  const std::string version_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace acceld::observability

#include "server/observability/status_page/status.h"

#include <utility>

#include "common/log/log.h"

namespace acceld::observability {

Outcomes OutcomesOf(const CountsByCode& counts) {
  Outcomes outcomes;
  for (size_t code = 0; code < kNumStatusCodes; ++code) {
    uint64_t& of_code = code == static_cast<size_t>(absl::StatusCode::kOk) ? outcomes.ok
                        : code == static_cast<size_t>(absl::StatusCode::kCancelled)
                            ? outcomes.cancelled
                            : outcomes.failed;
    of_code += counts[code];
  }
  return outcomes;
}

StatusSource::StatusSource(const engine::Introspection& engine, std::string version,
                           std::function<bool()> accepting)
    : engine_(engine),
      version_(std::move(version)),
      accepting_(std::move(accepting)),
      recorder_(engine) {}

DaemonStatus StatusSource::Gather() const {
  DaemonStatus status;
  status.version = version_;
  status.time = std::chrono::system_clock::now();
  status.uptime_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  status.accepting = accepting_();
  status.devices = engine_.Devices();
  status.missing = engine_.Missing();
  status.stats = engine_.Stats();
  status.metrics = engine_.Metrics();
  status.metrics.devices.resize(status.devices.size());
  status.history = recorder_.Read();
  status.history.devices.resize(status.devices.size());
  status.identities = UsageByIdentity(engine_.Sessions());
  status.trouble = RecentWarnings();
  return status;
}

}  // namespace acceld::observability

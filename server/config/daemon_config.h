#pragma once

#include <chrono>
#include <string>

#include "common/log.h"
#include "server/engine/engine.h"
#include "server/rpc/options.h"

namespace acceld::config {

// What the settings amount to. Built from them by ToDaemonConfig; the defaults here and in the
// options of the layers are the defaults of the settings.
struct DaemonConfig {
  engine::EngineOptions engine;
  rpc::RpcOptions rpc;
  std::string metrics_listen;  // as ParseMetricsAddress takes it; empty: no metrics
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
  std::chrono::milliseconds shutdown_grace{10000};
  bool disk_cache = true;
};

}  // namespace acceld::config

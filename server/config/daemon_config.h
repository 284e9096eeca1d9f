#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "common/log/log.h"
#include "server/engine/options.h"
#include "server/rpc/options.h"

namespace acceld::config {

// The configuration of the daemon, built from the settings by Effective::ToDaemonConfig. The
// default values here and in the options of the layers are the defaults of the settings.
struct DaemonConfig {
  engine::EngineOptions engine;
  rpc::RpcOptions rpc;
  // See ParseMetricsAddress; empty: no metrics.
  std::string metrics_listen;
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
  std::string log_file;  // empty: standard error
  int64_t log_file_bytes = int64_t{4} << 20;
  std::chrono::milliseconds shutdown_grace{10000};
  std::chrono::milliseconds exit_when_idle{0};  // 0: never
  int exit_with_fd = 0;                         // 0: none
  bool disk_cache = true;
};

}  // namespace acceld::config

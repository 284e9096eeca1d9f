#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "server/engine/cache/remote_cache.h"
#include "server/engine/sharing/quota.h"

namespace acceld::engine {

// The configuration of an engine.
struct EngineOptions {
  int cpu_devices = 1;
  int threads_per_device = 0;  // 0: cores / devices
  // Per CPU device; 0: 3/4 of the machine's memory divided by the number of CPU devices.
  int64_t device_memory_bytes = 0;
  int64_t prepared_memory_bytes = 0;  // part of it that is allocated at the start
  std::string cuda_devices = "all";   // "all", "none", "0,2"
  int64_t cuda_memory_bytes = 0;      // per GPU; 0: 9/10 of its free memory
  // For arrays spilled from all devices; 0: arrays are not spilled.
  int64_t host_memory_bytes = 0;
  int compile_threads = 0;        // 0: as many as cores
  int64_t max_compile_bytes = 0;  // memory for one compile; 0: no limit
  bool warm_up = false;           // compile a program at the start, in the background
  std::string cache_dir;          // empty: no disk tier
  int64_t cache_disk_bytes = int64_t{4} << 30;
  int64_t cache_memory_bytes = int64_t{1} << 30;
  RemoteCacheOptions remote_cache;
  int64_t program_bytes = int64_t{256} << 20;  // programs kept in memory for later sessions
  std::string dump_dir;                        // empty: no dumps
  std::vector<std::string> disabled_passes;    // of the compiler, by name
  size_t trace_spans = 65536;                  // kept for Trace, 128 bytes each; 0: none
  // Limits per session.
  int64_t max_session_handles = 1'000'000;
  int64_t max_queued_executions = 100'000;
  int64_t max_programs = 10'000;
  int64_t max_session_bytes = 0;  // device memory; 0: no limit
  // See runtime::DeviceExecutor::Options.
  std::chrono::milliseconds stall_timeout{10'000};
  // Limits of all sessions together. A handle takes some hundred bytes of the daemon's memory, and
  // so does a queued execution.
  int64_t max_handles = 4'000'000;
  int64_t max_queued = 1'600'000;
  int64_t max_named_arrays = 10'000;
  int64_t max_sessions = 1024;
  // Memory for partially received data of clients, and for large messages until they are decoded;
  // 0: as much as host_memory_bytes, but at least 256 MiB.
  int64_t max_receive_bytes = 0;
  // Memory for the programs that sessions have registered; 0: like max_receive_bytes.
  int64_t max_program_memory_bytes = 0;
  int64_t max_descriptors = 0;  // file descriptors of clients' connections; 0: no limit
  // The percentage of each resource shared by all identities (pools.def) that one identity may use
  // unless its quota says otherwise. Admins, who can end everybody's sessions, have no such limit.
  int identity_share_percent = 25;
  Quotas quotas;  // limits for all sessions of one identity together
  // The most large arrays, of all sessions, that may be queued for reading.
  int64_t max_queued_copies = 100'000;
  // The most unfinished executions, of all sessions, that may have a deadline.
  int64_t max_deadlines = 1'000'000;
};

// Returns how many programs may be compiled at the same time.
int CompileThreads(const EngineOptions& options);

}  // namespace acceld::engine

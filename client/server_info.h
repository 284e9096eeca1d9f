#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/ir/types/type.h"

// Information that a daemon gives about itself, as plain values.
namespace acceld::client {

// How a request found its executable.
enum class CacheVerdict : uint8_t {
  kUnknown,
  kMemory,    // Already loaded.
  kDisk,      // Read from the cache folder.
  kRemote,    // Found in the remote cache, which several daemons share.
  kInflight,  // Waited for another request's compilation of the same.
  kMiss,      // Compiled by this request.
};
// Returns "unknown", "memory", "disk", "remote", "inflight" or "miss".
absl::string_view CacheVerdictName(CacheVerdict verdict);

// How one execution ran.
struct ExecutionInfo {
  std::string fingerprint, cache_key;  // Hexadecimal.
  CacheVerdict verdict = CacheVerdict::kUnknown;
  double compile_ms = 0;  // Time the request waited for its executable.
  double execute_us = 0;  // Time on the device.
};

// The device memory that an executable needs.
struct ExecutableMemory {
  // The machine code as it is stored, and the constants of the program.
  uint64_t code_bytes = 0, constants_bytes = 0;
  uint64_t arena_bytes = 0;  // Temporary buffers of one execution.
  // The size of those results that an execution writes over arguments which the program declares as
  // donatable (Program::DonatedArguments), provided that nothing else uses these arguments.
  uint64_t alias_bytes = 0;
};

// The outcome of a compilation.
struct CompileInfo : ExecutionInfo {
  absl::optional<ExecutableMemory> memory;  // nullopt if compiled for other daemons' devices.
};

// A device of the daemon.
struct DeviceInfo {
  uint32_t id = 0;
  std::string kind;          // "cpu"
  std::string name;          // "AMD EPYC 9R14"
  std::string architecture;  // Target that code is compiled for.
  uint64_t memory_limit_bytes = 0, memory_used_bytes = 0, memory_peak_bytes = 0;
  // Executions so far, and those waiting for their inputs or for the device.
  uint64_t executions = 0, queued = 0;
  std::string error;  // Why the device is lost and all work on it fails; empty if it works.
};

// A kind of device that the daemon has none of, or a library that it lacks for a kind of device it
// has, with the reason.
struct MissingDevices {
  std::string kind;     // "cuda"
  std::string reason;   // For people.
  std::string library;  // "cuFFT"; empty if devices are missing.
};

// How a daemon has used the remote cache, which several daemons share, since the daemon's start.
struct RemoteCacheStats {
  std::string url;
  bool read_only = false;
  bool up = true;  // false: it failed recently and is not used for a while.
  uint64_t bytes_read = 0, bytes_written = 0;            // Compressed.
  std::vector<std::pair<std::string, uint64_t>> counts;  // "hits", ...
};

// How the executions and compilations of one identity found their executables, since that identity
// was last idle.
struct IdentityCacheStats {
  std::string identity;  // Empty for callers without one.
  uint64_t hits_memory = 0, hits_disk = 0, hits_remote = 0, hits_inflight = 0, misses = 0;
};

// Counters since the daemon's start, and sizes at the time of the call.
struct ServerStats {
  uint64_t compiles = 0, compile_failures = 0, executions = 0, execution_failures = 0;
  // Cache lookups and compilations that are queued now; those cancelled while queued, and those
  // cancelled while running, because nothing needed them any more.
  uint64_t compiles_queued = 0, compiles_dropped = 0, compiles_stopped = 0;
  uint64_t cache_hits_memory = 0, cache_hits_disk = 0, cache_hits_remote = 0;
  uint64_t cache_hits_inflight = 0, cache_misses = 0;
  uint64_t cache_dropped = 0;  // Corrupt disk entries that were found and removed.
  uint64_t cache_memory_bytes = 0, cache_disk_bytes = 0;
  uint64_t cache_memory_entries = 0, cache_disk_entries = 0;
  uint64_t sessions = 0, sessions_total = 0, arrays = 0, array_bytes = 0, programs = 0;
  // How often arrays were moved from device to host memory and back, and the bytes that are in host
  // memory now.
  uint64_t spills = 0, restores = 0, spilled_bytes = 0;
  // Executables unloaded from devices that were short of memory.
  uint64_t executable_unloads = 0;
  absl::optional<RemoteCacheStats> remote_cache;  // nullopt if the daemon has none.
  // Sorted by name: of all identities for an admin, otherwise only of the caller's own.
  std::vector<IdentityCacheStats> identities;
  double uptime_s = 0;
  std::string version;
  uint64_t incarnation = 0;  // Differs after every restart.
  bool draining = false;     // The daemon refuses new sessions.
  // The daemon exits by itself: some time after its last session has ended, or, while it drains,
  // together with that session.
  bool ends_when_idle = false;
};

// Which work runs first on a device that several sessions want.
enum class Priority : uint8_t { kBatch, kNormal, kInteractive };
// Returns "batch", "normal" or "interactive".
absl::string_view PriorityName(Priority priority);

// A session that is open with the daemon.
struct SessionInfo {
  uint64_t id = 0;
  std::string client_name, identity;
  Priority priority = Priority::kNormal;
  double age_s = 0;
  uint64_t arrays = 0, array_bytes = 0, executions = 0, programs = 0, queued = 0;
};

// An execution that has begun on a device and has not ended. Its session may have ended.
struct RunningExecution {
  uint32_t device = 0;
  uint64_t session = 0;
  std::string identity, program;
  // Time since the execution was submitted, and the part of it spent on the device.
  double age_s = 0, on_device_s = 0;
  // "runs"; "suspended": preempted, other work has the device until its next time slice; "ending":
  // it was told to stop but is inside something that cannot be interrupted; "asks": it waits for a
  // host callback of its client.
  std::string state;
};

// An array that was published under a name.
struct NamedArray {
  std::string name;
  std::string owner;  // The identity that published it.
  ir::TensorType type;
  uint32_t device = 0;
  bool for_everyone = false;
  double age_s = 0;
};

// An entry of the cache of executables.
struct CacheEntry {
  std::string key, fingerprint, program_name;
  std::string signature;  // "(tensor<2xf32>) -> tensor<2xf32>"
  std::string architecture;
  uint64_t size_bytes = 0;
  bool in_memory = false, on_disk = false;
  double compile_ms = 0, age_s = 0;
  std::string producer;  // The host that compiled it.
  // From ListRemoteCache, which leaves in_memory and on_disk unset.
  bool remote = false;
};

// The outcome of verifying every entry of one tier of the cache.
struct CacheCheck {
  std::string tier;  // "disk", "remote"
  // Valid entries and their total size.
  uint64_t entries = 0, bytes = 0;
  uint64_t bad = 0;  // Entries that failed verification and were removed or refused.
};
// How many entries were removed from each tier.
struct CacheRemoved {
  uint64_t memory = 0, disk = 0, remote = 0;
};

// Where an executable would be found in the cache, or why it would not.
struct CacheExplanation {
  std::string tier;  // "memory", "disk", "remote"; empty: it is in no tier.
  // One part of the cache key: its value for the wanted executable, and for the most similar entry.
  struct Component {
    std::string name, wanted, nearest;
  };
  std::vector<Component> components;
  absl::optional<CacheEntry> nearest;  // nullopt: no entry has the same program or program name.
};

// An interval in a trace. Times are those of one steady clock: the daemon's, unless stated
// otherwise.
struct TraceSpan {
  // What took place, and the meaning of `track`.
  enum class Kind : uint8_t {
    kUnknown,
    kExecution,    // On a compute stream of device `track`.
    kUpload,       // On the upload stream of device `track`.
    kDownload,     // On the download stream of device `track`.
    kCompile,      // On the compile thread `track`.
    kCompileStep,  // A stage or pass of a compilation, inside its span.
  };
  Kind kind = Kind::kUnknown;
  uint32_t code = 0;  // A canonical status code; 0 is OK.
  uint32_t track = 0;
  uint64_t session = 0;  // 0 if it belongs to no particular session.
  // Only for executions: when the daemon received the command.
  int64_t submitted_ns = 0;
  int64_t begin_ns = 0, end_ns = 0;
  std::string name;
  // The execution ran on the express stream, on which short executions overtake others.
  bool express = false;
};

}  // namespace acceld::client

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/ir/types/type.h"

// What a daemon tells about itself. Plain values.
namespace acceld::client {

// How an execution found its executable.
enum class CacheVerdict : uint8_t {
  kUnknown,
  kMemory,    // already loaded
  kDisk,      // read from the cache folder
  kRemote,    // found in the cache that daemons share
  kInflight,  // another request's compile was joined
  kMiss,      // compiled now
};
// "unknown", "memory", "disk", "remote", "inflight", "miss".
absl::string_view CacheVerdictName(CacheVerdict verdict);

struct ExecutionInfo {
  std::string fingerprint, cache_key;  // hexadecimal
  CacheVerdict verdict = CacheVerdict::kUnknown;
  double compile_ms = 0;  // time the request waited for its executable
  double execute_us = 0;  // on the device
};

// What an executable takes of the memory of a device.
struct ExecutableMemory {
  uint64_t code_bytes = 0, constants_bytes = 0;  // machine code, as it is kept, and its constants
  uint64_t arena_bytes = 0;                      // temporaries of one execution
  // Of the results of one execution those that are written over arguments that the program says are
  // donated (Program::DonatedArguments), when nobody else has these.
  uint64_t alias_bytes = 0;
};

// What a compile came to.
struct CompileInfo : ExecutionInfo {
  absl::optional<ExecutableMemory> memory;  // nullopt: it was for devices elsewhere
};

struct DeviceInfo {
  uint32_t id = 0;
  std::string kind;          // "cpu"
  std::string name;          // "AMD EPYC 9R14"
  std::string architecture;  // what code is compiled for
  uint64_t memory_limit_bytes = 0, memory_used_bytes = 0, memory_peak_bytes = 0;
  uint64_t executions = 0, queued = 0;
  std::string error;  // why it is lost and all work on it fails; empty: it works
};

// A kind of device of which the daemon has none, or a library that it has devices of a kind
// without; and why.
struct MissingDevices {
  std::string kind;     // "cuda"
  std::string reason;   // for people
  std::string library;  // "cuFFT"; empty for devices
};

// A daemon's use of the cache that daemons share, since its start.
struct RemoteCacheStats {
  std::string url;
  bool read_only = false;
  bool up = true;  // false: it failed lately, and is not asked for a while
  uint64_t bytes_read = 0, bytes_written = 0;            // compressed
  std::vector<std::pair<std::string, uint64_t>> counts;  // "hits", ...
};

// How the executions and compiles of one identity found their executables, since it was last idle.
struct IdentityCacheStats {
  std::string identity;  // empty: of those without one
  uint64_t hits_memory = 0, hits_disk = 0, hits_remote = 0, hits_inflight = 0, misses = 0;
};

struct ServerStats {
  uint64_t compiles = 0, compile_failures = 0, executions = 0, execution_failures = 0;
  // Searches and compiles that wait for their turn now; those that nobody wanted any more, before
  // they began and when they ran.
  uint64_t compiles_queued = 0, compiles_dropped = 0, compiles_stopped = 0;
  uint64_t cache_hits_memory = 0, cache_hits_disk = 0, cache_hits_remote = 0;
  uint64_t cache_hits_inflight = 0, cache_misses = 0;
  uint64_t cache_dropped = 0;  // bad disk entries found and removed
  uint64_t cache_memory_bytes = 0, cache_disk_bytes = 0;
  uint64_t cache_memory_entries = 0, cache_disk_entries = 0;
  uint64_t sessions = 0, sessions_total = 0, arrays = 0, array_bytes = 0, programs = 0;
  // Arrays that went to host memory and came back, and what is there now.
  uint64_t spills = 0, restores = 0, spilled_bytes = 0;
  uint64_t executable_unloads = 0;                // from devices that were short of memory
  absl::optional<RemoteCacheStats> remote_cache;  // nullopt: the daemon has none
  // By name: of all for admins, of the caller's own for others.
  std::vector<IdentityCacheStats> identities;
  double uptime_s = 0;
  std::string version;
  uint64_t incarnation = 0;  // differs after every restart
  bool draining = false;     // no new sessions are taken
  // The daemon ends by itself: a while after its last session, or while it drains, with that one.
  bool ends_when_idle = false;
};

// Whose work goes first on a device that several sessions want.
enum class Priority : uint8_t { kBatch, kNormal, kInteractive };
// "batch", "normal", "interactive".
absl::string_view PriorityName(Priority priority);

struct SessionInfo {
  uint64_t id = 0;
  std::string client_name, identity;
  Priority priority = Priority::kNormal;
  double age_s = 0;
  uint64_t arrays = 0, array_bytes = 0, executions = 0, programs = 0, queued = 0;
};

// An execution that has begun on a device and not ended. Its session may have.
struct RunningExecution {
  uint32_t device = 0;
  uint64_t session = 0;
  std::string identity, program;
  double age_s = 0, on_device_s = 0;  // since it was asked for; of that, on the device
  // "runs"; "suspended": others have the device until its turn comes; "ending": it is told to end,
  // and is inside something that cannot be interrupted; "asks": it waits for a host callback of its
  // client.
  std::string state;
};

// An array that has a name.
struct NamedArray {
  std::string name;
  std::string owner;  // an identity
  ir::TensorType type;
  uint32_t device = 0;
  bool for_everyone = false;
  double age_s = 0;
};

struct CacheEntry {
  std::string key, fingerprint, program_name;
  std::string signature;  // "(tensor<2xf32>) -> tensor<2xf32>"
  std::string architecture;
  uint64_t size_bytes = 0;
  bool in_memory = false, on_disk = false;
  double compile_ms = 0, age_s = 0;
  std::string producer;  // the host that compiled it
  bool remote = false;   // from ListRemoteCache: where else it is, is not told
};

// What a look at every entry of a tier came to.
struct CacheCheck {
  std::string tier;  // "disk", "remote"
  uint64_t entries = 0, bytes = 0;
  uint64_t bad = 0;  // removed, or refused
};
struct CacheRemoved {
  uint64_t memory = 0, disk = 0, remote = 0;
};

// How an executable is found, or why it is not.
struct CacheExplanation {
  std::string tier;  // "memory", "disk", "remote"; empty: nowhere
  // What its key is made of, beside that of the entry that has most in common.
  struct Component {
    std::string name, wanted, nearest;
  };
  std::vector<Component> components;
  absl::optional<CacheEntry> nearest;  // nullopt: there is no entry of such a program
};

// An interval of the daemon's trace. Times are those of one clock: the daemon's, where nothing else
// is said.
struct TraceSpan {
  enum class Kind : uint8_t {
    kUnknown,
    kExecution,    // on a compute stream of device `track`
    kUpload,       // on its upload stream
    kDownload,     // on its download stream
    kCompile,      // on the compile thread `track`
    kCompileStep,  // a stage or pass of a compile, within it
  };
  Kind kind = Kind::kUnknown;
  uint32_t code = 0;  // a canonical status code; 0: fine
  uint32_t track = 0;
  uint64_t session = 0;      // 0: nobody's in particular
  int64_t submitted_ns = 0;  // of executions: when the command was taken in
  int64_t begin_ns = 0, end_ns = 0;
  std::string name;
  bool express = false;  // an execution on the stream of brief ones that pass the others
};

}  // namespace acceld::client

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "client/pjrt/distribution/device_assignment.h"
#include "common/status.h"

namespace acceld::pjrt {

// The options of one compilation, as the framework passes them.
struct CompileOptions {
  std::string serialized;  // The message that contained the options.
  // The number of processes that the options state; 0: they state none.
  int64_t num_replicas = 0, num_partitions = 0;
  // Whether the program is to be partitioned, and by Shardy's rules, not by those of the older
  // partitioner GSPMD.
  bool use_spmd_partitioning = false, use_shardy_partitioner = false;
  absl::optional<DeviceAssignment> assignment;  // nullopt: any devices
  // When the daemon compiles. kNow: at once, while the caller continues; an error is reported by
  // the results of executions. kNowAndWait: at once, and the call returns when the compilation has
  // ended, with its error if it failed. kLater: when the program first runs. The compiler option
  // "acceld_compile" selects them as "now", "wait" or "later". A program for several devices is
  // always compiled at once, and the call waits.
  enum class Start : uint8_t { kNow, kNowAndWait, kLater };
  Start start = Start::kNow;
  // The numbers of the Python functions that are the program's host callbacks 0, 1, ... (the option
  // "acceld_callbacks", a comma-separated list).
  std::vector<uint64_t> callbacks;
};

// Parses a serialized CompileOptionsProto. INVALID_ARGUMENT for malformed bytes, for a device
// assignment that contradicts itself, and for a compiler option that is neither one of acceld's nor
// one of XLA's that may be ignored (ignored_options.def); the message names the option and those
// that are accepted.
absl::StatusOr<CompileOptions> ReadCompileOptions(absl::string_view serialized);

}  // namespace acceld::pjrt

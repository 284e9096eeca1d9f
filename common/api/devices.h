#pragma once

#include <cstdint>
#include <string>

namespace acceld {

// A device of a daemon, as it is now.
struct DeviceInfo {
  uint32_t id = 0;           // its number, by which sessions and executions name it
  std::string kind;          // "cpu", "cuda"
  std::string name;          // "AMD EPYC 9R14"
  std::string architecture;  // what code is compiled for; part of cache keys
  uint64_t memory_limit_bytes = 0, memory_used_bytes = 0, memory_peak_bytes = 0;
  uint64_t executions = 0;  // that have ended
  uint64_t queued = 0;      // executions and uploads that have not ended
  uint64_t gangs = 0;       // launches of programs over several devices that are on it now
  // Why the device is lost, so that all work on it fails. Empty while it works.
  std::string error;
};

// Something that the daemon looked for at its start and has not: the devices of a kind, or a
// library without which devices of that kind do less.
struct MissingDevices {
  std::string kind;     // "cuda"
  std::string reason;   // for people
  std::string library;  // "cuFFT"; empty when the devices themselves are missing
};

}  // namespace acceld

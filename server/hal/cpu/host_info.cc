#include "server/hal/cpu/host_info.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

namespace acceld::hal::cpu {

std::string ProcessorName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!absl::StartsWith(line, "model name")) continue;
    if (const size_t colon = line.find(':'); colon != std::string::npos) {
      return std::string(absl::StripAsciiWhitespace(absl::string_view(line).substr(colon + 1)));
    }
  }
  return "CPU";
}

int AvailableCores() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

int64_t AvailableMemoryBytes() {
  int64_t bytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  std::ifstream group("/sys/fs/cgroup/memory.max");
  int64_t limit = 0;
  if (std::string text; group >> text && absl::SimpleAtoi(text, &limit) && limit > 0) {
    bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace acceld::hal::cpu

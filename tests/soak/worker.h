#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/status.h"

// What the client processes of the soak do. One thread; each ends when its time is over.
namespace acceld::soak {

enum class Role : uint8_t {
  kMixed,        // small and large work in any order, with pauses, in one session after another
  kFlood,        // of class batch: as much as the daemon takes
  kInteractive,  // of class interactive: one small question every few milliseconds
  kSharded,      // programs over several devices, some of which are cancelled
  kAttacker,     // endless programs, floods and malformed packets in turn, each killed (attacker.h)
};
inline constexpr Role kRoles[] = {Role::kMixed, Role::kFlood, Role::kInteractive, Role::kSharded,
                                  Role::kAttacker};
// "mixed", "flood", "interactive", "sharded", "attacker".
absl::StatusOr<Role> ParseRole(const std::string& name);
const char* RoleName(Role role);

struct WorkerOptions {
  Role role = Role::kMixed;
  std::string address;
  uint32_t seed = 0;
  double seconds = 0;
  std::string token;  // Empty: it shows none.
};

// What a worker has done, as it writes it to its report.
struct WorkerReport {
  uint64_t operations = 0, bytes = 0;
  std::vector<double> latencies_us;  // of an interactive one
  // By which its sleeps between them ended late: what the machine does to any process, and to each
  // of the three or four threads that a question wakes.
  std::vector<double> lateness_us;
};

// The first wrong result or error ends it.
absl::StatusOr<WorkerReport> RunWorker(const WorkerOptions& options);

// As text, and back. DATA_LOSS when it is cut short.
std::string ToText(const WorkerReport& report);
absl::StatusOr<WorkerReport> FromText(const std::string& text);

}  // namespace acceld::soak

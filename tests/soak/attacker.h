#pragma once

#include <string>
#include <vector>

#include "common/status.h"
#include "tests/soak/worker.h"

// Clients that attack. One thread each.
namespace acceld::soak {

// One attack after another, each in a process of its own that is killed in the middle of it. An
// error is one of starting them only: what the daemon says to an attack is its business.
absl::StatusOr<WorkerReport> RunAttacker(const WorkerOptions& options);

// The main function of such a process: "attack KIND ADDRESS SEED TOKEN". Attacks until it is
// killed. The exit code.
int AttackMain(const std::vector<std::string>& arguments);

}  // namespace acceld::soak

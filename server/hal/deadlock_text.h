#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ir/collective.h"

namespace acceld::hal {

// A participant of a gang that waits for others at a collective.
struct WaitingParticipant {
  int participant = 0;
  int64_t site = 0;  // the number of the step
  std::string op;    // CollectiveText
};

// Returns what a collective does: "all_reduce of tensor<8xf32>", or, if it has several operands,
// "all_reduce of tensor<8xf32> and 2 more".
std::string CollectiveText(const kernels::Collective& collective);

// Returns the message of a launch in which no participant can go on: "deadlock: participants 0, 2
// wait in all_reduce of tensor<8xf32> (step 3), participant 1 has ended".
std::string DeadlockText(const std::vector<WaitingParticipant>& waiting,
                         const std::vector<int>& ended);

}  // namespace acceld::hal

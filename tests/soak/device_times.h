#pragma once

#include <vector>

#include "client/admin.h"
#include "common/status.h"

namespace acceld::soak {

// How the daemon spends the time of interactive executions, from its trace. One thread.
class DeviceTimes {
 public:
  // Adds what ended in the last seconds. Blocks for the daemon's answers.
  absl::Status Sample(const client::Admin& daemon, double seconds);
  // One line for each part of the way.
  void Print();

 private:
  std::vector<double> queued_us_;   // from the command to the device
  std::vector<double> running_us_;  // on the device
  std::vector<double> others_us_;   // executions of others on the device
};

}  // namespace acceld::soak

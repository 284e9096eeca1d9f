#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "common/status.h"
#include "server/hal/cpu/cpu_gang.h"

namespace acceld::testing {

// Calls `run` for each of the first `count` participants, on a thread of its own, and returns what
// the calls returned. The error of one ends the launch, as that of a stream's run does.
inline std::vector<absl::Status> RunParticipants(hal::cpu::CpuGang& gang, int count,
                                                 const std::function<absl::Status(int)>& run) {
  std::vector<absl::Status> statuses(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      const absl::Status status = run(i);
      if (!status.ok()) gang.Fail(i, status);
      statuses[static_cast<size_t>(i)] = status;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return statuses;
}

// The same on the calling thread, as launches run that streams have left to the gang.
inline std::vector<absl::Status> RunParticipantsInline(
    hal::cpu::CpuGang& gang, int count, const std::function<absl::Status(int)>& run) {
  std::vector<absl::Status> statuses(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    gang.AddInline(
        {.run =
             [&, i] {
               const absl::Status status = run(i);
               if (!status.ok()) gang.Fail(i, status);
               return status;
             },
         .finish = [&statuses,
                    i](const absl::Status& status) { statuses[static_cast<size_t>(i)] = status; },
         .hand_over = [] { ADD_FAILURE() << "a launch was handed over"; }});
  }
  gang.RunInline();
  return statuses;
}

// Takes part in a collective of one operand.
template <typename T>
absl::Status Exchange(hal::cpu::CpuGang& gang, int participant,
                      const kernels::Collective& collective, int64_t site,
                      const std::vector<T>& operand, std::vector<T>& result,
                      hal::RunControl* control = nullptr) {
  const void* const operands[] = {operand.data()};
  void* const results[] = {result.data()};
  return gang.Exchange(participant, control, collective, site, operands, results);
}

// A collective whose operand and result have the type.
inline kernels::Collective SameTypeCollective(kernels::Collective::Kind kind,
                                              std::vector<std::vector<int64_t>> groups,
                                              ir::TensorType type) {
  return {.kind = kind, .groups = std::move(groups), .operands = {type}, .results = {type}};
}

}  // namespace acceld::testing

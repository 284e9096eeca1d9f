#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/ir/module.h"
#include "common/ir/processes/process_signature.h"
#include "kernels/cpu/collective_exchange.h"
#include "server/hal/executable.h"
#include "tests/unit/runtime/fake_device.h"

// Programs for several processes, for the fake engine: what they do follows from their names. The
// last argument of all is the number of the process.
//   total: f32[2] -> f32[2], the sums of all processes        number: () -> f32[1], the number
//   fail_late: f32[2] -> f32[2], process 1 fails on the device, and the others wait for it
//   meet: () -> f32[1], runs until it is cancelled
//   stay: () -> f32[1], as `meet`, but process 0 ends at once
//   bad_total: f32[2] -> f32[2], does not compile
namespace acceld::testing {

// Names have the number of processes: "total_of_2".
inline ir::Module ModuleForProcesses(const std::string& name, int64_t processes) {
  ir::Module module;
  module.name = absl::StrCat(name, "_of_", processes);
  module.grid.num_partitions = processes;
  module.functions.resize(1);
  module.functions[0].name = "main";
  return module;
}

// Each process has values of its own, and no shardings.
inline ir::ProcessSignature FakeProcessSignature(const ir::Module& module) {
  const bool has_input =
      absl::StrContains(module.name, "total") || absl::StartsWith(module.name, "fail_late");
  if (has_input) return {.arguments = {F32({2})}, .results = {F32({2})}};
  return {.results = {F32({1})}};
}

inline absl::StatusOr<std::vector<ir::TensorType>> FakeProcessResultTypes(
    const ir::Module& module, absl::Span<const ir::TensorType> arguments) {
  const ir::ProcessSignature signature = FakeProcessSignature(module);
  std::vector<ir::TensorType> wanted = signature.arguments;
  wanted.push_back({ir::DType::kUI32, {}});
  if (arguments != absl::MakeConstSpan(wanted)) {
    return absl::InvalidArgumentError("the arguments do not fit");
  }
  return signature.results;
}

// Sets what differs from programs for one process.
inline void SetProcessCode(const ir::Module& module, hal::Executable& executable) {
  executable.code = module.name;
  executable.may_share.clear();
  if (executable.arguments.size() == 2) executable.may_share.push_back({0, 0});
  executable.steady = absl::StrContains(module.name, "number");
}

// Adds two floats up over all processes; `sums` may be `values`.
inline absl::Status Total(const kernels::cpu::LaunchContext& context, int64_t processes,
                          const float* values, float* sums) {
  const float kept[2] = {values[0], values[1]};
  kernels::Collective collective{.operands = {F32({2})}, .results = {F32({2})}};
  collective.groups.emplace_back();
  for (int64_t i = 0; i < processes; ++i) collective.groups[0].push_back(i);
  const void* const operands[] = {kept};
  void* const results[] = {sums};
  return context.collectives->Run(collective, /*site=*/1, operands, results);
}

inline absl::Status MeetUntilCancelled(const kernels::cpu::LaunchContext& context,
                                       int64_t processes) {
  const float values[2] = {};
  float sums[2];
  while (true) ACCELD_RETURN_IF_ERROR(Total(context, processes, values, sums));
}

inline void AddProcessKernels(FakeDevice& device) {
  using kernels::cpu::LaunchContext;
  const auto floats = [](const LaunchContext& context) {
    return static_cast<const float*>(context.arguments[0]);
  };
  const auto out = [](const LaunchContext& context) {
    return static_cast<float*>(context.results[0]);
  };
  // Of the process, for programs with this many arguments before it.
  const auto number = [](const LaunchContext& context, int arguments) {
    return *static_cast<const uint32_t*>(context.arguments[arguments]);
  };
  for (const int64_t n : {2, 3}) {
    const auto add = [&](absl::string_view name, Kernel kernel) {
      device.kernels[absl::StrCat(name, "_of_", n)] = std::move(kernel);
    };
    add("total", [=](const LaunchContext& context) {
      return Total(context, n, floats(context), out(context));
    });
    add("number", [=](const LaunchContext& context) {
      *out(context) = static_cast<float>(number(context, 0));
      return absl::OkStatus();
    });
    add("fail_late", [=](const LaunchContext& context) {
      if (number(context, 1) == 1) return absl::InternalError("library call failed");
      return Total(context, n, floats(context), out(context));
    });
    add("meet", [=](const LaunchContext& context) { return MeetUntilCancelled(context, n); });
    add("stay", [=](const LaunchContext& context) {
      if (number(context, 0) == 0) return absl::OkStatus();
      const auto* const cancelled =
          reinterpret_cast<const std::atomic<bool>*>(const_cast<const bool*>(context.interrupted));
      while (!cancelled->load()) std::this_thread::yield();
      return absl::CancelledError("told to stop");
    });
  }
}

}  // namespace acceld::testing

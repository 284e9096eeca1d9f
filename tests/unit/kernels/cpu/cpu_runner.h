#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/check.h"
#include "kernels/cpu/cpu_compiler.h"
#include "kernels/cpu/cpu_module.h"
#include "kernels/ir/plan.h"
#include "tests/unit/kernels/buffers.h"

// Runs plans and single kernels through the CPU code generator, on bytes; for tests.
namespace acceld::kernels::cpu {

// Compiles with a compiler for this machine that all tests of the process share.
inline absl::StatusOr<std::string> CompileForHost(const Plan& plan, CpuDumps* dumps = nullptr) {
  static const CpuCompiler compiler(CpuTarget::Host());
  return compiler.Compile(plan, dumps);
}

inline absl::StatusOr<std::unique_ptr<CpuModule>> CompileAndLoad(const Plan& plan) {
  ACCELD_ASSIGN_OR_RETURN(const std::string object, CompileForHost(plan));
  return CpuModule::Load(object);
}

// The results' bytes. Buffers are fresh and aligned as the runtime's are.
inline absl::StatusOr<std::vector<std::string>> RunModule(
    const CpuModule& module, const Plan& plan, const std::vector<std::string>& arguments,
    int num_threads = 1, const volatile bool* cancelled = nullptr,
    CollectiveExchange* collectives = nullptr) {
  std::vector<AlignedBytes> memory;
  std::vector<const void*> argument_pointers;
  std::vector<void*> result_pointers;
  const auto Place = [&](const std::string& bytes) {
    memory.push_back(AllocateAligned(bytes.size()));
    std::memcpy(memory.back().get(), bytes.data(), bytes.size());
    return memory.back().get();
  };
  for (const std::string& argument : arguments) argument_pointers.push_back(Place(argument));
  for (const ir::TensorType& result : plan.entry().results) {
    result_pointers.push_back(Place(std::string(result.size_bytes(), '\xAB')));
  }
  static CpuRuntime runtime;
  const LaunchContext context = {
      .arguments = argument_pointers.data(),
      .results = result_pointers.data(),
      .arena = Place(std::string(plan.entry().arena_bytes, '\xCD')),
      .constants = Place(plan.constants),
      .num_threads = num_threads,
      .interrupted = cancelled,
      .collectives = collectives,
      .runtime = &runtime,
  };
  ACCELD_RETURN_IF_ERROR(module.Run(context));
  std::vector<std::string> results;
  for (size_t i = 0; i < result_pointers.size(); ++i) {
    results.emplace_back(static_cast<const char*>(result_pointers[i]),
                         plan.entry().results[i].size_bytes());
  }
  return results;
}

inline absl::StatusOr<std::vector<std::string>> RunPlan(const Plan& plan,
                                                        const std::vector<std::string>& arguments,
                                                        int num_threads = 1) {
  ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<CpuModule> module, CompileAndLoad(plan));
  return RunModule(*module, plan, arguments, num_threads);
}

inline Slice SliceOf(Slice::Space space, uint32_t index, const ir::TensorType& type,
                     int64_t offset_bytes = 0) {
  return {space, index, offset_bytes, type.size_bytes()};
}

// One launch of `kernel`: its read-only buffers become arguments, the others results.
inline Plan PlanOf(Kernel kernel) {
  Plan plan;
  PlanFunction function;
  function.name = "main";
  LaunchStep launch{0, {}};
  for (const BufferParameter& buffer : kernel.buffers) {
    const ir::TensorType type{buffer.dtype, {buffer.num_elements}};
    const bool reads = buffer.access == BufferParameter::Access::kRead;
    std::vector<ir::TensorType>& types = reads ? function.arguments : function.results;
    launch.buffers.push_back(SliceOf(reads ? Slice::Space::kArgument : Slice::Space::kResult,
                                     static_cast<uint32_t>(types.size()), type));
    types.push_back(type);
  }
  function.steps.push_back({launch, "test"});
  plan.kernels.push_back(std::move(kernel));
  plan.functions.push_back(std::move(function));
  return plan;
}

}  // namespace acceld::kernels::cpu

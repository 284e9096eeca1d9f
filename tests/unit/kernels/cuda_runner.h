#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/cuda_host_module.h"

// Single kernels in generated CUDA C++, on the host.
namespace acceld::kernels::cuda {

// Runs kernel number `index`, whose last buffer is its result.
inline std::string RunOn(const testing::CudaHostModule& module, size_t index, const Kernel& kernel,
                         std::vector<std::string> arguments) {
  const BufferParameter& result = kernel.buffers.back();
  arguments.emplace_back(result.num_elements * ir::StorageBytesOf(result.dtype), '\xAB');
  std::vector<char*> buffers;
  for (std::string& argument : arguments) buffers.push_back(argument.data());
  module.Run(index, buffers);
  return arguments.back();
}

inline std::string RunAlone(const Kernel& kernel, std::vector<std::string> arguments,
                            const Sharing& sharing = {}) {
  const auto module = testing::CudaHostModule::Compile({&kernel}, sharing);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? RunOn(**module, 0, kernel, std::move(arguments)) : std::string();
}

}  // namespace acceld::kernels::cuda

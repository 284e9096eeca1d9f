#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/ir/interpreter/run_kernel.h"
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
                            const WorkDivision& sharing = {}) {
  const auto module = testing::CudaHostModule::Compile({&kernel}, sharing);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? RunOn(**module, 0, kernel, std::move(arguments)) : std::string();
}

// Runs kernel number `index` on some small numbers: all buffers are then, bit by bit, as the kernel
// interpreter leaves them.
inline void ExpectAsInterpreted(const testing::CudaHostModule& module, size_t index,
                                const Kernel& kernel) {
  std::vector<std::string> wanted;
  for (const BufferParameter& buffer : kernel.buffers) {
    wanted.emplace_back(buffer.num_elements * ir::StorageBytesOf(buffer.dtype), '\0');
    std::string& bytes = wanted.back();
    const size_t end = buffer.dtype == DType::kI1 ? 2 : 61;
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 % end);
  }
  std::vector<std::string> found = wanted;
  std::vector<std::string*> buffers;
  std::vector<char*> addresses;
  for (std::string& buffer : wanted) buffers.push_back(&buffer);
  for (std::string& buffer : found) addresses.push_back(buffer.data());
  const absl::Status status = RunKernel(kernel, buffers);
  ASSERT_TRUE(status.ok()) << status;
  module.Run(index, addresses);
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(found[i] == wanted[i]) << kernel.buffers[i].name;
  }
}

}  // namespace acceld::kernels::cuda

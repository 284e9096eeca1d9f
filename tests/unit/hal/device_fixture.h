#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/types/literal.h"
#include "server/hal/device.h"
#include "tests/support/fake_cuda/fake_cuda.h"

namespace acceld::testing {

// A device of the fake driver with one stream.
class CudaDeviceTest : public ::testing::Test {
 protected:
  // To be called first, with the machine and the libraries that it asks for. What was open before
  // is closed.
  void Open(const FakeCuda::Options& options = {},
            const hal::cuda::CudaDeviceOptions& device_options = {},
            const hal::cuda::Toolkit& toolkit = FakeCuda::toolkit());
  // Opens the machine's devices again.
  void Reopen(const hal::cuda::CudaDeviceOptions& device_options = {},
              const hal::cuda::Toolkit& toolkit = FakeCuda::toolkit());
  // Destroys the stream, the devices and the machine, which must then be without objects and
  // memory.
  void Close();
  void TearDown() override { Close(); }

  // What the compiler makes of @main for this device. Fails the test if it makes nothing.
  std::shared_ptr<const hal::Executable> Compile(absl::string_view text);
  std::shared_ptr<const hal::Module> Load(const hal::Executable& executable);
  // A launch with fresh memory for results and temporaries.
  hal::Launch LaunchOf(std::shared_ptr<const hal::Module> module, const hal::Executable& executable,
                       std::vector<std::shared_ptr<hal::Buffer>> arguments);
  std::shared_ptr<hal::Buffer> Allocate(int64_t size_bytes);
  // Copies a value to the device.
  std::shared_ptr<hal::Buffer> Put(const ir::Literal& value);
  absl::StatusOr<ir::Literal> Fetch(std::shared_ptr<hal::Buffer> buffer,
                                    const ir::TensorType& type);
  // Compiles, loads and runs it once.
  absl::StatusOr<std::vector<ir::Literal>> Run(absl::string_view text,
                                               const std::vector<ir::Literal>& arguments);

  std::unique_ptr<FakeCuda> cuda_;
  std::vector<std::unique_ptr<hal::Device>> devices_;
  // Of each device, the code generator.
  std::vector<std::unique_ptr<const codegen::CodeGenerator>> generators_;
  std::unique_ptr<hal::Stream> stream_;
};

// f32[n].
ir::Literal Vector(const std::vector<float>& values);
ir::Literal Scalar(int32_t value);
std::vector<float> FloatsOf(const ir::Literal& literal);

}  // namespace acceld::testing

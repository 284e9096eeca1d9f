#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/codegen/target_device.h"
#include "server/hal/cuda/cuda_device.h"
#include "server/hal/cuda/driver/driver.h"
#include "tests/support/fake_cuda/machine.h"

namespace acceld::testing {

// A driver without GPUs: streams are threads, device memory is the process's, and kernels are
// generated CUDA C++ that is compiled for the host (tests/support/cuda_on_host.h). "Machine code"
// is the source itself. It records what is called, and fails where a test says so. One at a time;
// everything made of it is gone before it goes.
//
// What it does later than it is told, as GPUs do, it really does later: what is freed or changed
// too early is seen, by the sanitizers at the latest.
class FakeCuda {
 public:
  using Options = fake::MachineOptions;
  explicit FakeCuda(const Options& options);
  FakeCuda() : FakeCuda(Options{}) {}
  ~FakeCuda();

  const hal::cuda::Driver& driver() const { return *driver_; }
  // As that of a machine is found.
  const absl::StatusOr<hal::cuda::Driver>& found() const { return driver_; }
  std::vector<hal::cuda::CudaDevice> devices() const;
  // A FindCompiler.
  static absl::StatusOr<hal::cuda::CudaCompiler> FindCompiler(int architecture);

  // That, and libraries that compute on the host: matrix products and routines.
  static hal::cuda::Toolkit toolkit();

  // The devices as the daemon has them.
  std::vector<codegen::TargetDevice> Open(const hal::cuda::CudaDeviceOptions& options = {},
                                          const hal::cuda::Toolkit& toolkit = FakeCuda::toolkit());

  // Names of the functions that were called, in order; those about errors and queries are left out.
  std::vector<std::string> calls() const;
  int CountOf(absl::string_view function) const;
  void ForgetCalls();

  // The call of `function`, the driver's or a library's, after the next `calls` ones returns
  // `result` and does nothing.
  void Fail(absl::string_view function, hal::cuda::Driver::Result result, int calls = 0);
  // So does the kernel, once: the device is broken from then on.
  void FailKernel(absl::string_view name, hal::cuda::Driver::Result result);
  // Streams stop before the next thing that they do, until Resume.
  void Pause();
  void Resume();

  // Whether a kernel has failed there.
  bool IsBroken(int device) const;
  int64_t used_bytes(int device = 0) const;
  // Of anything that the driver gives, without memory.
  int live_objects() const;

 private:
  const absl::StatusOr<hal::cuda::Driver> driver_;
};

}  // namespace acceld::testing

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/status.h"
#include "kernels/cuda/emit/cuda_kernel.h"
#include "kernels/ir/kernel.h"

namespace acceld::testing {

// Generated CUDA C++, compiled for the host (tests/support/cuda_on_host.h) with the compiler that
// has built the tests. One thread at a time runs kernels.
class CudaHostModule {
 public:
  // Compiles all kernels, as one program, some at a time. INTERNAL with what the compiler says.
  // Takes about 10 ms a kernel. Names need not be unique.
  static absl::StatusOr<std::unique_ptr<CudaHostModule>> Compile(
      const std::vector<const kernels::Kernel*>& kernels,
      const kernels::cuda::WorkDivision& sharing = {});
  ~CudaHostModule();

  // Runs kernel number `index`. The buffers are at least as large as the kernel says.
  void Run(size_t index, absl::Span<char* const> buffers) const;

 private:
  using Entry = void (*)(char* const* buffers, int64_t blocks, int threads, bool has_barriers,
                         const volatile int* cancelled);
  struct Loaded {
    kernels::cuda::CudaKernel printed;
    Entry entry = nullptr;
  };

  std::vector<Loaded> kernels_;
  std::vector<void*> libraries_;
};

}  // namespace acceld::testing

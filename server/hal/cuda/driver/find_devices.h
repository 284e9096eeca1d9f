#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/status.h"
#include "server/hal/cuda/driver/driver.h"

namespace acceld::hal::cuda {

// A GPU as the driver describes it.
struct CudaDevice {
  int ordinal = 0;       // the driver's number, among the GPUs that CUDA_VISIBLE_DEVICES selects
  int handle = 0;        // CUdevice
  std::string name;      // "NVIDIA H100 80GB HBM3"
  int architecture = 0;  // 90 for sm_90
  int64_t memory_bytes = 0;
};

// Returns the GPUs that the driver makes visible to this process, by ordinal; or an error of the
// driver.
absl::StatusOr<std::vector<CudaDevice>> FindCudaDevices(const Driver& driver);

}  // namespace acceld::hal::cuda

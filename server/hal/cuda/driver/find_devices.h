#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/status.h"
#include "server/hal/cuda/driver/driver.h"

namespace acceld::hal::cuda {

struct CudaDevice {
  int ordinal = 0;       // of the driver, which CUDA_VISIBLE_DEVICES numbers
  int handle = 0;        // CUdevice
  std::string name;      // "NVIDIA H100 80GB HBM3"
  int architecture = 0;  // 90 for sm_90
  int64_t memory_bytes = 0;
};

// The GPUs that the driver shows this process.
absl::StatusOr<std::vector<CudaDevice>> FindCudaDevices(const Driver& driver);

}  // namespace acceld::hal::cuda

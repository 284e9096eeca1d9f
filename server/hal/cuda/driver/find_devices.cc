#include "server/hal/cuda/driver/find_devices.h"

namespace acceld::hal::cuda {
namespace {

// CUdevice_attribute: the two parts of the compute capability.
constexpr int kMajor = 75, kMinor = 76;

absl::StatusOr<CudaDevice> Describe(const Driver& driver, int ordinal) {
  CudaDevice found{.ordinal = ordinal};
  int device = 0, major = 0, minor = 0;
  char name[256] = {};
  size_t bytes = 0;
  ACCELD_RETURN_IF_ERROR(driver.Check(driver.cuDeviceGet(&device, ordinal), "cuDeviceGet"));
  ACCELD_RETURN_IF_ERROR(
      driver.Check(driver.cuDeviceGetName(name, sizeof(name), device), "cuDeviceGetName"));
  ACCELD_RETURN_IF_ERROR(
      driver.Check(driver.cuDeviceGetAttribute(&major, kMajor, device), "cuDeviceGetAttribute"));
  ACCELD_RETURN_IF_ERROR(
      driver.Check(driver.cuDeviceGetAttribute(&minor, kMinor, device), "cuDeviceGetAttribute"));
  ACCELD_RETURN_IF_ERROR(
      driver.Check(driver.cuDeviceTotalMem_v2(&bytes, device), "cuDeviceTotalMem"));
  found.handle = device;
  found.name = name;
  found.architecture = 10 * major + minor;
  found.memory_bytes = static_cast<int64_t>(bytes);
  return found;
}

}  // namespace

absl::StatusOr<std::vector<CudaDevice>> FindCudaDevices(const Driver& driver) {
  int count = 0;
  ACCELD_RETURN_IF_ERROR(driver.Check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount"));
  std::vector<CudaDevice> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    ACCELD_ASSIGN_OR_RETURN(CudaDevice device, Describe(driver, ordinal));
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace acceld::hal::cuda

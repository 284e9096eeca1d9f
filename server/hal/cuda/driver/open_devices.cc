#include "server/hal/cuda/driver/open_devices.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace acceld::hal::cuda {
namespace {

absl::StatusOr<std::vector<CudaDevice>> SelectByOrdinal(const std::vector<CudaDevice>& found,
                                                        const std::vector<int>& numbers) {
  std::vector<CudaDevice> devices;
  for (const int number : numbers) {
    if (number >= static_cast<int>(found.size())) {
      return absl::NotFoundError(absl::StrCat("CUDA devices: there is no number ", number,
                                              ", the NVIDIA driver shows ", found.size(),
                                              " (see CUDA_VISIBLE_DEVICES)"));
    }
    devices.push_back(found[static_cast<size_t>(number)]);
  }
  return devices;
}

std::vector<MissingLibrary> MissingLibrariesOf(const Toolkit& toolkit, size_t devices) {
  std::vector<MissingLibrary> missing;
  const auto add = [&missing](absl::string_view name, const absl::Status& found) {
    if (found.ok()) return;
    absl::string_view reason = found.message();
    absl::ConsumePrefix(&reason, absl::StrCat("no ", name, ": "));
    missing.push_back({std::string(name), std::string(reason)});
  };
  add("cuBLAS", toolkit.find_cublas().status());
  add("cuBLASLt", toolkit.find_cublas_lt().status());
  add("cuDNN", toolkit.find_cudnn().status());
  add("cuFFT", toolkit.find_cufft().status());
  add("cuSOLVER", toolkit.find_cusolver().status());
  // One GPU does without it.
  if (devices > 1) add("NCCL", toolkit.find_nccl().status());
  return missing;
}

absl::StatusOr<OpenedDevices> OpenAll(const absl::StatusOr<Driver>& driver,
                                      const CudaDeviceOptions& options, const Toolkit& toolkit) {
  OpenedDevices opened;
  const absl::StatusOr<std::vector<CudaDevice>> found =
      driver.ok() ? FindCudaDevices(*driver)
                  : absl::StatusOr<std::vector<CudaDevice>>(driver.status());
  if (!found.ok()) {
    opened.missing.emplace_back(found.status().message());
    return opened;
  }
  if (found->empty()) {
    opened.missing.emplace_back("the NVIDIA driver shows no GPU (see CUDA_VISIBLE_DEVICES)");
  }
  for (absl::StatusOr<OpenedCudaDevice>& device :
       OpenCudaDevices(*driver, *found, options, toolkit)) {
    if (device.ok()) {
      opened.devices.push_back(*std::move(device));
    } else {
      opened.missing.emplace_back(device.status().message());
    }
  }
  if (!opened.devices.empty())
    opened.missing_libraries = MissingLibrariesOf(toolkit, opened.devices.size());
  return opened;
}

}  // namespace

absl::StatusOr<OpenedDevices> OpenSelectedDevices(const absl::StatusOr<Driver>& driver,
                                                  const DeviceSelection& wanted,
                                                  const CudaDeviceOptions& options,
                                                  const Toolkit& toolkit) {
  if (wanted.all) return OpenAll(driver, options, toolkit);
  OpenedDevices opened;
  if (wanted.numbers.empty()) {
    opened.missing.emplace_back("none are wanted");
    return opened;
  }
  ACCELD_RETURN_IF_ERROR(driver.status());
  ACCELD_ASSIGN_OR_RETURN(const std::vector<CudaDevice> found, FindCudaDevices(*driver));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<CudaDevice> named,
                          SelectByOrdinal(found, wanted.numbers));
  for (absl::StatusOr<OpenedCudaDevice>& device :
       OpenCudaDevices(*driver, named, options, toolkit)) {
    ACCELD_RETURN_IF_ERROR(device.status());
    opened.devices.push_back(*std::move(device));
  }
  opened.missing_libraries = MissingLibrariesOf(toolkit, opened.devices.size());
  return opened;
}

}  // namespace acceld::hal::cuda

#include "server/hal/cuda/driver/driver.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace acceld::hal::cuda {
namespace {

// The file names of the driver library, which is installed with the driver and not with the CUDA
// toolkit: for the loader's search path, and in the folders where containers and WSL have it.
constexpr const char* kLibraries[] = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                                      "/usr/lib/wsl/lib/libcuda.so.1"};

// Returns on how many streams a device is to execute work concurrently: on `most`, the maximum,
// unless the user has set the environment variable. Source: CUDA Programming Guide, environment
// variables.
int ChooseConnections(int most) {
  constexpr const char* kVariable = "CUDA_DEVICE_MAX_CONNECTIONS";
  setenv(kVariable, absl::StrCat(most).c_str(), /*overwrite=*/0);  // cuInit reads it.
  int chosen = 0;
  return absl::SimpleAtoi(getenv(kVariable), &chosen) ? std::clamp(chosen, 1, most) : most;
}

absl::StatusOr<Driver> Open() {
  void* library = nullptr;
  std::string error;  // of the first attempt
  for (const char* path : kLibraries) {
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    if (error.empty()) error = dlerror();
  }
  if (library == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("no NVIDIA driver: ", error));
  }
  Driver driver;
  driver.connections = ChooseConnections(driver.connections);
#define ACCELD_CUDA_SYMBOL(name, parameters)                                                \
  driver.name = reinterpret_cast<Driver::Result(*) parameters>(dlsym(library, #name));      \
  if (driver.name == nullptr) {                                                             \
    return absl::FailedPreconditionError("the NVIDIA driver is too old: it has no " #name); \
  }
#define ACCELD_CUDA_OPTIONAL_SYMBOL(name, parameters) \
  driver.name = reinterpret_cast<Driver::Result(*) parameters>(dlsym(library, #name));
  using Result = Driver::Result;
#include "server/hal/cuda/driver/driver_symbols.def"
  if (const absl::Status status = driver.Check(driver.cuInit(0), "cuInit"); !status.ok()) {
    return absl::FailedPreconditionError(status.message());
  }
  return driver;
}

}  // namespace

const absl::StatusOr<Driver>& Driver::Get() {
  static const auto* const driver = new absl::StatusOr<Driver>(Open());  // never unloaded
  return *driver;
}

bool Driver::HasGraphs() const {
  constexpr int kWithSwitch = 12080;  // CUDA 12.8
  int version = 0;
#define ACCELD_CUDA_SYMBOL(name, parameters)
#define ACCELD_CUDA_OPTIONAL_SYMBOL(name, parameters) \
  if (this->name == nullptr) return false;
#include "server/hal/cuda/driver/driver_symbols.def"
  return cuDriverGetVersion(&version) == 0 && version >= kWithSwitch;
}

absl::Status Driver::Check(Result result, absl::string_view what) const {
  if (result == 0) return absl::OkStatus();
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) != 0) name = "unknown error";
  if (cuGetErrorString(result, &text) != 0) text = "";
  const std::string message = absl::StrCat(what, ": ", name, " (", result, ") ", text);
  return result == kOutOfMemory ? absl::ResourceExhaustedError(message)
                                : absl::InternalError(message);
}

}  // namespace acceld::hal::cuda

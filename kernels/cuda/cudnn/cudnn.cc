#include "kernels/cuda/cudnn/cudnn.h"

#include "absl/strings/str_cat.h"
#include "kernels/cuda/shared_library.h"

namespace acceld::kernels::cuda {
namespace {

// Newest first: names for the loader's search path, then the default locations of NVIDIA's archives
// and packages.
constexpr const char* kLibraries[] = {"libcudnn.so.9", "libcudnn.so.8",
                                      "/usr/local/cuda/lib64/libcudnn.so",
                                      "/usr/local/cuda/lib/libcudnn.so"};

absl::StatusOr<Cudnn> Open() {
  ACCELD_ASSIGN_OR_RETURN(const SharedLibrary library, SharedLibrary::Open("cuDNN", kLibraries));
  Cudnn table;
#define ACCELD_CUDNN_SYMBOL(name, parameters) \
  ACCELD_RETURN_IF_ERROR(library.Find(#name, table.name));
#include "kernels/cuda/cudnn/symbols.def"
  return table;
}

}  // namespace

const absl::StatusOr<Cudnn>& Cudnn::Get() {
  static const auto* const table = new absl::StatusOr<Cudnn>(Open());  // Never closed.
  return *table;
}

absl::Status Cudnn::Check(Result result, absl::string_view what) {
  if (result == 0) return absl::OkStatus();
  const std::string message = absl::StrCat(what, ": cuDNN result ", result);
  // Values of cudnnStatus_t: those of version 8, and those of version 9, which classes of errors
  // divide into ranges of 1000.
  constexpr Result kAllocFailed8 = 2, kNotSupported8 = 9, kHostAllocFailed = 4003,
                   kDeviceAllocFailed = 4004;
  constexpr Result kNotSupported = 3;
  if (result == kAllocFailed8 || result == kHostAllocFailed || result == kDeviceAllocFailed) {
    return absl::ResourceExhaustedError(message);
  }
  if (result == kNotSupported8 || result / 1000 == kNotSupported) {
    return absl::UnimplementedError(message);
  }
  return absl::InternalError(message);
}

CudnnHandle::~CudnnHandle() {
  if (handle_ != nullptr) (void)library_.cudnnDestroy(handle_);
}

absl::StatusOr<Cudnn::Handle> CudnnHandle::Get() {
  if (handle_ != nullptr) return handle_;
  Cudnn::Handle handle = nullptr;
  ACCELD_RETURN_IF_ERROR(Cudnn::Check(library_.cudnnCreate(&handle), "cudnnCreate"));
  if (stream_ != nullptr) {
    const absl::Status set =
        Cudnn::Check(library_.cudnnSetStream(handle, stream_), "cudnnSetStream");
    if (!set.ok()) {
      (void)library_.cudnnDestroy(handle);
      return set;
    }
  }
  handle_ = handle;
  return handle_;
}

}  // namespace acceld::kernels::cuda

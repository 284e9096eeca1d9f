#include "kernels/cuda/cufft/cufft.h"

#include "absl/strings/str_cat.h"
#include "kernels/cuda/shared_library.h"

namespace acceld::kernels::cuda {
namespace {

// Newest first (12 is part of CUDA 13, 11 of CUDA 12): names for the loader's search path, then the
// toolkit's default locations.
constexpr const char* kLibraries[] = {"libcufft.so.12", "libcufft.so.11",
                                      "/usr/local/cuda/lib64/libcufft.so",
                                      "/usr/local/cuda/lib/libcufft.so"};

absl::StatusOr<Cufft> Open() {
  ACCELD_ASSIGN_OR_RETURN(const SharedLibrary library, SharedLibrary::Open("cuFFT", kLibraries));
  Cufft table;
#define ACCELD_CUFFT_SYMBOL(name, parameters) \
  ACCELD_RETURN_IF_ERROR(library.Find(#name, table.name));
#include "kernels/cuda/cufft/symbols.def"
  return table;
}

}  // namespace

const absl::StatusOr<Cufft>& Cufft::Get() {
  static const auto* const table = new absl::StatusOr<Cufft>(Open());  // Never closed.
  return *table;
}

absl::Status Cufft::Check(Result result, absl::string_view what) {
  // Values of cufftResult.
  constexpr Result kAllocationFailed = 2, kInvalidSize = 8, kNotImplemented = 14,
                   kNotSupported = 16;
  if (result == 0) return absl::OkStatus();
  const std::string message = absl::StrCat(what, ": cuFFT result ", result);
  switch (result) {
    case kAllocationFailed:
      return absl::ResourceExhaustedError(message);
    case kInvalidSize:
    case kNotImplemented:
    case kNotSupported:
      return absl::UnimplementedError(message);
    default:
      return absl::InternalError(message);
  }
}

}  // namespace acceld::kernels::cuda
